"""Calendars as they are read: series expanded into instances, in one order, in bounded work."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import islice

from django.db.models import Q

from calendar_app.icalendar import read_stamp
from calendar_app.models import Event
from calendar_app.models.events import EventQuerySet
from calendar_app.operations.keeping import series_of, stamp_of
from calendar_app.operations.windows import (
    MOST_CHANGED,
    SERIES,
    Place,
    SeriesTimes,
    Window,
    changed_in,
    hidden_stamps,
    series_in,
    singles_in,
    times_of,
)
from calendar_app.packed_starts import to_moment, to_number
from calendar_app.recurrence import is_start
from inbox import ids

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

    What began before and still lasts belongs to it. A series is read as it was worked out before
    (`expansions`); outside of that time its rule is followed, in one query more. A rule that
    matches too seldom to be followed ends early rather than late.
    """
    window = Window(since, until)
    bare = rows.select_related(None).prefetch_related(None)
    read = series_in(bare, since=since, until=until).values_list(*SERIES)
    series = times_of(read, lambda: rows, window)
    first_stamp, last_stamp = window.stamps(series)
    of_series = changed_in(rows, since=since, until=until, first=first_stamp, last=last_stamp)
    changed = list(of_series.order_by("dtstart", "pk")[:MOST_CHANGED])
    single = singles_in(rows, since=since, until=until, earliest=window.earliest)
    single = single.order_by("dtstart", "pk")[:limit]
    inside = [event for event in changed if _overlaps(event, since, until)]
    known = {event.pk: event for event in single if _overlaps(event, since, until)}
    known |= {event.pk: event for event in inside}
    hidden = hidden_stamps((it.calendar_id, it.uid, it.recurrence_id) for it in changed)
    places = merge(sorted(map(_place, known.values())), *(one.places(hidden) for one in series))
    first = list(islice(places, limit))
    known |= {one.pk: one.event for one in series if one.event is not None}
    known |= _events_of(rows, {pk for _, pk, _ in first}, inside, series, known)
    masters = {(it.calendar_id, it.uid): it for it in known.values() if not it.recurrence_id}
    # What was deleted meanwhile is not there any more.
    return [_occurrence(known[place[1]], place, masters) for place in first if place[1] in known]


def _place(event: Event) -> Place:
    start = to_number(event.dtstart)
    return start, event.pk, to_number(event.dtend) - start


def _events_of(
    rows: EventQuerySet,
    shown: set[int],
    inside: list[Event],
    series: list[SeriesTimes],
    known: Mapping[int, Event],
) -> dict[int, Event]:
    """Return the series that are shown, or of which a changed instance is, and are not known."""
    named = {one.named: one.pk for one in series}
    wanted, lost = set(shown), set()
    for event in inside:
        key = named.get((event.calendar_id, event.uid))
        if event.pk in shown and key is not None:
            wanted.add(key)
        elif event.pk in shown:
            # It was moved to where its series is over, or has not begun.
            lost.add(event.uid)
    wanted -= known.keys()
    if not wanted and not lost:
        return {}
    found = rows.filter(Q(pk__in=wanted) | Q(uid__in=lost, recurrence_id=""))
    return {event.pk: event for event in found}


def _occurrence(event: Event, place: Place, masters: Mapping[tuple[int, str], Event]) -> Occurrence:
    if not event.recurs or event.recurrence_id:
        return _of_row(event, masters.get((event.calendar_id, event.uid)))
    start, _, lasts = place
    return Occurrence(event, to_moment(start), to_moment(start + lasts), event, to_moment(start))


def _overlaps(event: Event, since: datetime, until: datetime) -> bool:
    return event.dtstart < until and (event.dtend > since or event.dtstart >= since)
