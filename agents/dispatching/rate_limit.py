"""How often a token may call: a bucket of calls for each, which fills again by the clock.

The buckets are this process's own, or those of all web processes of one `manage.py up`: a limit
that is for keeps belongs in front of the server.
"""

import math
import os
import struct
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

from django.conf import settings

from agents.errors import ToolError
from inbox.background.shared_files import SharedFile

# So many calls of the minute's may be made at once: a sixth.
_AT_ONCE = 6
_MOST_BUCKETS = 10_000
# How many calls are left, and as of when, by the monotonic clock.
Left: TypeAlias = tuple[float, float]
# One in a file: the first half of a digest, what is left and as of when.
_ROW = struct.Struct("=16sdd")
# A digest stands at its place in the file or at one of those behind it.
_PLACES, _BEHIND = 16_384, 8


class _Own(OrderedDict[str, Left]):
    """The buckets of this process."""

    def put(self, digest: str, left: Left) -> None:
        """Note how a bucket stands; of too many, the one goes that was not used for longest."""
        self[digest] = left
        self.move_to_end(digest)
        while len(self) > _MOST_BUCKETS:
            self.popitem(last=False)


class _Shared:
    """The buckets of several processes, in memory that they share."""

    def __init__(self, file: SharedFile) -> None:
        self._memory = file.memory

    def get(self, digest: str) -> Left | None:
        """Return how a bucket stands."""
        key = bytes.fromhex(digest)[:16]
        for place in self._places(key):
            found, left, since = _ROW.unpack_from(self._memory, place)
            if found == key:
                return left, since
        return None

    def put(self, digest: str, left: Left) -> None:
        """Note how a bucket stands; where there is no room, in that of one that is not used."""
        key = bytes.fromhex(digest)[:16]
        rows = [(place, *_ROW.unpack_from(self._memory, place)) for place in self._places(key)]
        # Its own, else the one that was used first: a place without a bucket was at no time.
        place = min(rows, key=lambda row: (row[1] != key, row[3]))[0]
        _ROW.pack_into(self._memory, place, key, *left)

    def _places(self, key: bytes) -> list[int]:
        first = int.from_bytes(key[:8], "big")
        return [(first + step) % _PLACES * _ROW.size for step in range(_BEHIND)]


class Buckets:
    """The calls that each token may still make, by the digest of its text."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew, as a forked process must."""
        lock = threading.Lock()
        self._held: Callable[[], AbstractContextManager[object]] = lambda: lock
        self._left: _Own | _Shared = _Own()

    def share(self, path: Path) -> None:
        """Have the buckets in a file, with all other processes that do."""
        file = SharedFile(path, _PLACES * _ROW.size)
        self._held, self._left = file.held, _Shared(file)

    def open(self, digest: str) -> None:
        """Count the calls of a token that is one from now on, this one included."""
        with self._held():
            if self._left.get(digest) is None:
                self._left.put(digest, (_size() - 1, time.monotonic()))

    def spend(self, digest: str) -> None:
        """Take one call from a token's bucket; raises ToolError `rate_limited` where it is empty.

        Of what is no token nothing is known, so that nobody can crowd out those that are.
        """
        limit = settings.CALLS_PER_MINUTE
        if not limit:
            return
        with self._held():
            found = self._left.get(digest)
            if found is None:
                return
            left, since = found
            now = time.monotonic()
            left = min(_size(), left + (now - since) * limit / 60)
            is_enough = left >= 1
            self._left.put(digest, (left - 1 if is_enough else left, now))
        if not is_enough:
            wait = max(1, math.ceil((1 - left) * 60 / limit))
            raise ToolError(
                "rate_limited", f"The token may make {limit} calls a minute", {"retry_after": wait}
            )


def _size() -> float:
    return max(1.0, settings.CALLS_PER_MINUTE / _AT_ONCE)


BUCKETS = Buckets()
os.register_at_fork(after_in_child=BUCKETS.forget)
