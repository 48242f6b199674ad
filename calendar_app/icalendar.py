"""Invitations as they travel in mail: iTIP (RFC 5546) in iCalendar (RFC 5545). No Django.

What comes in is anybody's: every size is bounded, rules of recurrence are checked and not
expanded here, alarms and attachments are not looked at, and ValueError is all that is raised.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from calendar_app.components import Component, Line, read_tree
from calendar_app.recurrence import FIRST_YEAR, LAST_YEAR, MOST_COUNTED, read_rule
from calendar_app.timezones import UTC_ZONE, Zone, find_zone, make_zone, name_like
from inbox.rfc5322.text.unicode_text import clean_line

MAX_BYTES = 512 * 1024
MAX_EVENTS = 100
MAX_FILE_BYTES = 50 * 1024 * 1024
MAX_FILE_LINES = 1_000_000
MAX_ATTENDEES = 1_000
MAX_DATES = 2_000
MAX_ZONES = 100
# Some count by the seconds since 1970. Ours go on from there, and have to fit their column.
MAX_SEQUENCE = 2_147_000_000
MAX_SPAN = timedelta(days=366)
METHODS = frozenset(
    {"PUBLISH", "REQUEST", "REPLY", "ADD", "CANCEL", "REFRESH", "COUNTER", "DECLINECOUNTER"}
)
STATUSES = frozenset({"TENTATIVE", "CONFIRMED", "CANCELLED"})
PARTSTATS = frozenset({"NEEDS-ACTION", "ACCEPTED", "DECLINED", "TENTATIVE", "DELEGATED"})
ROLES = frozenset({"CHAIR", "REQ-PARTICIPANT", "OPT-PARTICIPANT", "NON-PARTICIPANT"})
# These may name an event without saying when it is.
_TIMELESS = frozenset({"CANCEL", "REPLY", "REFRESH", "DECLINECOUNTER"})

_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})")
_DATE_TIME = re.compile(r"(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(Z?)")
_DURATION = re.compile(
    r"([+-]?)P(?:(\d{1,4})W|(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)"
)
_EMAIL = re.compile(r"[^\s<>@\"(),:;\\\[\]]+@[^\s<>@\"(),:;\\\[\]]+")


@dataclass(frozen=True, slots=True)
class Invitee:
    """An ORGANIZER or ATTENDEE: address, PARTSTAT and ROLE in lower case; what it was named."""

    email: str
    name: str = ""
    partstat: str = "needs-action"
    role: str = "req-participant"
    rsvp: bool = False


@dataclass(frozen=True, slots=True)
class ItipEvent:
    """One VEVENT. Times are aware UTC; an all-day event runs from midnight to midnight UTC.

    `start` and `end` are None only where a cancellation or a reply leaves them out. `timezone` is
    the IANA name it was written in, empty for UTC or a zone without such a name; a time without any
    zone is taken for UTC. `recurrence_id`, `rdate` and `exdate` are starts in the form of
    `write_stamp`; `rrule` is as written; `status` is in lower case, empty where there is none.
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
    rdate: tuple[str, ...] = ()
    exdate: tuple[str, ...] = ()
    is_transparent: bool = False
    # What goes with an answer (RFC 5545 3.8.1.4).
    comment: str = ""


@dataclass(frozen=True, slots=True)
class ItipMessage:
    """An iTIP message: METHOD in capitals (empty where there is none), and its events."""

    method: str
    events: tuple[ItipEvent, ...]


def read_itip(content: bytes) -> ItipMessage:
    """Read an iTIP message. Raises ValueError, saying why, and nothing else."""
    if len(content) > MAX_BYTES:
        raise ValueError(f"the calendar is larger than {MAX_BYTES // 1024} KB")
    try:
        return _read(content.decode("utf-8-sig", "replace"))
    except (ArithmeticError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise ValueError(f"the calendar cannot be read: {error}") from error


def _read(text: str) -> ItipMessage:
    calendar = read_tree(text)
    method = calendar.value("METHOD").strip().upper()
    if method and method not in METHODS:
        raise ValueError(f"METHOD:{method[:40]} is none of RFC 5546")
    found = [child for child in calendar.children if child.name == "VEVENT"]
    if not found or len(found) > MAX_EVENTS:
        raise ValueError(f"the calendar has {len(found)} events; from 1 to {MAX_EVENTS} are read")
    zones = zones_of(calendar)
    return ItipMessage(method, tuple(_event(event, method, zones) for event in found))


def read_calendar(content: bytes) -> tuple[list[ItipEvent], list[str]]:
    """Read a calendar as a file holds it: its events, and in words what could not be read.

    Raises ValueError where it is no calendar at all, or is too large.
    """
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"the calendar is larger than {MAX_FILE_BYTES // 1024**2} MB")
    calendar = read_tree(content.decode("utf-8-sig", "replace"), MAX_FILE_LINES)
    zones = zones_of(calendar)
    events, problems = [], []
    for child in calendar.children:
        if child.name == "VEVENT":
            try:
                events.append(_event(child, "PUBLISH", zones))
            except (ValueError, ArithmeticError, LookupError) as error:
                problems.append(f"{clean_line(child.value('UID'))[0][:80] or 'no UID'}: {error}")
    return events, problems


