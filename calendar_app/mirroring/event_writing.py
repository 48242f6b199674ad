"""An event of a server's, changed in place: what we do not know of it stays. No Django."""

from collections.abc import Iterable
from datetime import datetime

from calendar_app.icalendar import ItipMessage, read_calendar
from calendar_app.itip_writing import write_itip
from calendar_app.mirroring.event_fields import WHEN, Fields, changed_of, events_of, stamped
from inbox.formats.content_lines import Block, name_of, read_blocks, write_blocks

_PROPERTIES = {
    "summary": ("SUMMARY",), "description": ("DESCRIPTION",), "location": ("LOCATION",),
    "status": ("STATUS",), "transparent": ("TRANSP",), "organizer": ("ORGANIZER",),
    "rdate": ("RDATE",), "exdate": ("EXDATE",), "sequence": ("SEQUENCE",),
    WHEN: ("DTSTART", "DTEND", "RRULE"),
}  # fmt: skip
_GUEST = "attendee:"


def write_event(
    raw: bytes, uid: str, fields: Fields, changed: frozenset[str], moment: datetime
) -> bytes:
    """Return the calendar of one UID with what changed of it; raises ValueError.

    `raw` is empty for a new one. `moment` is when it is said.
    """
    wanted = stamped(events_of(uid, fields), moment)
    fresh = read_blocks(write_itip(ItipMessage("", wanted)))[0]
    if not raw:
        return write_blocks([fresh]).encode()
    # Bytes that are not UTF-8 stay as they are.
    blocks = read_blocks(raw.decode("utf-8-sig", "surrogateescape"))
    calendar = next(block for block in blocks if block.name == "VCALENDAR")
    there = dict(zip(_stamps(raw), _events(calendar), strict=True))
    made = dict(zip((event.recurrence_id for event in wanted), _events(fresh), strict=True))
    for stamp, block in there.items():
        if stamp not in made:
            calendar.items = [item for item in calendar.items if item is not block]
    for stamp, block in made.items():
        own = changed_of(stamp, changed)
        if stamp not in there:
            calendar.items.append(block)
        elif own:
            _change(there[stamp], block, own)
    _add_zones(calendar, fresh)
    return write_blocks(blocks).encode("utf-8", "surrogateescape")


def _events(calendar: Block) -> list[Block]:
    return [block for block in calendar.blocks if block.name == "VEVENT"]


def _stamps(raw: bytes) -> list[str]:
    """Return what each event of the calendar is called by its series, in their order."""
    events, problems = read_calendar(raw)
    if problems:
        raise ValueError(problems[0])
    return [event.recurrence_id for event in events]


def _change(block: Block, made: Block, changed: frozenset[str]) -> None:
    for name in changed:
        if name.startswith(_GUEST):
            _change_guest(block, made, name.removeprefix(_GUEST))
            continue
        for prop in _PROPERTIES[name]:
            block.put(prop, made.lines(prop))
        if name == WHEN:
            block.put("DURATION", [])
    for prop in ("DTSTAMP", "LAST-MODIFIED"):
        if prop == "DTSTAMP" or block.lines(prop):
            stamp = made.lines("DTSTAMP")[0].partition(":")[2]
            block.put(prop, [f"{prop}:{stamp}"])


def _change_guest(block: Block, made: Block, email: str) -> None:
    def is_guest(line: str) -> bool:
        return name_of(line) == "ATTENDEE" and _address(line) == email

    block.put_where(is_guest, filter(is_guest, made.lines("ATTENDEE")))


def _address(line: str) -> str:
    """Return whom an ATTENDEE line names, in lower case; its value is after the last colon."""
    return line.rpartition(":")[2].strip().lower()


def _add_zones(calendar: Block, fresh: Block) -> None:
    """Add the zones that are named now and were not before, in front of the events."""
    known = {name for block in calendar.blocks for name in block.lines("TZID")}
    used = {part for event in _events(calendar) for part in _zone_names(event)}
    for zone in fresh.blocks:
        names = zone.lines("TZID") if zone.name == "VTIMEZONE" else []
        if names and names[0] not in known and names[0].partition(":")[2] in used:
            place = next(at for at, it in enumerate(calendar.items) if isinstance(it, Block))
            calendar.items.insert(place, zone)


def _zone_names(event: Block) -> Iterable[str]:
    for prop in ("DTSTART", "DTEND", "RECURRENCE-ID", "EXDATE", "RDATE"):
        for line in event.lines(prop):
            for part in line.partition(":")[0].split(";")[1:]:
                if part.upper().startswith("TZID="):
                    yield part[5:].strip('"')
