"""One thread for all streams of a process: it reads the log as it grows and hands it on."""

import asyncio
import logging
import os
import threading
from collections.abc import Sequence

from django.db import close_old_connections, connections

from agents.models import LoggedEvent
from agents.operations.webhooks.event_log import ends_of_log, events_after, write_log

# In seconds.
LOOK = 0.5
# So many batches wait for a slow client; then its stream ends, and it comes back for the rest.
MOST_WAITING = 100

log = logging.getLogger(__name__)


class Subscription:
    """What one stream has yet to be sent, in batches of events; filled by the feed."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._batches: asyncio.Queue[Sequence[LoggedEvent]] = asyncio.Queue(MOST_WAITING)
        self.over = asyncio.Event()

    async def next(self) -> Sequence[LoggedEvent]:
        """Return the next batch, waiting for it."""
        return await self._batches.get()

    def offer(self, events: Sequence[LoggedEvent]) -> None:
        """Take a batch in, from any thread."""
        self._call(self._put, events)

    def end(self) -> None:
        """Have the stream end, from any thread."""
        self._call(self.over.set)

    def _call(self, function: object, *args: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *args)  # type: ignore[arg-type]

    def _put(self, events: Sequence[LoggedEvent]) -> None:
        try:
            self._batches.put_nowait(events)
        except asyncio.QueueFull:
            self.over.set()


class Feed:
    """Reads the log for every stream of this process, while there is one."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew: a forked process has none of its parent's threads."""
        self._lock = threading.Lock()
        self._subscriptions: set[Subscription] = set()
        self._place = 0
        self._thread: threading.Thread | None = None

    def add(self, subscription: Subscription) -> int:
        """Begin to hand events on; return the place of the log after which they come."""
        with self._lock:
            if self._thread is None:
                self._place = ends_of_log()[0]
                self._thread = threading.Thread(target=self._run, name="events", daemon=True)
                self._thread.start()
            self._subscriptions.add(subscription)
            return self._place

    def remove(self, subscription: Subscription) -> None:
        """Hand nothing on to it any more."""
        with self._lock:
            self._subscriptions.discard(subscription)

    def end_all(self) -> None:
        """Have every stream end, as when the server stops."""
        with self._lock:
            for subscription in self._subscriptions:
                subscription.end()

    def _run(self) -> None:
        pause = threading.Event()
        try:
            while self._is_wanted():
                if not self._read_some():
                    pause.wait(LOOK)
        finally:
            connections.close_all()

    def _is_wanted(self) -> bool:
        with self._lock:
            if not self._subscriptions:
                self._thread = None
            return self._thread is not None

    def _read_some(self) -> bool:
        """Hand on what is new; tell whether there may be more at once."""
        try:
            close_old_connections()
            write_log()
            events = events_after(self._place)
        except Exception:
            log.exception("the log of events could not be read; it is tried again")
            return False
        if not events:
            return False
        with self._lock:
            for subscription in self._subscriptions:
                subscription.offer(events)
            self._place = events[-1].pk
        return True


FEED = Feed()
os.register_at_fork(after_in_child=FEED.forget)
