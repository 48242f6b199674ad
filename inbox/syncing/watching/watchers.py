"""Watches as many of the accounts that nobody watches as it may, from one thread of the process."""

import asyncio
import logging
import resource
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import TypeVar

from django.conf import settings
from django.db import close_old_connections, connections
from django.utils import timezone

from inbox.background.daemon_threads import DaemonExecutor
from inbox.operations.accounts.connections import watched_mailbox_of
from inbox.providers.mail_store import StoreError
from inbox.providers.mail_watch import WatchedMailbox
from inbox.reasons import of_error
from inbox.syncing.turns import scattered
from inbox.syncing.watching.by_changes import in_thread, watch_changes
from inbox.syncing.watching.leases import Leases, Watchable, unwatched
from inbox.syncing.watching.looks import Looks, Seen
from inbox.syncing.watching.pacing import MOST_QUEUED, Gate, Trouble

# How long one wait takes, give or take some: far below the 29 minutes of RFC 2177, and short
# enough to keep a connection alive in the routers on its way.
WAIT = timedelta(seconds=110)
# A burst of news is one sync.
BREATH = 1.0
# How often a process looks for accounts that nobody watches, and while some had to wait.
LOOK, LOOK_AGAIN = 10.0, 1.0
RENEW = 60.0
# How long saying good-bye may take.
_GOOD_BYE = 5.0
# Of those that hold a thread each.
_MOST_THREADS = 200
# Threads for tokens, of which some are renewed at a server. Rows are one thread's, in turn.
_OUTSIDE = 8
# Beside the connections to mail servers.
_OTHER_FILES = 512

Found = TypeVar("Found")

log = logging.getLogger(__name__)


