"""How often a token may call: a bucket of calls for each, which fills again by the clock.

The buckets are this process's own: a limit that is for keeps belongs in front of the server.
"""

import math
import os
import threading
import time
from collections import OrderedDict

from django.conf import settings

from agents.errors import ToolError

# So many calls of the minute's may be made at once: a sixth.
_AT_ONCE = 6
_MOST_BUCKETS = 10_000


class Buckets:
    """The calls that each token may still make, by the digest of its text."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew, as a forked process must."""
        self._lock = threading.Lock()
        # How many calls are left, and as of when.
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def open(self, digest: str) -> None:
        """Count the calls of a token that is one from now on, this one included."""
        with self._lock:
            if digest in self._left:
                return
            self._left[digest] = (_size() - 1, time.monotonic())
            while len(self._left) > _MOST_BUCKETS:
                self._left.popitem(last=False)

    def spend(self, digest: str) -> None:
        """Take one call from a token's bucket; raises ToolError `rate_limited` where it is empty.

        Of what is no token nothing is known, so that nobody can crowd out those that are.
        """
        limit = settings.CALLS_PER_MINUTE
        if not limit:
            return
        with self._lock:
            if digest not in self._left:
                return
            left, since = self._left[digest]
            now = time.monotonic()
            left = min(_size(), left + (now - since) * limit / 60)
            is_enough = left >= 1
            self._left[digest] = (left - 1 if is_enough else left, now)
            self._left.move_to_end(digest)
        if not is_enough:
            wait = max(1, math.ceil((1 - left) * 60 / limit))
            raise ToolError(
                "rate_limited", f"The token may make {limit} calls a minute", {"retry_after": wait}
            )


def _size() -> float:
    return max(1.0, settings.CALLS_PER_MINUTE / _AT_ONCE)


BUCKETS = Buckets()
os.register_at_fork(after_in_child=BUCKETS.forget)
