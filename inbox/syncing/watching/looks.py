"""Held against our rows: what watchers see, many accounts by one query."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from inbox.models.remote import RemoteFolder
from inbox.providers.mail_store import FolderState
from inbox.syncing.scheduling import ask_for_syncs

# Longer transactions would have others wait, on SQLite for our turn to write.
MOST_AT_ONCE = 50

# Runs what reads or writes rows, in a thread of its own.
InRows: TypeAlias = Callable[[Callable[[], None]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Seen:
    """The state of a mailbox as a watcher sees it."""

    account_id: int
    workspace_id: int
    folder_id: int
    state: FolderState


def ask_where_different(seen: Sequence[Seen]) -> None:
    """Ask for syncs where our rows are not as the mailboxes: what we did ourselves is news too."""
    keys = [one.folder_id for one in seen]
    columns = ("pk", "uidvalidity", "uidnext", "messages", "highest_modseq")
    rows = RemoteFolder.objects.filter(pk__in=keys).values_list(*columns)
    ours = {pk: FolderState(*numbers) for pk, *numbers in rows}
    ask_for_syncs(
        (one.account_id, one.workspace_id)
        for one in seen
        # Without a mod-sequence nothing tells that no keyword changed (RFC 7162 3.1.2).
        if one.state.highest_modseq is None or ours.get(one.folder_id) != one.state
    )


class Looks:
    """Collects what is seen while the rows are busy, so that a burst is a few transactions."""

    def __init__(self, in_rows: InRows) -> None:
        self._in_rows = in_rows
        self._waiting: list[tuple[Seen, asyncio.Future[None]]] = []
        self._worker: asyncio.Task[None] | None = None

    async def settle(self, seen: Seen) -> None:
        """Have it compared, and return when it is: a sync is asked for, or is not needed.

        Raises what the database does.
        """
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((seen, done))
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        await done

    async def _work(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            trouble = await self._compare([seen for seen, _ in batch])
            for _, done in batch:
                if not done.done():
                    done.set_exception(trouble) if trouble else done.set_result(None)
        self._worker = None

    async def _compare(self, seen: list[Seen]) -> Exception | None:
        try:
            await self._in_rows(lambda: ask_where_different(seen))
        except Exception as error:  # noqa: BLE001
            return error
        return None