class Watchers:
    """The watchers of this process; `most` is how many accounts they watch at once."""

    def __init__(self, most: int | None = None) -> None:
        self._most = settings.MOST_WATCHED if most is None else most
        self._leases = Leases()
        self._trouble = Trouble()
        self._watched: dict[int, asyncio.Task[None]] = {}
        self._given_up: set[int] = set()
        self._renewed = 0.0
        self._threads = 0
        self._rows = DaemonExecutor(1, "watchers-rows")
        self._outside = DaemonExecutor(_OUTSIDE, "watchers-outside")
        self._must_stop = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="watchers", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        if self._most > 0:
            _allow_files(self._most + _OTHER_FILES)
            self._thread.start()

    def stop(self) -> None:
        """Give back what is watched, so that another process takes it up at once."""
        if self._thread.ident is None:
            return
        self._must_stop.set()
        if (loop := self._loop) is not None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(LOOK)
        try:
            # After what may still be claimed just now.
            self._rows.submit(_with_database, self._leases.release).result(LOOK)
        except Exception:
            log.exception("what was watched could not be given back; it ends by itself")

    @property
    def number(self) -> int:
        """How many accounts are watched here, or are about to be."""
        return len(self._watched)

    # -- the loop ----------------------------------------------------------------------------------
    def _run(self) -> None:
        try:
            asyncio.run(self._go())
        except Exception:
            log.exception("watching ended; the rounds go on")

    async def _go(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._gate, self._looks = Gate(), Looks(self._in_rows)
        while not self._must_stop.is_set():
            pause = LOOK
            try:
                pause = await self._take_turn()
            except Exception:
                log.exception("looking for accounts to watch had trouble and goes on")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)

    async def _take_turn(self) -> float:
        """Give back, renew, and take up; return in how many seconds to look again."""
        if given_up := frozenset(self._given_up):
            await self._in_rows(partial(self._leases.release, given_up))
            self._given_up -= given_up
        if self._watched and time.monotonic() - self._renewed >= RENEW:
            kept = await self._in_rows(self._leases.renew)
            self._renewed = time.monotonic()
            for account_id in self._watched.keys() - kept:
                self._trouble.forget(account_id)
                self._watched[account_id].cancel()
        return await self._take_up()

    async def _take_up(self) -> float:
        room = self._most - len(self._watched)
        if room <= 0:
            return LOOK
        chosen, left_out = await self._in_rows(partial(self._choose, room, self._gate.queued()))
        for one in chosen:
            self._gate.expect(one.server)
            self._threads += one.folder_id is None
            self._watched[one.account_id] = asyncio.create_task(self._watch(one))
        # All of them have begun afterwards, and will end as they should.
        await asyncio.sleep(0)
        return LOOK_AGAIN if left_out else LOOK

    def _choose(self, room: int, queued: Counter[str]) -> tuple[list[Watchable], bool]:
        """Claim accounts; return them, and whether there are more that must wait for others."""
        chosen: list[Watchable] = []
        threads, left_out = _MOST_THREADS - self._threads, False
        for one in unwatched(timezone.now()):
            if len(chosen) == room:
                break
            if one.account_id in self._watched or self._trouble.rests(one.account_id):
                continue
            if one.folder_id is None and threads <= 0:
                continue
            if queued[one.server] >= MOST_QUEUED:
                left_out = True
                continue
            queued[one.server] += 1
            threads -= one.folder_id is None
            chosen.append(one)
        claimed = self._leases.claim([one.account_id for one in chosen])
        return [one for one in chosen if one.account_id in claimed], left_out

    # -- one account -------------------------------------------------------------------------------
    async def _watch(self, one: Watchable) -> None:
        began = time.monotonic()
        try:
            await self._wait_for_news(one)
        except StoreError as error:
            self._note_trouble(one, error, began)
        except Exception as error:
            log.exception("watching account %s had trouble", one.account_id)
            self._note_trouble(one, StoreError("transient", of_error(error)), began)
        finally:
            self._threads -= one.folder_id is None
            self._watched.pop(one.account_id, None)
            self._given_up.add(one.account_id)

    def _note_trouble(self, one: Watchable, error: StoreError, began: float) -> None:
        lasted = time.monotonic() - began
        pause = self._trouble.note(one.account_id, error, lasted=lasted)
        log.info("account %s is not watched for %.0f s: %s", one.account_id, pause, error.words)

    async def _wait_for_news(self, one: Watchable) -> None:
        if one.folder_id is None:
            async with self._gate.passing(one.server):
                pass
            await in_thread(partial(watch_changes, one.account_id), f"watch-{one.account_id}")
            return
        async with self._gate.passing(one.server):
            # Servers that give tokens keep nobody waiting who needs none.
            in_thread_of = self._in_outside if one.needs_token else self._in_rows
            mailbox = await watched_mailbox_of(
                one.account_id, one.provider, one.folder_name, in_thread_of
            )
        try:
            await self._look(one, one.folder_id, mailbox)
            while True:
                if await mailbox.wait(scattered(WAIT).total_seconds()):
                    await asyncio.sleep(BREATH)
                    await self._look(one, one.folder_id, mailbox)
        finally:
            with suppress(TimeoutError):
                # Nobody waits for that who stops the process.
                async with asyncio.timeout(0.0 if self._must_stop.is_set() else _GOOD_BYE):
                    await mailbox.close()

    async def _look(self, one: Watchable, folder_id: int, mailbox: WatchedMailbox) -> None:
        state = await mailbox.look()
        await self._looks.settle(Seen(one.account_id, one.workspace_id, folder_id, state))

    # -- in threads --------------------------------------------------------------------------------
    async def _in_rows(self, act: Callable[[], Found]) -> Found:
        return await asyncio.wrap_future(self._rows.submit(_with_database, act))

    async def _in_outside(self, act: Callable[[], Found]) -> Found:
        return await asyncio.wrap_future(self._outside.submit(_with_database, act))


def _with_database(act: Callable[[], Found]) -> Found:
    try:
        close_old_connections()
        return act()
    finally:
        connections.close_all()


def _allow_files(number: int) -> None:
    """Have the system let this process hold so many files and connections, if it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < number:
        most = number if hard == resource.RLIM_INFINITY else min(number, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(most, soft), hard))
