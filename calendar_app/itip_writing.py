"""iTIP messages and calendars as they leave (RFC 5546, RFC 5545), to be read back. No Django."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from icalendar import Calendar, Event, Timezone, vCalAddress, vDuration, vRecur, vText

from calendar_app.icalendar import Invitee, ItipEvent, ItipMessage, read_stamp
from inbox.rfc5322.text.unicode_text import clean, clean_line

PRODID = "-//Chancery//Calendar//EN"
# A zone's changes are written out for so many years after the start of a series without an end.
_YEARS_OF_ZONE = 12


def write_itip(message: ItipMessage) -> str:
    """Return the message as a VCALENDAR with CRLF and folded lines; the same gives the same.

    Without a METHOD it is a calendar as files hold them.
    """
    calendar = _calendar()
    if message.method:
        calendar.add("method", message.method)
    return _write(calendar, message.events)


def write_published(
    events: Iterable[ItipEvent], *, name: str, refresh: timedelta, zones_until: datetime
) -> str:
    """Return a calendar that is read again and again, as `write_itip` does (RFC 7986).

    `refresh` is how often readers are to come; the changes of its zones are written out beyond
    `zones_until` at least, however long ago its series began.
    """
    calendar = _calendar()
    plain_name = vText(clean_line(name)[0])
    for key in ("x-wr-calname", "name"):
        calendar.add(key, plain_name)
    calendar.add("refresh-interval", refresh, parameters={"VALUE": "DURATION"})
    # What others read in its place.
    calendar.add("x-published-ttl", vDuration(refresh))
    return _write(calendar, tuple(events), zones_until)


def _calendar() -> Calendar:
    calendar = Calendar()
    calendar.add("prodid", PRODID)
    calendar.add("version", "2.0")
    return calendar


def _write(
    calendar: Calendar, events: Iterable[ItipEvent], zones_until: datetime | None = None
) -> str:
    for zone in _zones(events, zones_until):
        calendar.add_component(zone)
    for event in events:
        calendar.add_component(_event(event))
    content: bytes = calendar.to_ical(sorted=False)
    return content.decode()


def _zones(events: Iterable[ItipEvent], until: datetime | None) -> list[Timezone]:
    starts: dict[str, list[datetime]] = {}
    for event in events:
        if event.start is not None and event.timezone and not event.all_day:
            starts.setdefault(event.timezone, []).append(event.start)
    also = [until] if until else []
    return [_zone(name, [*moments, *also]) for name, moments in sorted(starts.items())]


def _zone(name: str, moments: list[datetime]) -> Timezone:
    made = Timezone.from_tzid(
        name,
        first_date=date(min(moments).year, 1, 1),
        last_date=date(max(moments).year + _YEARS_OF_ZONE, 1, 1),
    )
    parts: list[Any] = list(made.subcomponents)
    for part in parts:
        # RFC 5545 3.6.5: an onset stands on the clock that it ends; the library has the one after.
        skipped = part["TZOFFSETTO"].td - part["TZOFFSETFROM"].td
        if skipped > timedelta():
            for onset in [part["DTSTART"], *(part["RDATE"].dts if "RDATE" in part else ())]:
                onset.dt -= skipped
    return made


def _event(event: ItipEvent) -> Event:
    made = Event()
    made.add("uid", event.uid)
    made.add("dtstamp", event.dtstamp or datetime.now(UTC))
    made.add("sequence", event.sequence)
    if event.recurrence_id:
        made.add("recurrence-id", _time(event, read_stamp(event.recurrence_id)))
    if event.start is not None and event.end is not None:
        made.add("dtstart", _time(event, event.start))
        made.add("dtend", _time(event, event.end))
    _add_recurrence(made, event)
    _add_texts(made, event)
    if event.organizer is not None:
        made.add("organizer", _calendar_address(event.organizer))
    for attendee in event.attendees:
        made.add("attendee", _attendee(attendee))
    return made


def _add_recurrence(made: Event, event: ItipEvent) -> None:
    if event.rrule:
        made.add("rrule", vRecur.from_ical(event.rrule))
    for name, stamps in (("rdate", event.rdate), ("exdate", event.exdate)):
        if stamps:
            made.add(name, [_time(event, read_stamp(stamp)) for stamp in stamps])


def _add_texts(made: Event, event: ItipEvent) -> None:
    # An empty SUMMARY is said as well: it takes away the one before.
    made.add("summary", clean_line(event.summary)[0])
    if event.description:
        made.add("description", clean(event.description)[0])
    if event.comment:
        made.add("comment", clean(event.comment)[0])
    if event.location:
        made.add("location", clean_line(event.location)[0])
    if event.status:
        made.add("status", event.status.upper())
    if event.is_transparent:
        made.add("transp", "TRANSPARENT")


def _time(event: ItipEvent, moment: datetime) -> date | datetime:
    """Return an instant as the event writes its times: a day, on its zone's clock, or in UTC."""
    if event.all_day:
        return moment.date()
    return moment.astimezone(ZoneInfo(event.timezone)) if event.timezone else moment


def _calendar_address(person: Invitee) -> Any:
    address = vCalAddress(f"mailto:{person.email}")
    # RFC 6868 has words for a quote, but not every reader knows them.
    name = clean_line(person.name)[0].replace('"', "'")
    if name:
        address.params["CN"] = name
    return address


def _attendee(person: Invitee) -> Any:
    address = _calendar_address(person)
    address.params["ROLE"] = person.role.upper()
    address.params["PARTSTAT"] = person.partstat.upper()
    if person.rsvp:
        address.params["RSVP"] = "TRUE"
    return address
