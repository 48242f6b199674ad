"""Readings that needed no provider, counted in memory and written some at a time.

A reading is no write, then, but for its receipt. These are figures alone: what a process has not
yet written when it ends is not counted, unless it shares its memory with others (`share`).
"""

import os
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from django.db import DatabaseError, connection, transaction

from inbox.background.shared_files import SharedFile

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


class _Own(dict[int, Hit]):
    """What this process counted and has yet to write, by entry."""

    def put(self, key: int, hit: Hit) -> None:
        """Add readings of an entry."""
        kept = self.get(key)
        if kept is not None:
            hit = hit._replace(times=kept.times + hit.times, at=max(kept.at, hit.at))
        self[key] = hit


# A reading in a file: its entry and account, how many times, when, and the resource.
_ROW = struct.Struct("=qqqd20s")
_COUNT = struct.Struct("=q")


class _Shared:
    """What several processes counted, one reading after the other in memory that they share."""

    SIZE = _COUNT.size + 2 * _MOST_WAITING * _ROW.size

    def __init__(self, file: SharedFile) -> None:
        self._memory = file.memory

    def __len__(self) -> int:
        number: int = _COUNT.unpack_from(self._memory)[0]
        return number

    def put(self, key: int, hit: Hit) -> None:
        """Add readings of an entry, while there is room."""
        number = len(self)
        if number >= 2 * _MOST_WAITING:
            return
        row = (key, hit.account_id, hit.times, hit.at.timestamp(), hit.resource.encode())
        _ROW.pack_into(self._memory, _COUNT.size + number * _ROW.size, *row)
        _COUNT.pack_into(self._memory, 0, number + 1)

    def items(self) -> Iterator[tuple[int, Hit]]:
        """Yield what waits, by entry."""
        found, size = _Own(), len(self) * _ROW.size
        rows = self._memory[_COUNT.size : _COUNT.size + size]
        for key, account_id, times, at, resource in _ROW.iter_unpack(rows):
            name = resource.rstrip(b"\0").decode()
            found.put(key, Hit(account_id, name, times, datetime.fromtimestamp(at, UTC)))
        yield from found.items()

    def clear(self) -> None:
        """Begin anew."""
        _COUNT.pack_into(self._memory, 0, 0)


class Hits:
    """How often each entry of the mirror served, by its key."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew, as a forked process must."""
        lock = threading.Lock()
        self._held: Callable[[], AbstractContextManager[object]] = lambda: lock
        self._counted: _Own | _Shared = _Own()
        self._since = time.monotonic()

    def share(self, path: Path) -> None:
        """Count in a file, with all other processes that do: each knows what all have counted."""
        file = SharedFile(path, _Shared.SIZE)
        self._held, self._counted = file.held, _Shared(file)

    def add(self, entry_id: int, hit: Hit) -> None:
        """Count a reading; what waits long enough is written, outside of the caller's work."""
        with self._held():
            self._counted.put(entry_id, hit)
            is_due = time.monotonic() - self._since > _WRITTEN_EVERY
            is_due = is_due or len(self._counted) >= _MOST_WAITING
        # Within a transaction it could be undone, and would hold its rows until the end.
        if is_due and not connection.in_atomic_block:
            self.write()

    def write(self) -> None:
        """Write what was counted; where the database refuses, it goes on counting."""
        with self._held():
            counted, self._since = dict(self._counted.items()), time.monotonic()
            self._counted.clear()
        if not counted:
            return
        adapt = connection.ops.adapt_datetimefield_value
        values = [(hit.times, *[adapt(hit.at)] * 3, key) for key, hit in sorted(counted.items())]
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.executemany(_WRITE, values)
        except DatabaseError:
            with self._held():
                for key, hit in counted.items():
                    self._counted.put(key, hit)

    def waiting(self) -> Counter[tuple[int, str]]:
        """Return what is not written yet: readings by account and resource."""
        with self._held():
            hits = [hit for _, hit in self._counted.items()]
        found: Counter[tuple[int, str]] = Counter()
        for hit in hits:
            found[hit.account_id, hit.resource] += hit.times
        return found


HITS = Hits()
os.register_at_fork(after_in_child=HITS.forget)
