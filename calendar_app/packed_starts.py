"""The starts of a series as bytes: worked out once, and cut to any window without being read whole.

No Django. Times are microseconds since 1970 in UTC: first how long an instance lasts, then the
starts in order, each in eight bytes, the lowest first.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def to_number(moment: datetime) -> int:
    """Return a time as microseconds since 1970."""
    return (moment - EPOCH) // MICROSECOND


def to_moment(number: int) -> datetime:
    """Return the time that so many microseconds since 1970 are."""
    return EPOCH + timedelta(microseconds=number)


def pack(lasts: timedelta, starts: Iterable[datetime]) -> bytes:
    """Return the starts of a series, given in order, as bytes."""
    numbers = array("q", [lasts // MICROSECOND, *map(to_number, starts)])
    return _from_lowest(numbers).tobytes()


def between(packed: bytes, since: int, until: int) -> tuple[int, list[int]]:
    """Return how long each lasts, and the starts of those that take place in a window.

    What began before and still lasts belongs to it.
    """
    numbers = array("q")
    numbers.frombytes(packed)
    numbers = _from_lowest(numbers)
    lasts = numbers[0]
    # What lasts no time at all takes place where it starts.
    first = bisect_right(numbers, since - lasts, 1) if lasts else bisect_left(numbers, since, 1)
    return lasts, numbers[first : bisect_left(numbers, until, first)].tolist()


def _from_lowest(numbers: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