# -- zones and times -------------------------------------------------------------------------------


def zones_of(calendar: Component) -> dict[str, Zone]:
    """Return the zones that a calendar defines itself, by their TZID."""
    zones: dict[str, Zone] = {}
    for child in calendar.children:
        if child.name != "VTIMEZONE" or len(zones) >= MAX_ZONES:
            continue
        try:
            parts = [
                (_onset(part.value("DTSTART")), part.value("TZOFFSETTO"), part.value("RRULE"))
                for part in child.children
                if part.name in {"STANDARD", "DAYLIGHT"}
            ]
            zones[child.text("TZID").strip()] = make_zone(parts)
        except ValueError:
            # Most TZIDs are known by name; one that is not will be refused where it is used.
            continue
    return zones


def _onset(text: str) -> datetime:
    """Return when a part of a zone begins; some name but the day."""
    text = text.strip()
    return _local(f"{text}T000000" if _DATE.fullmatch(text) else text)[0]


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


def time_of(line: Line, zones: dict[str, Zone]) -> tuple[datetime, Zone, bool]:
    """Return (the time on the clock, naive; its zone; whether it is a whole day)."""
    text = line.value.strip()
    if line.params.get("VALUE", "").upper() == "DATE" or _DATE.fullmatch(text):
        match = _DATE.fullmatch(text)
        if match is None:
            raise ValueError(f"{line.name} {text[:40]!r} is no date, like 20260302")
        moment, zone, all_day = _local(f"{text}T000000")[0], UTC_ZONE, True
    else:
        moment, is_utc = _local(text)
        tzid = line.params.get("TZID", "").strip()
        zone = find_zone(tzid, zones) if tzid and not is_utc else UTC_ZONE
        all_day = False
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(f"{line.name} lies outside the years {FIRST_YEAR} to {LAST_YEAR}")
    return moment, zone, all_day


def duration_of(text: str) -> tuple[timedelta, timedelta]:
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


def _is_floating(line: Line) -> bool:
    return "TZID" not in line.params and not line.value.strip().endswith("Z")


def _span(
    event: Component, zones: dict[str, Zone]
) -> tuple[datetime | None, datetime | None, bool, str]:
    """Return (start, end, all day, name of the zone)."""
    started, ended, lasts = (event.first(name) for name in ("DTSTART", "DTEND", "DURATION"))
    if started is None:
        return None, None, False, ""
    local, zone, all_day = time_of(started, zones)
    start = zone.to_utc(local)
    if ended is not None:
        local_end, zone_end, _ = time_of(ended, zones)
        # Some name the zone at the start alone; an end without any is on the same clock.
        end = (zone if _is_floating(ended) else zone_end).to_utc(local_end)
    elif lasts is not None:
        days, exact = duration_of(lasts.value)
        end = zone.to_utc(local + min(days, MAX_SPAN * 2)) + exact
    else:
        end = start + timedelta(days=1) if all_day else start
    if end < start:
        raise ValueError("the event ends before it starts")
    if end - start > MAX_SPAN:
        raise ValueError(f"the event lasts for more than {MAX_SPAN.days} days")
    # A series has to follow its zone's clock, so that one defined by itself gets a known name.
    name = name_like(zone, local.year) if event.value("RRULE") else zone.name
    return start, end, all_day, "" if zone is UTC_ZONE else name


# -- an event --------------------------------------------------------------------------------------


def _event(event: Component, method: str, zones: dict[str, Zone]) -> ItipEvent:
    uid = clean_line(event.value("UID"))[0]
    if not uid or len(uid) > 255:
        raise ValueError("an event needs a UID of at most 255 characters")
    start, end, all_day, zone = _span(event, zones)
    if start is None and method not in _TIMELESS:
        raise ValueError("the event has no DTSTART")
    status = event.value("STATUS").strip().upper()
    if status and status not in STATUSES:
        raise ValueError(f"STATUS:{status[:40]} is none of {', '.join(sorted(STATUSES))}")
    organizer = event.first("ORGANIZER")
    return ItipEvent(
        uid=uid,
        sequence=_sequence(event.value("SEQUENCE")),
        recurrence_id=_recurrence_id(event, zones),
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
        rdate=_dates(event, "RDATE", zones),
        exdate=_dates(event, "EXDATE", zones),
        comment=event.text("COMMENT").strip(),
        is_transparent=event.value("TRANSP").strip().upper() == "TRANSPARENT",
    )


