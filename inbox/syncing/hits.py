"""Readings that needed no provider, counted in memory and written some at a time.

A reading is no write, then, but for its receipt. These are figures alone: what a process has not
yet written when it ends is not counted.
"""

import os
import threading
import time
from collections import Counter
from datetime import datetime
from typing import NamedTuple

from django.db import DatabaseError, connection, transaction

# At most so long, in seconds, and so many entries, before what was counted is written.
_WRITTEN_EVERY = 5.0
_MOST_WAITING = 1000
_WRITE = (
    "UPDATE inbox_mirrorentry SET hits = hits + %s,"
    " status = CASE WHEN used_at < %s THEN 'fresh' ELSE status END,"
    " used_at = CASE WHEN used_at < %s THEN %s ELSE used_at END WHERE id = %s"
)


class Hit(NamedTuple):
    """An entry of the mirror, how often it served, and when it did last."""

    account_id: int
    resource: str
    times: int
    at: datetime


class Hits:
    """How often each entry of the mirror served, by its key."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew, as a forked process must."""
        self._lock = threading.Lock()
        self._counted: dict[int, Hit] = {}
        self._since = time.monotonic()

    def add(self, entry_id: int, hit: Hit) -> None:
        """Count a reading; what waits long enough is written, outside of the caller's work."""
        with self._lock:
            self._put(entry_id, hit)
            is_due = time.monotonic() - self._since > _WRITTEN_EVERY
            is_due = is_due or len(self._counted) >= _MOST_WAITING
        # Within a transaction it could be undone, and would hold its rows until the end.
        if is_due and not connection.in_atomic_block:
            self.write()

    def write(self) -> None:
        """Write what was counted; where the database refuses, it goes on counting."""
        with self._lock:
            counted, self._counted, self._since = self._counted, {}, time.monotonic()
        if not counted:
            return
        adapt = connection.ops.adapt_datetimefield_value
        values = [(hit.times, *[adapt(hit.at)] * 3, key) for key, hit in sorted(counted.items())]
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.executemany(_WRITE, values)
        except DatabaseError:
            with self._lock:
                for key, hit in counted.items():
                    self._put(key, hit)

    def waiting(self) -> Counter[tuple[int, str]]:
        """Return what is not written yet: readings by account and resource."""
        with self._lock:
            hits = list(self._counted.values())
        found: Counter[tuple[int, str]] = Counter()
        for hit in hits:
            found[hit.account_id, hit.resource] += hit.times
        return found

    def _put(self, key: int, hit: Hit) -> None:
        kept = self._counted.get(key)
        if kept is not None:
            hit = hit._replace(times=kept.times + hit.times, at=max(kept.at, hit.at))
        self._counted[key] = hit


HITS = Hits()
os.register_at_fork(after_in_child=HITS.forget)
