"""The events of one UID (RFC 5545 3.6.1) in parts: what Graph has words for, and the rest. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from inbox.formats.calendar_lines import (
    Moment,
    make_line,
    moment_in,
    moments_of,
    split_line,
    text_in,
    text_line,
)
from inbox.formats.content_lines import Block, name_of, read_blocks, write_blocks

_HEAD = ["VERSION:2.0", "PRODID:-//Chancery//Calendar//EN"]
PEOPLE = frozenset({"ORGANIZER", "ATTENDEE"})
_READ = PEOPLE | {
    "UID", "DTSTAMP", "DTSTART", "DTEND", "DURATION", "RRULE", "EXDATE", "RECURRENCE-ID",
    "SUMMARY", "DESCRIPTION", "LOCATION", "STATUS", "TRANSP", "CREATED", "LAST-MODIFIED",
}  # fmt: skip
_DURATION = re.compile(
    r"P(?:(\d{1,4})W|(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)"
)
_STAMP = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class Part:
    """An event, or the changed instance of a series.

    `stamp` is the start that a series names an instance by, in UTC (20260302T120000Z; 20260302 of
    whole days), empty for the whole. `end` is exclusive, on the same clock as `start`. `excluded`
    are stamps. `people` are lines of ORGANIZER and ATTENDEE, `rest` those of properties that have
    no field here. `status` is in capitals.
    """

    stamp: str
    start: Moment
    end: Moment
    summary: str = ""
    description: str = ""
    location: str = ""
    status: str = "CONFIRMED"
    is_transparent: bool = False
    rule: str = ""
    excluded: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()


def stamp_of(moment: Moment) -> str:
    """Return the stamp of a start."""
    return f"{moment.local:%Y%m%d}" if moment.is_day else moment.instant.strftime(_STAMP)


def moment_of(stamp: str, like: Moment) -> Moment:
    """Return the start that a stamp names, said as another; raises ValueError."""
    if "T" not in stamp:
        day = datetime.strptime(stamp, "%Y%m%d").replace(tzinfo=UTC).date()
        return Moment.of_day(day)
    instant = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    return Moment.of_instant(instant, like.zone or "UTC")


# -- reading ---------------------------------------------------------------------------------------
def read_parts(raw: bytes) -> tuple[str, dict[str, Part]]:
    """Return the UID of a calendar's events, and the events by stamp; raises ValueError."""
    blocks = read_blocks(raw.decode("utf-8-sig", "replace"))
    events = [one for block in blocks for one in block.blocks if one.name == "VEVENT"]
    uids = {text_in(event, "UID").strip() for event in events}
    if len(uids) != 1:
        raise ValueError("it is not of one UID")
    parts = [_part(event) for event in events]
    return uids.pop(), {part.stamp: part for part in parts}


def _part(event: Block) -> Part:
    start = moment_in(event, "DTSTART")
    if start is None:
        raise ValueError("the event has no start")
    return Part(
        stamp=next(iter(_stamps(event, "RECURRENCE-ID")), ""), start=start,
        end=_end(event, start), summary=text_in(event, "SUMMARY").strip(),
        description=text_in(event, "DESCRIPTION").strip(),
        location=text_in(event, "LOCATION").strip(),
        status=text_in(event, "STATUS").strip().upper() or "CONFIRMED",
        is_transparent=text_in(event, "TRANSP").strip().upper() == "TRANSPARENT",
        rule=_value(event, "RRULE"), excluded=tuple(sorted(set(_stamps(event, "EXDATE")))),
        people=tuple(one for one in _lines(event) if name_of(one) in PEOPLE),
        rest=tuple(one for one in _lines(event) if name_of(one) not in _READ),
    )  # fmt: skip


def _lines(event: Block) -> Iterator[str]:
    return (item for item in event.items if isinstance(item, str))


def _value(event: Block, name: str) -> str:
    return next((split_line(line)[2].strip() for line in event.lines(name)), "")


def _stamps(event: Block, name: str) -> Iterator[str]:
    return (stamp_of(each) for line in event.lines(name) for each in moments_of(line))


def _end(event: Block, start: Moment) -> Moment:
    end = moment_in(event, "DTEND")
    if end is not None:
        if end.is_day != start.is_day:
            raise ValueError("it begins at a time and ends on a day")
        return end if end.is_day else Moment.of_instant(end.instant, start.zone or "UTC")
    found = _DURATION.fullmatch(_value(event, "DURATION"))
    weeks, days, hours, minutes, seconds = (
        (int(it or 0) for it in found.groups()) if found else (0,) * 5
    )
    later = start.local + timedelta(weeks=weeks, days=days)
    if start.is_day:
        return Moment(later if found else start.local + timedelta(days=1), "", True)
    zone = start.zone or "UTC"
    exact = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    instant = later.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC) + exact
    return Moment.of_instant(instant, zone)


# -- writing ---------------------------------------------------------------------------------------
def write_parts(uid: str, parts: Iterable[Part], said_at: datetime) -> bytes:
    """Return a calendar of one UID; `said_at` is its DTSTAMP."""
    events = [_event(uid, part, said_at) for part in parts]
    return write_blocks([Block("VCALENDAR", [*_HEAD, *events])]).encode("utf-8", "replace")


def _event(uid: str, part: Part, said_at: datetime) -> Block:
    lines = [*text_line("UID", uid), f"DTSTAMP:{said_at.astimezone(UTC).strftime(_STAMP)}"]
    if part.stamp:
        lines.append(_stamp_line("RECURRENCE-ID", part.stamp))
    lines += [part.start.line("DTSTART"), part.end.line("DTEND")]
    lines += [make_line("RRULE", part.rule)] if part.rule else []
    lines += [_stamp_line("EXDATE", stamp) for stamp in part.excluded]
    lines += text_line("SUMMARY", part.summary)
    lines += text_line("DESCRIPTION", part.description)
    lines += text_line("LOCATION", part.location)
    lines += text_line("STATUS", part.status)
    lines += ["TRANSP:TRANSPARENT"] if part.is_transparent else []
    return Block("VEVENT", [*lines, *part.people, *part.rest])


def _stamp_line(name: str, stamp: str) -> str:
    return f"{name}:{stamp}" if "T" in stamp else f"{name};VALUE=DATE:{stamp}"
