"""What the calendar's pages show: days, each with what takes place on it, in the reader's zone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from calendar_app.models import Calendar, Event
from calendar_app.operations.occurrences import Occurrence, list_occurrences
from inbox.viewer import Viewer

# So many are shown of one period; so many of one day of a month, before it says how many more.
MOST = 500
MOST_OF_A_DAY = 4
VIEWS = ("day", "week", "month", "agenda")
FIRST_HOUR, LAST_HOUR = 7, 20
_AGENDA_DAYS = 28


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of days; `last` is the day after it."""

    view: str
    first: date
    last: date
    anchor: date

    @property
    def days(self) -> list[date]:
        """Its days in order."""
        return [self.first + timedelta(at) for at in range((self.last - self.first).days)]

    @property
    def before(self) -> date:
        """A day of the period before."""
        return self.first - timedelta(1) if self.view != "agenda" else self._moved(-_AGENDA_DAYS)

    @property
    def after(self) -> date:
        """A day of the next period."""
        if self.view == "month":
            return (self.anchor.replace(day=28) + timedelta(4)).replace(day=1)
        return self.last

    def _moved(self, days: int) -> date:
        return self.first + timedelta(days)


@dataclass(frozen=True, slots=True)
class Entry:
    """Something on a day, as its row says it."""

    occurrence: Occurrence
    starts: str
    ends: str
    is_all_day: bool
    goes_on: bool

    @property
    def until(self) -> str:
        """When it ends, where that is another time than its start."""
        return "" if self.ends == self.starts else self.ends

    @property
    def event(self) -> Event:
        """The row."""
        return self.occurrence.event


@dataclass(frozen=True, slots=True)
class Day:
    """A day with what is on it; `is_outside`: of the month before or after."""

    date: date
    entries: tuple[Entry, ...]
    is_today: bool
    is_outside: bool

    @property
    def shown(self) -> tuple[Entry, ...]:
        """The first of them, for a small square."""
        return self.entries[:MOST_OF_A_DAY]

    @property
    def more(self) -> int:
        """How many a small square leaves out."""
        return max(len(self.entries) - MOST_OF_A_DAY, 0)


def period_of(view: str, day: date) -> Period:
    """Return the week, the month in whole weeks, or the four weeks that a day is in or begins."""
    monday = day - timedelta(day.weekday())
    if view == "agenda":
        return Period(view, day, day + timedelta(_AGENDA_DAYS), day)
    if view == "day":
        return Period(view, day, day + timedelta(1), day)
    if view == "month":
        first = day.replace(day=1)
        following = (first + timedelta(32)).replace(day=1)
        begin = first - timedelta(first.weekday())
        end = following + timedelta(-following.weekday() % 7)
        return Period(view, begin, end, first)
    return Period(view, monday, monday + timedelta(7), day)


def read_calendars(viewer: Viewer) -> list[Calendar]:
    """Return the calendars of the viewer's accounts."""
    rows = Calendar.objects.visible_to(viewer.actor).kept().select_related("account")
    return list(rows.order_by("account__address", "-is_default", "name")[:MOST])


def read_days(
    viewer: Viewer, period: Period, zone: tzinfo, today: date, account_id: int | None = None
) -> tuple[list[Day], bool]:
    """Return the days of a period, and whether more takes place in it than they show.

    In as many queries as one reading of occurrences takes.
    """
    rows = Event.objects.visible_to(viewer.actor).kept().select_related("calendar__account")
    if account_id is not None:
        rows = rows.filter(calendar__account_id=account_id)
    # A whole day is kept as midnight of it in UTC, wherever the reader is.
    since = datetime.combine(period.first, time(), zone).astimezone(UTC) - timedelta(days=1)
    until = datetime.combine(period.last, time(), zone).astimezone(UTC) + timedelta(days=1)
    found = list_occurrences(rows, since=since, until=until, limit=MOST + 1)
    by_day = _by_day(found[:MOST], zone, period)
    days = [
        Day(
            day,
            tuple(by_day.get(day, ())),
            is_today=day == today,
            is_outside=period.view == "month" and day.month != period.anchor.month,
        )
        for day in period.days
    ]
    return days, len(found) > MOST


@dataclass(frozen=True, slots=True)
class Hour:
    """An hour of the clock, with what starts in it on each of the days."""

    name: str
    cells: tuple[tuple[date, tuple[Entry, ...]], ...]


def by_hours(days: Sequence[Day]) -> list[Hour]:
    """Return the hours of a working day, and those before and after in which something starts."""
    starts: dict[tuple[int, date], list[Entry]] = {}
    for day in days:
        for entry in day.entries:
            if not entry.is_all_day and entry.starts:
                starts.setdefault((int(entry.starts[:2]), day.date), []).append(entry)
    hours = {*range(FIRST_HOUR, LAST_HOUR), *(hour for hour, _day in starts)}
    return [
        Hour(
            f"{hour:02}:00",
            tuple((day.date, tuple(starts.get((hour, day.date), ()))) for day in days),
        )
        for hour in range(min(hours), max(hours) + 1)
    ]


def of_whole_days(days: Sequence[Day]) -> list[tuple[date, tuple[Entry, ...]]]:
    """Return what lasts whole days, or goes on from the day before, by the day."""
    return [
        (day.date, tuple(one for one in day.entries if one.is_all_day or not one.starts))
        for day in days
    ]


def read_whole_days(one: Occurrence) -> tuple[date, date]:
    """Return the first and the last day of what lasts whole days: iCalendar names the day after."""
    return one.start.date(), _last_day(one.start, one.end)


def _last_day(start: datetime, end: datetime) -> date:
    return (end - timedelta(microseconds=1)).date() if end > start else start.date()


def _by_day(found: Sequence[Occurrence], zone: tzinfo, period: Period) -> dict[date, list[Entry]]:
    by_day: dict[date, list[Entry]] = {}
    for one in found:
        whole = one.event.all_day
        start = one.start if whole else one.start.astimezone(zone)
        end = one.end if whole else one.end.astimezone(zone)
        last = _last_day(start, end)
        day = max(start.date(), period.first)
        while day <= min(last, period.last):
            entry = Entry(
                one,
                starts=f"{start:%H:%M}" if start.date() == day else "",
                ends=f"{end:%H:%M}" if last == day else "",
                is_all_day=whole,
                goes_on=start.date() < day,
            )
            by_day.setdefault(day, []).append(entry)
            day += timedelta(1)
    for entries in by_day.values():
        entries.sort(key=lambda entry: (not entry.is_all_day, entry.occurrence.start))
    return by_day
