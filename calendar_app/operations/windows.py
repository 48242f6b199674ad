"""What is in a window of calendars: the rows that may take place in it, and when."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias

from django.db.models import BinaryField, Case, CharField, ExpressionWrapper, F, Q, When

from calendar_app.icalendar import write_stamp
from calendar_app.models import Event
from calendar_app.models.events import LONG, EventQuerySet
from calendar_app.operations.keeping import series_of
from calendar_app.packed_starts import MICROSECOND, between, to_moment, to_number
from calendar_app.recurrence import FIRST_YEAR, Budget, find_starts

# So many series are read at once, and so many changed instances looked at.
MOST_SERIES = 2_000
MOST_CHANGED = 5_000
# No series is from before the first, and nothing can be before the second.
_BEGINNING, _FIRST = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC), datetime.min.replace(tzinfo=UTC)
# The columns of a series that `times_of` reads; others may follow.
SERIES = ("pk", "calendar_id", "uid", "is_all_day", "recurring", "known")

# What series call their changed instances, by calendar and UID.
Hidden: TypeAlias = Mapping[tuple[int, str], Container[str]]
# A start and how long it lasts, in microseconds, around the key of the row that says how.
Place: TypeAlias = tuple[int, int, int]


class Window(NamedTuple):
    """A stretch of time that is asked for."""

    since: datetime
    until: datetime

    @property
    def earliest(self) -> datetime:
        """Before then nothing began that still goes on, takes place once, and is not long."""
        return self.since - min(LONG + timedelta(minutes=1), self.since - _FIRST)

    def stamps(self, series: Iterable["SeriesTimes"]) -> tuple[str, str]:
        """Return the first and the last name of instances of these series that are in it."""
        longest = timedelta(microseconds=max((one.lasts for one in series), default=0))
        first = write_stamp(self.before(longest), all_day=True)
        return first, write_stamp(self.until, all_day=False)

    def before(self, lasts: timedelta) -> datetime:
        """Return so long before it begins, or when nothing began yet."""
        return self.since - min(lasts, self.since - _BEGINNING)


class SeriesTimes(NamedTuple):
    """When a series takes place in a window, in microseconds; `more` is what was asked for."""

    pk: int
    calendar_id: int
    uid: str
    all_day: int
    # Whether it is one; what only lasts long has no instances.
    recurs: int
    lasts: int
    starts: Iterable[int]
    # Its row, where it was not worked out before.
    event: Event | None
    more: tuple[Any, ...]

    def places(self, hidden: Hidden) -> Iterator[Place]:
        """Yield where its instances stand but for those that have a row of their own."""
        for start in self.starts_without(hidden):
            yield start, self.pk, self.lasts

    def starts_without(self, hidden: Hidden) -> Iterable[int]:
        """Return its starts but for those of instances that have a row of their own."""
        stamps = hidden.get((self.calendar_id, self.uid)) if hidden else None
        if stamps is None or not self.recurs:
            return self.starts
        return [
            start
            for start in self.starts
            if write_stamp(to_moment(start), all_day=bool(self.all_day)) not in stamps
        ]


def as_stored(expression: F | Q) -> ExpressionWrapper[Any]:
    """Return it as the database gives it, without a word of Django's for each of many rows."""
    return ExpressionWrapper(expression, CharField())


def number_of(stored: datetime) -> int:
    """Return a time that was read as it is stored, in microseconds; SQLite keeps no zone."""
    return to_number(stored if stored.tzinfo else stored.replace(tzinfo=UTC))


def series_in(rows: EventQuerySet, *, since: datetime, until: datetime) -> EventQuerySet:
    """Return the series that may take place in a window, and what is long and does.

    `known` are their starts, where they were worked out before.
    """
    is_known = When(
        expansion__since__lte=since, expansion__until__gte=until, then=F("expansion__starts")
    )
    told = rows.annotate(
        known=Case(is_known, default=None, output_field=BinaryField()),
        is_all_day=as_stored(F("all_day")),
        recurring=as_stored(Q(rrule__gt="") | ~Q(rdate=[])),
    )
    lasts = Q(last_end__gte=since) | Q(last_end__isnull=True)
    # What has a row there is a series, or is long.
    recurs = Q(expansion__calendar_id=F("calendar_id"))
    return told.filter(recurs, lasts, dtstart__lt=until)[:MOST_SERIES]


def singles_in(
    rows: EventQuerySet, *, since: datetime, until: datetime, earliest: datetime
) -> EventQuerySet:
    """Return what takes place once in a window, and is not long."""
    began = Q(dtstart__gte=earliest, dtstart__lt=until)
    return rows.filter(began, dtend__gte=since, recurrence_id="", expansion=None)


def changed_in(
    rows: EventQuerySet, *, since: datetime, until: datetime, first: str, last: str
) -> EventQuerySet:
    """Return the changed instances that lie in a window, or whose place in their series does."""
    named = Q(recurrence_id__gte=first, recurrence_id__lte=last)
    inside = Q(dtstart__lt=until, dtend__gte=since)
    return rows.filter(named | inside, recurrence_id__gt="")


def hidden_stamps(changed: Iterable[tuple[int, str, str]]) -> Hidden:
    """Return what series call their changed instances, by calendar and UID."""
    found: dict[tuple[int, str], set[str]] = {}
    for calendar_id, uid, stamp in changed:
        found.setdefault((calendar_id, uid), set()).add(stamp)
    return found


def times_of(
    read: Iterable[tuple[Any, ...]], rows: Callable[[], EventQuerySet], window: Window
) -> list[SeriesTimes]:
    """Return when series take place that were read as `SERIES`, and what followed these columns.

    Those that were not worked out before are read whole from the rows, and their rules followed.
    """
    read = list(read)
    unknown = [row[0] for row in read if row[5] is None]
    followed = {event.pk: event for event in rows().filter(pk__in=unknown)} if unknown else {}
    first, last, budget = to_number(window.since), to_number(window.until), Budget()
    found = []
    starts: Iterable[int]
    for pk, calendar_id, uid, all_day, recurs, known, *more in read:
        event = followed.get(pk)
        if known is not None:
            lasts, starts = between(known, first, last)
        elif event is not None:
            lasts = (event.dtend - event.dtstart) // MICROSECOND
            starts = _follow(event, window, budget)
        else:
            # It was deleted meanwhile.
            continue
        found.append(
            SeriesTimes(pk, calendar_id, uid, all_day, recurs, lasts, starts, event, tuple(more))
        )
    return found


def _follow(event: Event, window: Window, budget: Budget) -> Iterator[int]:
    lasts = event.dtend - event.dtstart
    starts = find_starts(series_of(event), window.before(lasts), budget, window.until)
    for start in takewhile(lambda moment: moment < window.until, starts):
        if start + lasts > window.since or start >= window.since:
            yield to_number(start)
