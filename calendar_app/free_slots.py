"""When everybody has time: pure, in the working hours of a zone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from calendar_app.packed_starts import MICROSECOND, to_moment, to_number

STEP = timedelta(minutes=15) // MICROSECOND


@dataclass(frozen=True, slots=True)
class WorkingHours:
    """From when to when somebody works, on the clock of a zone; days as 0 for Monday."""

    zone: ZoneInfo
    start: time = time(9)
    end: time = time(17)
    days: frozenset[int] = frozenset(range(5))


def find_slots(
    busy: Iterable[tuple[int, int]],
    *,
    since: datetime,
    until: datetime,
    lasts: timedelta,
    hours: WorkingHours,
    limit: int,
) -> list[tuple[datetime, datetime]]:
    """Return the first slots that are free, one after the other, at quarters of an hour.

    A slot lies within the working hours of one day; after one that is taken the next quarter is
    tried at which it ends. What is taken is given in microseconds since 1970.
    """
    taken, needed = sorted(busy), lasts // MICROSECOND
    found: list[tuple[datetime, datetime]] = []
    place = 0
    for start, end in _working_times(since, until, hours):
        moment = _next_quarter(start)
        while moment + needed <= end and len(found) < limit:
            while place < len(taken) and taken[place][1] <= moment:
                place += 1
            hindrance = _hindrance(islice(taken, place, None), moment, moment + needed)
            if hindrance is None:
                found.append((to_moment(moment), to_moment(moment + needed)))
                moment = _next_quarter(moment + needed)
            else:
                moment = _next_quarter(hindrance)
    return found


def _hindrance(taken: Iterable[tuple[int, int]], start: int, end: int) -> int | None:
    """Return when the first thing ends that is in the way."""
    for begins, ends in taken:
        if begins >= end:
            return None
        if ends > start:
            return ends
    return None


def _working_times(
    since: datetime, until: datetime, hours: WorkingHours
) -> Iterator[tuple[int, int]]:
    day = since.astimezone(hours.zone).date()
    last = until.astimezone(hours.zone).date()
    while day <= last:
        if day.weekday() in hours.days:
            begins = datetime.combine(day, hours.start, hours.zone).astimezone(UTC)
            ends = datetime.combine(day, hours.end, hours.zone).astimezone(UTC)
            if max(begins, since) < min(ends, until):
                yield to_number(max(begins, since)), to_number(min(ends, until))
        day += timedelta(days=1)


def _next_quarter(moment: int) -> int:
    return -(-moment // STEP) * STEP
