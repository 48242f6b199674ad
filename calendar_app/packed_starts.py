"""The starts of a series as bytes: worked out once, and cut to any window without being read whole.

No Django. Times are microseconds since 1970 in UTC: first how long an instance lasts, then the
starts in order, each in eight bytes, the lowest first.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def to_number(moment: datetime) -> int:
    """Return a time as microseconds since 1970."""
    return (moment - EPOCH) // MICROSECOND


def to_moment(number: int) -> datetime:
    """Return the time that so many microseconds since 1970 are."""
    return EPOCH + timedelta(microseconds=number)


# The times of two months at quarters of an hour are asked for again and again.
@lru_cache(maxsize=8192)
def to_text(number: int) -> str:
    """Return what a clock in UTC shows then, as ISO 8601 writes it, without an offset."""
    return to_moment(number).replace(tzinfo=None).isoformat()


def pack(lasts: timedelta, starts: Iterable[datetime]) -> bytes:
    """Return the starts of a series, given in order, as bytes."""
    numbers = array("q", [lasts // MICROSECOND, *map(to_number, starts)])
    return _from_lowest(numbers).tobytes()


def between(packed: bytes, since: int, until: int) -> tuple[int, list[int]]:
    """Return how long each lasts, and the starts of those that take place in a window.

    What began before and still lasts belongs to it.
    """
    numbers = _unpacked(packed)
    lasts = numbers[0]
    # What lasts no time at all takes place where it starts.
    first = bisect_right(numbers, since - lasts, 1) if lasts else bisect_left(numbers, since, 1)
    return lasts, numbers[first : bisect_left(numbers, until, first)].tolist()


def _unpacked(packed: bytes) -> "memoryview[int]":
    """Return the numbers in these bytes, which are not copied where they lie as they are kept."""
    if sys.byteorder == "little":
        return memoryview(packed).cast("q")
    return memoryview(_from_lowest(array("q", bytes(packed))))


def _from_lowest(numbers: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
