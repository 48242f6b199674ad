"""Waiting in a mailbox for news: by IDLE (RFC 2177), or by asking where a server has none."""

import asyncio
from typing import Self

from inbox.providers.base import Connection
from inbox.providers.imap.failures import failures_of, refusal
from inbox.providers.imap.logging_in import log_in_to_wait, log_out
from inbox.providers.imap.responses import Response
from inbox.providers.imap.selecting import open_mailbox
from inbox.providers.imap.session import Session
from inbox.providers.mail_store import FolderState
from inbox.reasons import phrase as _

# RFC 2177 3: a server may end a connection that is idle for half an hour.
LONGEST_WAIT = 29 * 60
# How often a server without IDLE is asked, in seconds.
BETWEEN_QUESTIONS = 60.0
_NEWS = frozenset({"EXISTS", "EXPUNGE", "VANISHED", "FETCH"})


class ImapMailbox:
    """A mailbox open to read in the running event loop; see `WatchedMailbox`."""

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self._name = name

    @classmethod
    async def connect(cls, account: Connection, name: str) -> Self:
        """Connect and log in as the account's settings say; raises StoreError."""
        return cls(await log_in_to_wait(account), name)

    async def look(self) -> FolderState:
        """Open it anew, and return its state as of now."""
        opened = await open_mailbox(self._session, self._name, None, read_only=True)
        return opened.state

    async def wait(self, seconds: float) -> bool:
        """Wait for a change; False: none within so many seconds."""
        if "idle" in self._session.features:
            return await self._idle(seconds)
        await asyncio.sleep(min(seconds, BETWEEN_QUESTIONS))
        heard: set[str] = set()
        await self._session.ask(
            b"NOOP", _("The server does not wait for new mail"),
            reader=lambda response: heard.add(response.name),
        )  # fmt: skip
        return not heard.isdisjoint(_NEWS)

    async def _idle(self, seconds: float) -> bool:
        session, has_news = self._session, False

        def read(response: Response) -> bool:
            nonlocal has_news
            session.take_note(response.status)
            has_news = has_news or response.name in _NEWS
            return has_news

        with failures_of(session.host):
            try:
                answer = await session.connection.idle(min(seconds, LONGEST_WAIT), read)
            except BaseException:
                session.connection.close()
                raise
        if answer.status != "OK":
            raise refusal(answer, _("The server does not wait for new mail"))
        return has_news

    async def close(self) -> None:
        """Log out; never raises."""
        await log_out(self._session)
