"""Calendars as they are read: series expanded into instances, in one order, in bounded work."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice, takewhile

from django.db.models import Q

from calendar_app.icalendar import MAX_SPAN, read_stamp, write_stamp
from calendar_app.models import Event, EventStatus, Partstat, Transparency
from calendar_app.models.events import EventQuerySet
from calendar_app.operations.keeping import series_of, stamp_of
from calendar_app.recurrence import Budget, find_starts, is_start
from inbox import ids

# So many series are followed in one reading, and so many changed instances looked at.
MOST_SERIES = 2_000
MOST_CHANGED = 5_000
# So many events are looked at for the times that they take.
MOST_BUSY = 10_000
_EPOCH = datetime(1900, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time that something takes place.

    `event` is the row that says how: the event, the series, or the instance's own. `first_start`
    is what the series calls the instance by; None for what is no instance.
    """

    event: Event
    start: datetime
    end: datetime
    series: Event | None = None
    first_start: datetime | None = None

    @property
    def public_id(self) -> str:
        """Its id: an event's own, or one made of its series and what that calls it by."""
        if self.series is None or self.first_start is None:
            return self.event.public_id
        return instance_id(self.series, self.first_start)

    @property
    def recurrence_id(self) -> str:
        """How its series names it (RFC 5545 3.8.4.4); empty for what is no instance."""
        if self.series is None or self.first_start is None:
            return ""
        return stamp_of(self.series, self.first_start)


def instance_id(series: Event, first_start: datetime) -> str:
    """Return the id of an instance, the same wherever it was moved."""
    seconds = int((first_start - _EPOCH).total_seconds())
    return ids.encode(Event.ID_PREFIX, series.pk, seconds)


def find_occurrence(rows: EventQuerySet, public_id: str) -> Occurrence | None:
    """Return what this id names among the rows: an event, a series or an instance of one."""
    numbers = ids.decode(Event.ID_PREFIX, public_id)
    if numbers is None or len(numbers) > 2:
        return None
    event = rows.filter(pk=numbers[0]).first()
    if event is None:
        return None
    if len(numbers) == 1:
        return _of_row(event, _series_of_changed(rows, event))
    if not event.recurs or numbers[1] > 10**11:
        return None
    return _instance(rows, event, _EPOCH + timedelta(seconds=numbers[1]))


def _series_of_changed(rows: EventQuerySet, event: Event) -> Event | None:
    if not event.recurrence_id:
        return None
    of_uid = rows.filter(calendar_id=event.calendar_id, uid=event.uid, recurrence_id="")
    return of_uid.first()


def _instance(rows: EventQuerySet, series: Event, start: datetime) -> Occurrence | None:
    stamp = stamp_of(series, start)
    of_uid = rows.filter(calendar_id=series.calendar_id, uid=series.uid)
    changed = of_uid.filter(recurrence_id=stamp).first()
    if changed is not None:
        return _of_row(changed, series)
    if not is_start(series_of(series), start):
        return None
    return Occurrence(series, start, start + (series.dtend - series.dtstart), series, start)


def _of_row(event: Event, series: Event | None) -> Occurrence:
    first = read_stamp(event.recurrence_id) if event.recurrence_id else None
    return Occurrence(event, event.dtstart, event.dtend, series, first if series else None)


def find_said(account_id: int, uid: str, recurrence_id: str) -> Occurrence | None:
    """Return what a message is about by its UID and RECURRENCE-ID, as the calendar has it now."""
    rows = Event.objects.kept().filter(calendar__account_id=account_id, uid=uid)
    rows = rows.select_related("calendar__account")
    series = rows.filter(recurrence_id="").first()
    if series is not None and recurrence_id:
        return _instance(rows, series, read_stamp(recurrence_id))
    changed = rows.filter(recurrence_id=recurrence_id).first()
    event = series or changed
    return _of_row(event, None) if event else None


def list_occurrences(
    rows: EventQuerySet, *, since: datetime, until: datetime, limit: int
) -> list[Occurrence]:
    """Return what takes place between two times, by start, at most `limit`; in four queries.

    What began before and still lasts belongs to it. A rule that matches too seldom to be followed
    ends early rather than late.
    """
    overlapping = rows.filter(dtstart__lt=until).filter(
        Q(last_end__gte=since) | Q(last_end__isnull=True)
    )
    once = Q(rrule="", rdate=[])
    series = list(overlapping.exclude(once).filter(recurrence_id="").order_by("pk")[:MOST_SERIES])
    changed = _changed(rows, series, since, until)
    single = overlapping.filter(once, recurrence_id="").order_by("dtstart", "pk")
    streams: list[Iterable[Occurrence]] = [
        [_of_row(event, None) for event in single[:limit] if _overlaps(event, since, until)],
        _in_order(rows, changed, series, since, until),
    ]
    named = {(event.calendar_id, event.uid, event.recurrence_id) for event in changed}
    budget = Budget()
    streams += [_expand(event, named, since, until, budget) for event in series]
    found = merge(*streams, key=lambda one: (one.start, one.event.pk))
    return list(islice(found, limit))


