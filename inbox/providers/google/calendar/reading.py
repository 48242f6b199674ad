"""Events as Google Calendar has them, as iCalendar of one UID. Pure; what comes in is hostile."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, TypeAlias

from inbox.formats.calendar_lines import Moment, make_line, text_line
from inbox.formats.content_lines import Block, write_blocks
from inbox.html import sanitise
from inbox.providers.http.json_values import object_of, objects_of, text_of

EventJson: TypeAlias = Mapping[str, Any]
CANCELLED = "cancelled"
_RECURRENCE = re.compile(r"(?:RRULE|EXRULE|RDATE|EXDATE)[:;][\x21-\x7e]{1,4000}", re.IGNORECASE)
_ADDRESS = re.compile(r"[^\s<>:;,\"]{1,250}@[^\s<>:;,\"]{1,250}")
_MARKUP = re.compile(
    r"</?(?:a|b|br|div|html-blob|i|li|ol|p|span|strong|u|ul)\b[^<>]*>", re.IGNORECASE
)
PARTSTATS = {
    "needsAction": "NEEDS-ACTION", "declined": "DECLINED", "tentative": "TENTATIVE",
    "accepted": "ACCEPTED",
}  # fmt: skip
_CLASSES = {"private": "PRIVATE", "confidential": "CONFIDENTIAL"}
# A private property of an event: whom we added as its guest because Google wanted them in it.
OWNER_ADDED = "chanceryOwnerAdded"
_MOST_GUESTS = 2_000
_MOST_RULES = 500


def is_cancelled(event: EventJson) -> bool:
    """Return True for an event that is gone, or an instance that was called off."""
    return text_of(event, "status") == CANCELLED


def series_id(event: EventJson) -> str:
    """Return the id of the series that an event is an instance of, or its own."""
    return text_of(event, "recurringEventId") or text_of(event, "id")


def write_calendar(events: Sequence[EventJson]) -> bytes:
    """Return a series with its changed instances, or a single event, as a calendar.

    An instance that was called off is an EXDATE of its series. Raises ValueError where an event has
    no time that can be read.
    """
    instances = [one for one in events if text_of(one, "recurringEventId")]
    off = [one for one in instances if is_cancelled(one)]
    changed = sorted(
        (moment_of(object_of(one, "originalStartTime")).instant, text_of(one, "id"), place)
        for place, one in enumerate(instances)
        if not is_cancelled(one)
    )
    series = [one for one in events if not text_of(one, "recurringEventId")]
    blocks: list[str | Block] = ["VERSION:2.0", "PRODID:-//Chancery//Google Calendar//EN"]
    blocks += [_event(one, _exdates(one, off)) for one in series]
    blocks += [_event(instances[place], []) for _start, _id, place in changed]
    return write_blocks([Block("VCALENDAR", blocks)]).encode("utf-8", "replace")


def moment_of(time: Mapping[str, Any]) -> Moment:
    """Return a time; raises ValueError where it is none."""
    if day := text_of(time, "date"):
        return Moment.of_day(date.fromisoformat(day))
    instant = datetime.fromisoformat(text_of(time, "dateTime"))
    if instant.tzinfo is None:
        raise ValueError("a time without its distance from UTC")
    return Moment.of_instant(instant, text_of(time, "timeZone"))


def recurrence_of(event: EventJson) -> list[str]:
    """Return the lines that say when a series takes place."""
    value = event.get("recurrence")
    lines = value[:_MOST_RULES] if isinstance(value, list) else []
    return [one for one in lines if isinstance(one, str) and _RECURRENCE.fullmatch(one)]


def _exdates(series: EventJson, off: Iterable[EventJson]) -> list[str]:
    """Return the lines of the instances that were called off, in the manner of the series."""
    start = moment_of(object_of(series, "start"))
    found = []
    for one in off:
        original = moment_of(object_of(one, "originalStartTime"))
        if not start.is_day:
            original = Moment.of_instant(original.instant, start.zone)
        found.append(original.line("EXDATE"))
    return sorted(set(found) - set(recurrence_of(series)))


def _event(event: EventJson, exdates: list[str]) -> Block:
    lines = [
        *text_line("UID", _one_line(text_of(event, "iCalUID")) or text_of(event, "id")),
        *_stamp("DTSTAMP", text_of(event, "updated")),
        *_stamp("CREATED", text_of(event, "created")),
        *_sequence(event),
        *_times(event),
        *recurrence_of(event),
        *exdates,
        *text_line("SUMMARY", _one_line(text_of(event, "summary"))),
        *text_line("DESCRIPTION", description_of(event)),
        *text_line("LOCATION", _one_line(text_of(event, "location"))),
        "STATUS:TENTATIVE" if text_of(event, "status") == "tentative" else "STATUS:CONFIRMED",
        *(["TRANSP:TRANSPARENT"] if text_of(event, "transparency") == "transparent" else []),
        *(f"CLASS:{one}" for one in [_CLASSES.get(text_of(event, "visibility"))] if one),
        *_people(event),
    ]
    return Block("VEVENT", list(lines))


def description_of(event: EventJson) -> str:
    """Return the description as text; Google's own pages write it in HTML."""
    text = text_of(event, "description")
    return sanitise(text).text if _MARKUP.search(text) else text


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _stamp(name: str, text: str) -> list[str]:
    try:
        instant = datetime.fromisoformat(text)
        return [Moment.of_instant(instant, "UTC").line(name)]
    except ValueError:
        return [f"{name}:19700101T000000Z"] if name == "DTSTAMP" else []


def _sequence(event: EventJson) -> list[str]:
    number = event.get("sequence")
    fits = isinstance(number, int) and 0 < number < 2**31
    return [f"SEQUENCE:{number}"] if fits else []


def _times(event: EventJson) -> Iterator[str]:
    if text_of(event, "recurringEventId"):
        yield moment_of(object_of(event, "originalStartTime")).line("RECURRENCE-ID")
    yield moment_of(object_of(event, "start")).line("DTSTART")
    yield moment_of(object_of(event, "end")).line("DTEND")


def _people(event: EventJson) -> Iterator[str]:
    added = text_of(object_of(object_of(event, "extendedProperties"), "private"), OWNER_ADDED)
    named = [one for one in objects_of(event, "attendees") if email_of(one)]
    guests = [one for one in named if not (added and email_of(one) == added)][:_MOST_GUESTS]
    organizer = object_of(event, "organizer")
    # Of one without guests its own calendar is the organizer, which says nothing.
    if email_of(organizer) and (guests or not organizer.get("self")):
        name = {"CN": text_of(organizer, "displayName")}
        yield make_line("ORGANIZER", f"mailto:{email_of(organizer)}", name)
    for one in guests:
        partstat = PARTSTATS.get(text_of(one, "responseStatus"), "NEEDS-ACTION")
        params = {
            "CN": text_of(one, "displayName"),
            "CUTYPE": "RESOURCE" if one.get("resource") is True else "",
            "ROLE": "OPT-PARTICIPANT" if one.get("optional") is True else "REQ-PARTICIPANT",
            "PARTSTAT": partstat,
            # Whoever has not answered is waited for.
            "RSVP": "TRUE" if partstat == "NEEDS-ACTION" else "",
        }
        yield make_line("ATTENDEE", f"mailto:{email_of(one)}", params)


def email_of(person: Mapping[str, Any]) -> str:
    """Return somebody's address in lower case; empty where it is kept from us."""
    email = text_of(person, "email").strip().lower()
    return email if _ADDRESS.fullmatch(email) else ""
