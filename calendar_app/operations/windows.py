"""What is in a window of calendars: the rows that may take place in it, and when."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias

from django.db.models import BinaryField, Case, CharField, ExpressionWrapper, F, Q, When
from django.db.models.functions import Coalesce

from calendar_app.icalendar import write_stamp
from calendar_app.models import Event
from calendar_app.models.events import LONG, EventQuerySet
from calendar_app.operations.keeping import series_of
from calendar_app.packed_starts import EPOCH, MICROSECOND, between, to_moment, to_number
from calendar_app.recurrence import FIRST_YEAR, Budget, find_starts

# So many series are read at once, and so many changed instances looked at.
MOST_SERIES = 2_000
MOST_CHANGED = 5_000
# No series is from before the first, and nothing can be before the second.
_BEGINNING, _FIRST = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC), datetime.min.replace(tzinfo=UTC)
_EPOCH_WITHOUT_ZONE = EPOCH.replace(tzinfo=None)
# The columns of a series that `SeriesTimes` is made of; others may follow.
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
    """When a series takes place in a window, in microseconds; `row` is what was read of it."""

    row: tuple[Any, ...]
    lasts: int
    starts: Iterable[int]
    # The event itself, where its starts were not worked out before.
    event: Event | None

    @property
    def pk(self) -> int:
        """The key of the event."""
        return int(self.row[0])

    @property
    def named(self) -> tuple[int, str]:
        """Its calendar and its UID."""
        return self.row[1], self.row[2]

    def places(self, hidden: Hidden) -> Iterator[Place]:
        """Yield where its instances stand but for those that have a row of their own."""
        pk, lasts = self.pk, self.lasts
        for start in self.starts_without(hidden):
            yield start, pk, lasts

    def starts_without(self, hidden: Hidden) -> Iterable[int]:
        """Return its starts but for those of instances that have a row of their own."""
        stamps = hidden.get(self.named)
        all_day, recurs = self.row[3:5]
        # What only lasts long has no instances.
        if stamps is None or not recurs:
            return self.starts
        return [
            start
            for start in self.starts
            if write_stamp(to_moment(start), all_day=bool(all_day)) not in stamps
        ]


def as_stored(expression: F | Q) -> ExpressionWrapper[Any]:
    """Return it as the database gives it, without a word of Django's for each of many rows."""
    return ExpressionWrapper(expression, CharField())


def time_as_stored(name: str) -> Coalesce:
    """Return a column of times as the database gives it: SQLite as text, which nobody reads yet."""
    return Coalesce(F(name), F(name), output_field=CharField())


def number_of(stored: datetime | str) -> int:
    """Return a time that was read by `time_as_stored`, in microseconds; SQLite keeps no zone."""
    if isinstance(stored, str):
        stored = datetime.fromisoformat(stored)
    return (stored - (EPOCH if stored.tzinfo else _EPOCH_WITHOUT_ZONE)) // MICROSECOND


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
    """Return when series take place that were read as `SERIES`.

    Those that were not worked out before are read whole from the rows, and their rules followed.
    """
    first, last = to_number(window.since), to_number(window.until)
    found, unknown = [], {}
    for row in read:
        known = row[5]
        if known is None:
            unknown[row[0]] = row
        else:
            lasts, starts = between(known, first, last)
            found.append(SeriesTimes(row, lasts, starts, None))
    return [*found, *_followed(unknown, rows, window)] if unknown else found


def _followed(
    read: dict[int, tuple[Any, ...]], rows: Callable[[], EventQuerySet], window: Window
) -> Iterator[SeriesTimes]:
    budget = Budget()
    events = {event.pk: event for event in rows().filter(pk__in=read)}
    for pk, row in read.items():
        event = events.get(pk)
        # Else it was deleted meanwhile.
        if event is not None:
            lasts = (event.dtend - event.dtstart) // MICROSECOND
            starts = _follow(event, window, budget)
            yield SeriesTimes(row, lasts, starts, event)


def _follow(event: Event, window: Window, budget: Budget) -> Iterator[int]:
    lasts = event.dtend - event.dtstart
    starts = find_starts(series_of(event), window.before(lasts), budget, window.until)
    for start in takewhile(lambda moment: moment < window.until, starts):
        if start + lasts > window.since or start >= window.since:
            yield to_number(start)