def _changed(
    rows: EventQuerySet, series: list[Event], since: datetime, until: datetime
) -> list[Event]:
    """Return the changed instances that lie in the window, or whose place in the series does."""
    named = Q(
        uid__in=[event.uid for event in series],
        recurrence_id__gte=write_stamp(since - MAX_SPAN, all_day=True),
        recurrence_id__lte=write_stamp(until, all_day=False),
    )
    inside = Q(dtstart__lt=until, dtend__gte=since)
    found = rows.filter(recurrence_id__gt="").filter(named | inside)
    return list(found.order_by("dtstart", "pk")[:MOST_CHANGED])


def _in_order(
    rows: EventQuerySet,
    changed: list[Event],
    series: list[Event],
    since: datetime,
    until: datetime,
) -> list[Occurrence]:
    inside = [event for event in changed if _overlaps(event, since, until)]
    by_uid = {(event.calendar_id, event.uid): event for event in series}
    # An instance may have been moved to where its series is over, or has not begun.
    missing = {event.uid for event in inside if (event.calendar_id, event.uid) not in by_uid}
    for event in rows.filter(uid__in=missing, recurrence_id="") if missing else ():
        by_uid[event.calendar_id, event.uid] = event
    return [_of_row(event, by_uid.get((event.calendar_id, event.uid))) for event in inside]


def _overlaps(event: Event, since: datetime, until: datetime) -> bool:
    return event.dtstart < until and (event.dtend > since or event.dtstart >= since)


def _expand(
    event: Event,
    named: set[tuple[int, str, str]],
    since: datetime,
    until: datetime,
    budget: Budget,
) -> Iterator[Occurrence]:
    lasts = event.dtend - event.dtstart
    starts = find_starts(series_of(event), since - lasts, budget, until)
    for start in takewhile(lambda moment: moment < until, starts):
        if start + lasts <= since and start < since:
            continue
        if (event.calendar_id, event.uid, stamp_of(event, start)) not in named:
            yield Occurrence(event, start, start + lasts, event, start)


# -- busy times ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Busy:
    """A time that is taken; `is_tentative` where it is not certain."""

    start: datetime
    end: datetime
    is_tentative: bool = False


def list_busy(rows: EventQuerySet, *, since: datetime, until: datetime) -> dict[int, list[Busy]]:
    """Return the taken times between two times by the key of their account.

    They are cut to the window and in order; what touches is joined.
    """
    with_calendar = rows.select_related("calendar")
    by_account: dict[int, list[Busy]] = {}
    for one in list_occurrences(with_calendar, since=since, until=until, limit=MOST_BUSY):
        if _takes_time(one.event) and one.end > one.start:
            taken = Busy(
                max(one.start, since), min(one.end, until), is_tentative=_is_tentative(one.event)
            )
            by_account.setdefault(one.event.calendar.account_id, []).append(taken)
    return {
        account: sorted(
            [*_joined(found, is_tentative=False), *_joined(found, is_tentative=True)], key=_start
        )
        for account, found in by_account.items()
    }


def _takes_time(event: Event) -> bool:
    return (
        event.status != EventStatus.CANCELLED
        and event.transparency == Transparency.OPAQUE
        and event.partstat != Partstat.DECLINED
    )


def _is_tentative(event: Event) -> bool:
    return event.status == EventStatus.TENTATIVE and event.partstat != Partstat.ACCEPTED


def _joined(found: Iterable[Busy], *, is_tentative: bool) -> list[Busy]:
    joined: list[Busy] = []
    for one in sorted((it for it in found if it.is_tentative == is_tentative), key=_start):
        if joined and one.start <= joined[-1].end:
            end = max(joined[-1].end, one.end)
            joined[-1] = Busy(joined[-1].start, end, is_tentative)
        else:
            joined.append(one)
    return joined


def _start(one: Busy) -> datetime:
    return one.start


def availability_view(
    busy: Iterable[Busy], *, since: datetime, until: datetime, step: timedelta
) -> str:
    """Return a digit for each interval, as Microsoft Graph does: 0 free, 1 tentative, 2 busy."""
    intervals = -((since - until) // step)
    digits = ["0"] * intervals
    for one in sorted(busy, key=lambda it: not it.is_tentative):
        first = max((one.start - since) // step, 0)
        for place in range(first, min(-((since - one.end) // step), intervals)):
            digits[place] = "1" if one.is_tentative else "2"
    return "".join(digits)
