"""Leases renewed while long work goes on, by one thread for the whole process."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from django.db import close_old_connections, connections

Renew: TypeAlias = Callable[[], bool]

# In seconds; a lease should be several times as long as LOOK.
LOOK = 0.5
IDLE = 30.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Held:
    renew: Renew
    every: float
    due: float


class Heart:
    """Renews what is held, from a thread that lives only while something is."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew: a forked process has none of its parent's threads."""
        self._lock = threading.Lock()
        self._held: dict[int, _Held] = {}
        self._thread: threading.Thread | None = None
        self._may_idle = True

    def rest(self) -> None:
        """End the thread where nothing is held; it may take LOOK."""
        with self._lock:
            thread, self._may_idle = self._thread, False
        if thread is not None:
            thread.join(2 * LOOK)

    def add(self, held: _Held) -> None:
        """Begin to renew."""
        with self._lock:
            self._held[id(held)] = held
            self._may_idle = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._beat, name="leases", daemon=True)
                self._thread.start()

    def remove(self, held: _Held) -> None:
        """Renew no longer."""
        with self._lock:
            self._held.pop(id(held), None)

    def _beat(self) -> None:
        try:
            while (held := self._next_due()) is not None:
                self._renew(held)
        finally:
            connections.close_all()

    def _next_due(self) -> _Held | None:
        """Wait for what is due next; None, and no thread any more, after a while without work.

        It looks now and then, rather than being told: most work is over before its lease matters.
        """
        idle_since = time.monotonic()
        while True:
            now = time.monotonic()
            with self._lock:
                first = min(self._held.values(), key=lambda held: held.due, default=None)
                if first is not None and first.due <= now:
                    first.due = now + first.every
                    return first
                idle_since = now if self._held else idle_since
                if now - idle_since > (IDLE if self._may_idle else 0):
                    self._thread = None
                    return None
            time.sleep(LOOK)

    def _renew(self, held: _Held) -> None:
        try:
            close_old_connections()
            if not held.renew():
                log.warning("a lease was lost while its work went on")
                self.remove(held)
        except Exception:
            log.exception("a lease could not be renewed")


_HEART = Heart()
os.register_at_fork(after_in_child=_HEART.forget)
rest = _HEART.rest


@contextmanager
def renewed(renew: Renew, lease: timedelta) -> Iterator[None]:
    """Call `renew` thrice a lease, in another thread, until the block ends or it says False."""
    every = lease.total_seconds() / 3
    held = _Held(renew, every, time.monotonic() + every)
    _HEART.add(held)
    try:
        yield
    finally:
        _HEART.remove(held)
