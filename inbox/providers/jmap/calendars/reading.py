"""Events of JSCalendar (RFC 8984) as iCalendar of one UID. Pure; what comes in is hostile."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from inbox.formats.calendar_lines import Moment, make_line, text_line
from inbox.formats.content_lines import Block, write_blocks
from inbox.html import sanitise
from inbox.providers.http.json_values import text_of
from inbox.providers.jmap.calendars.parts import (
    effective,
    main_location,
    one_line,
    overrides_of,
    rules_of,
)
from inbox.providers.jmap.calendars.people import people_in, people_lines
from inbox.providers.jmap.calendars.rules import rule_line
from inbox.providers.jmap.calendars.times import Json, Words, at_clock, end_of, local_of, start_of

_CLASSES = {"private": "PRIVATE", "secret": "CONFIDENTIAL"}
_STATUSES = {"tentative": "TENTATIVE", "cancelled": "CANCELLED"}
_MOST_OVERRIDES = 2_000


def write_calendar(event: Json, words: Words) -> bytes:
    """Return an event with its changed instances as a calendar; raises ValueError."""
    start = start_of(event)
    lines = ["VERSION:2.0", "PRODID:-//Chancery//JMAP//EN"]
    blocks: list[str | Block] = [
        *lines,
        Block("VEVENT", [*_lines(event, start, _when(event, start), words)]),
    ]
    for key, override in sorted(overrides_of(event).items()):
        if override and override.get("excluded") is not True:
            at = at_clock(local_of(key), start)
            changed = effective(event, key, override)
            own = start_of(changed)
            own_lines = _lines(changed, own, [at.line("RECURRENCE-ID")], words)
            blocks.append(Block("VEVENT", [*own_lines]))
    return write_blocks([Block("VCALENDAR", blocks)]).encode("utf-8", "replace")


def _when(event: Json, start: Moment) -> Iterator[str]:
    for rule in rules_of(event):
        yield rule_line(rule, start)
    overrides = sorted(overrides_of(event).items())[:_MOST_OVERRIDES]
    for key, override in overrides:
        if override.get("excluded") is True:
            yield at_clock(local_of(key), start).line("EXDATE")
        elif not override:
            yield at_clock(local_of(key), start).line("RDATE")


def _lines(event: Json, start: Moment, when: Iterable[str], words: Words) -> Iterator[str]:
    sequence = event.get("sequence")
    is_number = isinstance(sequence, int) and 0 < sequence < 2**31
    yield from text_line("UID", one_line(text_of(event, "uid")) or text_of(event, "id"))
    yield from _stamp("DTSTAMP", text_of(event, "updated"))
    yield from _stamp("CREATED", text_of(event, "created"))
    yield from [f"SEQUENCE:{sequence}"] if is_number else []
    yield start.line("DTSTART")
    yield end_of(event, start, words).line("DTEND")
    yield from when
    yield from text_line("SUMMARY", one_line(text_of(event, "title")))
    yield from text_line("DESCRIPTION", description_of(event))
    yield from text_line("LOCATION", main_location(event)[1])
    yield f"STATUS:{_STATUSES.get(text_of(event, 'status').lower(), 'CONFIRMED')}"
    yield from ["TRANSP:TRANSPARENT"] if text_of(event, "freeBusyStatus") == "free" else []
    if privacy := _CLASSES.get(text_of(event, "privacy")):
        yield make_line("CLASS", privacy)
    yield from people_lines(people_in(event))


def description_of(event: Json) -> str:
    """Return the description as text."""
    text, kind = text_of(event, "description"), text_of(event, "descriptionContentType")
    return sanitise(text).text if kind.lower().startswith("text/html") else text


def _stamp(name: str, text: str) -> list[str]:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        return [f"{name}:19700101T000000Z"] if name == "DTSTAMP" else []
    return [Moment.of_instant(instant, "UTC").line(name)]
