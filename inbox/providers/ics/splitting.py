"""A calendar file as items, one for each UID (RFC 5545 3.6). No Django."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from inbox.formats.content_lines import Block, name_of, read_blocks, write_blocks

MOST_LINES = 2_000_000
# Feeds that are made anew for each visitor say another one each time.
_VOLATILE = frozenset({"DTSTAMP"})
_HEAD = ("VERSION", "PRODID", "CALSCALE")


@dataclass(frozen=True, slots=True)
class Part:
    """The events of one UID as a calendar of their own; `digest` names what they say."""

    uid: str
    digest: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Feed:
    """A calendar file: what it calls itself, its colour, and its parts by their UID."""

    name: str
    color: str
    parts: dict[str, Part]


def split_feed(content: bytes) -> Feed:
    """Read a calendar file; raises ValueError where it is none."""
    blocks = read_blocks(content.decode("utf-8-sig", "replace"), MOST_LINES)
    calendars = [block for block in blocks if block.name == "VCALENDAR"]
    if not calendars:
        raise ValueError("there is no VCALENDAR in it")
    events: dict[str, list[Block]] = {}
    for block in (one for calendar in calendars for one in calendar.blocks):
        if block.name == "VEVENT":
            events.setdefault(_uid(block), []).append(block)
    zones = [one for calendar in calendars for one in calendar.blocks if one.name == "VTIMEZONE"]
    head = [line for name in _HEAD for line in calendars[0].lines(name)[:1]]
    parts = {uid: _part(uid, head, zones, some) for uid, some in events.items()}
    return Feed(
        _said(calendars[0], "X-WR-CALNAME", "NAME"),
        _said(calendars[0], "X-APPLE-CALENDAR-COLOR", "COLOR"),
        parts,
    )


def _uid(event: Block) -> str:
    """Return the UID of an event; one that has none gets one of what it says."""
    for line in event.lines("UID"):
        if value := line.partition(":")[2].strip():
            return value
    made = f"{_digest([event])[:32]}@without-uid"
    event.put("UID", [f"UID:{made}"])
    return made


def _part(uid: str, head: list[str], zones: list[Block], events: list[Block]) -> Part:
    used = set(_zone_names(events))
    own = [zone for zone in zones if used & {_value(line) for line in zone.lines("TZID")}]
    calendar = Block("VCALENDAR", [*head, *own, *events])
    return Part(uid, _digest([*own, *events]), write_blocks([calendar]).encode())


def _zone_names(blocks: Iterable[Block]) -> Iterable[str]:
    for block in blocks:
        for line in block.items:
            if isinstance(line, str) and "TZID=" in line:
                yield line.partition("TZID=")[2].partition(":")[0].partition(";")[0].strip('"')


def _value(line: str) -> str:
    return line.partition(":")[2].strip()


def _digest(blocks: list[Block]) -> str:
    said = [_lasting(block) for block in blocks]
    return hashlib.sha256(write_blocks(said).encode("utf-8", "surrogatepass")).hexdigest()


def _lasting(block: Block) -> Block:
    """Return a block without what is said anew each time it is handed out."""
    lasting = [
        item for item in block.items if not isinstance(item, str) or name_of(item) not in _VOLATILE
    ]
    return Block(block.name, lasting)


def _said(calendar: Block, *names: str) -> str:
    found = (_value(line) for name in names for line in calendar.lines(name))
    return next(filter(None, found), "")
