"""When watchers connect: few at a time to one server, one after the other, later after trouble."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from inbox.providers.mail_store import StoreError
from inbox.syncing.turns import pause_after

# So many connect at once to one server, and so many wait for it: the others are not taken up yet.
AT_ONE_SERVER = 8
MOST_QUEUED = 64
# Between two connections that begin, to whatever servers, in seconds.
BETWEEN = 0.02
# Who was watched for so long had no trouble, in seconds.
CALM = 600.0


class Gate:
    """Lets through who connects, so that no server and no processor has all of them at once."""

    def __init__(self) -> None:
        self._servers: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._queued: Counter[str] = Counter()
        self._next = 0.0

    def queued(self) -> Counter[str]:
        """Return how many wait for each server, or connect to it now."""
        return self._queued.copy()

    def expect(self, server: str) -> None:
        """Count one who is to come through; `passing` counts it off."""
        self._queued[server] += 1

    @asynccontextmanager
    async def passing(self, server: str) -> AsyncIterator[None]:
        """Wait for a turn, and keep it while connecting."""
        try:
            semaphore = self._servers.setdefault(server, asyncio.Semaphore(AT_ONE_SERVER))
            async with semaphore:
                await self._one_after_the_other()
                yield
        finally:
            self._queued[server] -= 1
            if not self._queued[server]:
                del self._queued[server]

    async def _one_after_the_other(self) -> None:
        now = time.monotonic()
        begins = max(self._next, now)
        self._next = begins + BETWEEN
        await asyncio.sleep(begins - now)


class Trouble:
    """After trouble with watching accounts: how often, and when each is tried again."""

    def __init__(self) -> None:
        self._noted: dict[int, tuple[int, float]] = {}

    def note(self, account_id: int, error: StoreError, *, lasted: float) -> float:
        """Note trouble after so many seconds of watching; return the pause, in seconds."""
        failures, _ = self._noted.get(account_id, (0, 0.0))
        if lasted >= CALM:
            failures = 0
        pause = pause_after(error, failures=failures).total_seconds()
        self._noted[account_id] = failures + 1, time.monotonic() + pause
        return pause

    def forget(self, account_id: int) -> None:
        """Forget that of an account that is watched no more for another reason."""
        self._noted.pop(account_id, None)

    def rests(self, account_id: int) -> bool:
        """Return True if an account is not to be tried yet."""
        _, until = self._noted.get(account_id, (0, 0.0))
        return time.monotonic() < until
