"""A mailbox that is watched: one connection of many in one event loop, as one protocol.

Nothing here touches the database, and nothing changes anything at the provider.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

from inbox.providers.base import Connection
from inbox.providers.mail_store import FolderState


class WatchedMailbox(Protocol):
    """A connection that waits in a mailbox. All but `close` may raise StoreError.

    After any trouble it is over. Cancelled, it is closed at once.
    """

    async def look(self) -> FolderState:
        """Return the state of the mailbox as of now."""
        ...

    async def wait(self, seconds: float) -> bool:
        """Wait for a change since `look`; False: none within so many seconds.

        It comes back for whatever it may have missed too: nothing that happened after `look` and
        before it waits, or between two waits, is kept from it.
        """
        ...

    async def close(self) -> None:
        """Let go of the connection; never raises."""
        ...


# Connects to an account's mail and logs in, for the mailbox of this name; raises StoreError.
OpenMailbox: TypeAlias = Callable[[Connection, str], Awaitable[WatchedMailbox]]