def _sequence(text: str) -> int:
    if not re.fullmatch(r"\d{0,10}", text.strip(), re.ASCII) or int(text or 0) > MAX_SEQUENCE:
        raise ValueError(f"SEQUENCE:{text[:40]} is no number from 0 on")
    return int(text or 0)


def _stamp(text: str) -> datetime | None:
    if not text:
        return None
    moment, _ = _local(text)  # RFC 5545 3.8.7.2: always UTC, whether or not it says so
    return moment.replace(tzinfo=UTC)


def write_stamp(moment: datetime, *, all_day: bool) -> str:
    """Return a start as series name their instances: 20260302T120000Z; 20260302 of whole days."""
    return moment.strftime("%Y%m%d" if all_day else "%Y%m%dT%H%M%SZ")


def read_stamp(stamp: str) -> datetime:
    """Return the start that a stamp names, in UTC; raises ValueError."""
    return _local(stamp if "T" in stamp else f"{stamp}T000000")[0].replace(tzinfo=UTC)


def _stamped(line: Line, started: Line | None, zones: dict[str, Zone]) -> str:
    """Return the start that a line names, in the manner of DTSTART, whatever it leaves out."""
    local, zone, is_date = time_of(line, zones)
    if started is None:
        return write_stamp(zone.to_utc(local), all_day=is_date)
    first, own_zone, all_day = time_of(started, zones)
    if all_day:
        return write_stamp(local, all_day=True)
    if is_date:
        local = datetime.combine(local.date(), first.time())
    return write_stamp(
        (own_zone if is_date or _is_floating(line) else zone).to_utc(local), all_day=False
    )


def _recurrence_id(event: Component, zones: dict[str, Zone]) -> str:
    line = event.first("RECURRENCE-ID")
    if line is None or not line.value.strip():
        return ""
    if line.params.get("RANGE", "").upper() == "THISANDFUTURE":
        raise ValueError("RECURRENCE-ID with RANGE=THISANDFUTURE is not followed")
    local, zone, all_day = time_of(line, zones)
    started = event.first("DTSTART")
    if started is not None and not all_day:
        _first, own_zone, is_whole = time_of(started, zones)
        # Exchange names whole days by their midnight.
        all_day = is_whole and local.time() == time()
        zone = own_zone if all_day or _is_floating(line) else zone
    return write_stamp(zone.to_utc(local), all_day=all_day)


def _dates(event: Component, name: str, zones: dict[str, Zone]) -> tuple[str, ...]:
    """Return the starts of RDATE or EXDATE; of a PERIOD its start."""
    found: dict[str, None] = {}
    started = event.first("DTSTART")
    for line in event.lines.get(name, []):
        for value in line.value.split(",", MAX_DATES):
            one = line._replace(value=value.partition("/")[0])
            found[_stamped(one, started, zones)] = None
    if len(found) > MAX_DATES:
        raise ValueError(f"the event has more than {MAX_DATES:,} dates in {name}")
    return tuple(sorted(found))


def _rule(event: Component) -> str:
    rule = event.value("RRULE").strip()
    count = read_rule(rule).count if rule else None
    if count is not None and count > MOST_COUNTED and event.first("RDATE"):
        raise ValueError(f"RRULE: with RDATE a COUNT is at most {MOST_COUNTED:,}")
    return rule


def _invitee(line: Line) -> Invitee | None:
    """Return whom a CAL-ADDRESS names; None where it is no mail address (RFC 5545 3.3.3)."""
    scheme, _, address = line.value.strip().partition(":")
    email = address if scheme.lower() == "mailto" else line.value.strip()
    email = clean_line(email.partition("?")[0])[0].lower()
    if len(email) > 320 or not _EMAIL.fullmatch(email):
        return None
    partstat = line.params.get("PARTSTAT", "NEEDS-ACTION").upper()
    role = line.params.get("ROLE", "").upper()
    return Invitee(
        email=email,
        name=clean_line(line.params.get("CN", ""))[0][:300],
        partstat=(partstat if partstat in PARTSTATS else "NEEDS-ACTION").lower(),
        role=(role if role in ROLES else "REQ-PARTICIPANT").lower(),
        rsvp=line.params.get("RSVP", "").upper() == "TRUE",
    )


def _attendees(event: Component) -> tuple[Invitee, ...]:
    found: dict[str, Invitee] = {}
    for line in event.lines.get("ATTENDEE", [])[:MAX_ATTENDEES]:
        invitee = _invitee(line)
        if invitee is not None:
            found.setdefault(invitee.email, invitee)
    return tuple(found.values())
