"""Invitations as they travel in mail: iTIP (RFC 5546) in iCalendar (RFC 5545). No Django.

What comes in is anybody's: every size is bounded, rules of recurrence are checked but never
expanded, alarms and attachments are not looked at, and ValueError is all that is raised.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from icalendar.parser import Contentline, unescape_backslash

from calendar_app.timezones import UTC_ZONE, Zone, find_zone, make_zone
from inbox.rfc5322.unicode_text import clean, clean_line

MAX_BYTES = 512 * 1024
MAX_LINES = 20_000
MAX_EVENTS = 100
MAX_ATTENDEES = 1_000
MAX_TEXT = 20_000
MAX_SPAN = timedelta(days=366)
METHODS = frozenset(
    {"PUBLISH", "REQUEST", "REPLY", "ADD", "CANCEL", "REFRESH", "COUNTER", "DECLINECOUNTER"}
)
STATUSES = frozenset({"TENTATIVE", "CONFIRMED", "CANCELLED"})
PARTSTATS = frozenset({"NEEDS-ACTION", "ACCEPTED", "DECLINED", "TENTATIVE", "DELEGATED"})

# Not splitlines(), which would also break at U+2028 and let a title hold a line of its own.
_NEWLINE = re.compile(r"\r?\n|\r")
_FOLD = re.compile(r"\r?\n[ \t]")
_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})")
_DATE_TIME = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(Z?)")
_DURATION = re.compile(
    r"([+-]?)P(?:(\d{1,4})W|(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)"
)
_EMAIL = re.compile(r"[^\s<>@\"(),:;\\\[\]]+@[^\s<>@\"(),:;\\\[\]]+")
# RFC 5545 3.3.10, by the largest number that each part may hold.
_RULE_LIMITS = {
    "INTERVAL": 10_000, "COUNT": 100_000, "BYSECOND": 60, "BYMINUTE": 59, "BYHOUR": 23,
    "BYMONTHDAY": 31, "BYYEARDAY": 366, "BYWEEKNO": 53, "BYMONTH": 12, "BYSETPOS": 366,
}  # fmt: skip
_RULE_FREQUENCIES = frozenset({"HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"})
_RULE_DAYS = re.compile(
    r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)(,([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)){0,52}"
)


@dataclass(frozen=True, slots=True)
class Invitee:
    """An ORGANIZER or ATTENDEE: address in lower case, name, PARTSTAT in lower case."""

    email: str
    name: str = ""
    partstat: str = "needs-action"


@dataclass(frozen=True, slots=True)
class ItipEvent:
    """One VEVENT. Times are aware UTC; an all-day event runs from midnight to midnight UTC.

    `start` and `end` are None only where a cancellation leaves them out. `timezone` is the IANA
    name it was written in, empty for UTC or a zone without such a name. `recurrence_id` and `rrule`
    are as written; `status` is in lower case, empty where there is none.
    """

    uid: str
    sequence: int
    recurrence_id: str
    dtstamp: datetime | None
    start: datetime | None
    end: datetime | None
    all_day: bool
    timezone: str
    rrule: str
    summary: str
    description: str
    location: str
    status: str
    organizer: Invitee | None
    attendees: tuple[Invitee, ...]


@dataclass(frozen=True, slots=True)
class ItipMessage:
    """An iTIP message: METHOD in capitals (empty where there is none), and its events."""

    method: str
    events: tuple[ItipEvent, ...]


class _Line(NamedTuple):
    name: str
    params: dict[str, str]
    value: str


@dataclass(slots=True)
class _Component:
    name: str
    lines: dict[str, list[_Line]] = field(default_factory=lambda: defaultdict(list))
    children: list["_Component"] = field(default_factory=list)

    def first(self, name: str) -> _Line | None:
        return self.lines[name][0] if self.lines.get(name) else None

    def value(self, name: str) -> str:
        line = self.first(name)
        return line.value if line else ""

    def text(self, name: str) -> str:
        return clean(unescape_backslash(self.value(name)[:MAX_TEXT]))[0]


def read_itip(content: bytes) -> ItipMessage:
    """Read an iTIP message. Raises ValueError, saying why, and nothing else."""
    if len(content) > MAX_BYTES:
        raise ValueError(f"the calendar is larger than {MAX_BYTES // 1024} KB")
    try:
        return _read(content.decode("utf-8-sig", "replace"))
    except (ArithmeticError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise ValueError(f"the calendar cannot be read: {error}") from error


def _read(text: str) -> ItipMessage:
    calendar = _tree(text)
    method = calendar.value("METHOD").strip().upper()
    if method and method not in METHODS:
        raise ValueError(f"METHOD:{method[:40]} is none of RFC 5546")
    found = [child for child in calendar.children if child.name == "VEVENT"]
    if not found or len(found) > MAX_EVENTS:
        raise ValueError(f"the calendar has {len(found)} events; from 1 to {MAX_EVENTS} are read")
    zones = _zones(calendar)
    return ItipMessage(method, tuple(_event(event, method, zones) for event in found))


# -- lines and components --------------------------------------------------------------------------


def _tree(text: str) -> _Component:
    """Return the VCALENDAR; what does not close, or closes what is not open, is refused."""
    lines = _NEWLINE.split(_FOLD.sub("", text))
    if len(lines) > MAX_LINES:
        raise ValueError(f"the calendar has more than {MAX_LINES} lines")
    root = _Component("")
    open_ones = [root]
    for line in _parsed(lines):
        match line.name:
            case "BEGIN":
                child = _Component(line.value.strip().upper())
                open_ones[-1].children.append(child)
                open_ones.append(child)
            case "END":
                if len(open_ones) < 2 or open_ones.pop().name != line.value.strip().upper():
                    raise ValueError(f"END:{line.value[:40]} closes what is not open")
            case _:
                open_ones[-1].lines[line.name].append(line)
    calendars = [child for child in root.children if child.name == "VCALENDAR"]
    if len(open_ones) != 1 or not calendars:
        raise ValueError("there is no whole VCALENDAR")
    return calendars[0]


def _parsed(lines: Iterable[str]) -> Iterable[_Line]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            name, params, value = Contentline(line).raw_parts()  # type: ignore[no-untyped-call]
        except ValueError as error:
            raise ValueError(f"line {number} of the calendar cannot be read") from error
        flat = {
            key.upper(): item if isinstance(item, str) else item[0] for key, item in params.items()
        }
        yield _Line(name.upper(), flat, value)


# -- zones and times -------------------------------------------------------------------------------


def _zones(calendar: _Component) -> dict[str, Zone]:
    zones = {}
    for child in calendar.children[: MAX_EVENTS + 20]:
        if child.name != "VTIMEZONE":
            continue
        try:
            parts = [
                (_local(part.value("DTSTART"))[0], part.value("TZOFFSETTO"), part.value("RRULE"))
                for part in child.children
                if part.name in {"STANDARD", "DAYLIGHT"}
            ]
            zones[child.value("TZID")] = make_zone(parts)
        except ValueError:
            # Most TZIDs are known by name; one that is not will be refused where it is used.
            continue
    return zones


def _local(text: str) -> tuple[datetime, bool]:
    """Return a DATE-TIME as it stands on the clock, and whether it is UTC."""
    match = _DATE_TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text[:40]!r} is no time, like 20260302T120000Z")
    year, month, day, hour, minute, second = (int(number) for number in match.groups()[:6])
    try:
        # A leap second is the last second of its minute.
        return datetime(year, month, day, hour, minute, min(second, 59)), bool(match[7])  # noqa: DTZ001
    except ValueError as error:
        raise ValueError(f"{text[:40]!r} is no time: {error}") from error


def _time(line: _Line, zones: dict[str, Zone]) -> tuple[datetime, Zone, bool]:
    """Return (the time on the clock, naive; its zone; whether it is a whole day)."""
    text = line.value.strip()
    if line.params.get("VALUE", "").upper() == "DATE" or _DATE.fullmatch(text):
        match = _DATE.fullmatch(text)
        if match is None:
            raise ValueError(f"{line.name} {text[:40]!r} is no date, like 20260302")
        moment, zone, all_day = _local(f"{text}T000000")[0], UTC_ZONE, True
    else:
        moment, is_utc = _local(text)
        tzid = line.params.get("TZID", "")
        zone = find_zone(tzid, zones) if tzid and not is_utc else UTC_ZONE
        all_day = False
    if not 1900 <= moment.year <= 2200:
        raise ValueError(f"{line.name} lies outside the years 1900 to 2200")
    return moment, zone, all_day


def _duration(text: str) -> tuple[timedelta, timedelta]:
    """Return (days, which are counted on the clock; the rest, which is exact)."""
    match = _DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()[1:]):
        raise ValueError(f"{text[:40]!r} is no duration, like PT1H")
    if match[1] == "-":
        raise ValueError("an event cannot last for less than nothing")
    weeks, days, hours, minutes, seconds = (int(number or 0) for number in match.groups()[1:])
    return timedelta(weeks=weeks, days=days), timedelta(
        hours=hours, minutes=minutes, seconds=seconds
    )


def _span(
    event: _Component, zones: dict[str, Zone]
) -> tuple[datetime | None, datetime | None, bool, str]:
    """Return (start, end, all day, name of the zone)."""
    started, ended, lasts = (event.first(name) for name in ("DTSTART", "DTEND", "DURATION"))
    if started is None:
        return None, None, False, ""
    local, zone, all_day = _time(started, zones)
    start = zone.to_utc(local)
    if ended is not None:
        local_end, zone_end, _ = _time(ended, zones)
        end = zone_end.to_utc(local_end)
    elif lasts is not None:
        days, exact = _duration(lasts.value)
        end = zone.to_utc(local + min(days, MAX_SPAN * 2)) + exact
    else:
        end = start + timedelta(days=1) if all_day else start
    if end < start:
        raise ValueError("the event ends before it starts")
    if end - start > MAX_SPAN:
        raise ValueError(f"the event lasts for more than {MAX_SPAN.days} days")
    return start, end, all_day, "" if zone is UTC_ZONE else zone.name


# -- an event --------------------------------------------------------------------------------------


def _event(event: _Component, method: str, zones: dict[str, Zone]) -> ItipEvent:
    uid = clean_line(event.value("UID"))[0]
    if not uid or len(uid) > 255:
        raise ValueError("an event needs a UID of at most 255 characters")
    start, end, all_day, zone = _span(event, zones)
    if start is None and method != "CANCEL":
        raise ValueError("the event has no DTSTART")
    status = event.value("STATUS").strip().upper()
    if status and status not in STATUSES:
        raise ValueError(f"STATUS:{status[:40]} is none of {', '.join(sorted(STATUSES))}")
    organizer = event.first("ORGANIZER")
    return ItipEvent(
        uid=uid,
        sequence=_sequence(event.value("SEQUENCE")),
        recurrence_id=_recurrence_id(event),
        dtstamp=_stamp(event.value("DTSTAMP")),
        start=start,
        end=end,
        all_day=all_day,
        timezone=zone,
        rrule=_rule(event),
        summary=clean_line(event.text("SUMMARY"))[0],
        description=event.text("DESCRIPTION").strip(),
        location=clean_line(event.text("LOCATION"))[0],
        status=status.lower(),
        organizer=_invitee(organizer) if organizer else None,
        attendees=_attendees(event),
    )


def _sequence(text: str) -> int:
    if not re.fullmatch(r"\d{0,9}", text.strip(), re.ASCII):
        raise ValueError(f"SEQUENCE:{text[:40]} is no number from 0 on")
    return int(text or 0)


def _stamp(text: str) -> datetime | None:
    if not text:
        return None
    moment, _ = _local(text)  # RFC 5545 3.8.7.2: always UTC, whether or not it says so
    return moment.replace(tzinfo=UTC)


def _recurrence_id(event: _Component) -> str:
    text = event.value("RECURRENCE-ID").strip()
    if text and not _DATE.fullmatch(text) and not _DATE_TIME.fullmatch(text):
        raise ValueError(f"RECURRENCE-ID:{text[:40]} is no time")
    return text


def _rule(event: _Component) -> str:
    """Return the RRULE as written; raises ValueError where it is none, or recurs by the minute."""
    rule = event.value("RRULE").strip()
    if not rule:
        return ""
    if len(rule) > 1_000:
        raise ValueError("the RRULE is longer than 1,000 characters")
    parts = dict(part.partition("=")[::2] for part in rule.upper().split(";") if part)
    if parts.pop("FREQ", "") not in _RULE_FREQUENCIES:
        raise ValueError(f"RRULE: FREQ must be one of {', '.join(sorted(_RULE_FREQUENCIES))}")
    for name, value in parts.items():
        if not _is_rule_part(name, value):
            raise ValueError(f"RRULE: {name[:20]}={value[:40]} is not of RFC 5545")
    return rule


def _is_rule_part(name: str, value: str) -> bool:
    if name in _RULE_LIMITS:
        numbers = value.split(",")
        return all(
            re.fullmatch(r"[+-]?\d{1,9}", number, re.ASCII) is not None
            and abs(int(number)) <= _RULE_LIMITS[name]
            for number in numbers
        )
    if name == "UNTIL":
        return bool(_DATE.fullmatch(value) or _DATE_TIME.fullmatch(value))
    if name in {"BYDAY", "WKST"}:
        return _RULE_DAYS.fullmatch(value) is not None
    return name.startswith("X-")


def _invitee(line: _Line) -> Invitee | None:
    """Return whom a CAL-ADDRESS names; None where it is no mail address (RFC 5545 3.3.3)."""
    scheme, _, address = line.value.strip().partition(":")
    email = address if scheme.lower() == "mailto" else line.value.strip()
    email = clean_line(email.partition("?")[0])[0].lower()
    if len(email) > 320 or not _EMAIL.fullmatch(email):
        return None
    partstat = line.params.get("PARTSTAT", "NEEDS-ACTION").upper()
    return Invitee(
        email=email,
        name=clean_line(line.params.get("CN", ""))[0][:300],
        partstat=(partstat if partstat in PARTSTATS else "NEEDS-ACTION").lower(),
    )


def _attendees(event: _Component) -> tuple[Invitee, ...]:
    found: dict[str, Invitee] = {}
    for line in event.lines.get("ATTENDEE", [])[:MAX_ATTENDEES]:
        invitee = _invitee(line)
        if invitee is not None:
            found.setdefault(invitee.email, invitee)
    return tuple(found.values())
