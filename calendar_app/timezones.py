"""Which zone a TZID means: an IANA name, a Windows name, or a VTIMEZONE of its own. No Django."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones

from dateutil.rrule import rrulestr
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

_OFFSET = re.compile(r"([+-])(\d{2})(\d{2})(\d{2})?")
# The changes of a zone recur yearly by these alone (RFC 5545 3.6.5); anything else is not followed.
_YEARLY = re.compile(
    r"FREQ=YEARLY(;(INTERVAL=1|WKST=[A-Z]{2}|UNTIL=\d{8}(T\d{6}Z?)?|BYMONTH=\d{1,2}"
    r"|BYDAY=[+-]?\d?[A-Z]{2}|BYMONTHDAY=-?\d{1,2}(,-?\d{1,2}){0,6}"
    r"|BY(HOUR|MINUTE|SECOND)=\d{1,2})){0,9}"
)


@dataclass(frozen=True, slots=True)
class Observance:
    """STANDARD or DAYLIGHT: from `start`, yearly by `rule`, the clock is `offset` off UTC."""

    start: datetime
    offset: timedelta
    rule: str = ""

    def last_before(self, local: datetime) -> datetime | None:
        """Return its last onset at or before a local time; None where there was none."""
        if local < self.start:
            return None
        if not self.rule:
            return self.start
        # Two years back, for in the year before the onset may have been on an earlier day.
        day = min(self.start.day, 28) if self.start.month == 2 else self.start.day
        since = max(self.start, self.start.replace(year=local.year - 2, day=day))
        found: datetime | None = rrulestr(self.rule, dtstart=since).before(local, inc=True)
        return found or self.start


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone, with its IANA name where it has one."""

    name: str
    observances: tuple[Observance, ...] = ()

    def to_utc(self, local: datetime) -> datetime:
        """Return what a naive local time is in UTC."""
        return local.replace(tzinfo=self._tzinfo(local)).astimezone(UTC)

    def _tzinfo(self, local: datetime) -> tzinfo:
        if self.name:
            return ZoneInfo(self.name)
        onsets = [
            (onset, observance.offset)
            for observance in self.observances
            if (onset := observance.last_before(local)) is not None
        ]
        if not onsets:
            return timezone(min(self.observances, key=lambda part: part.start).offset)
        return timezone(max(onsets)[1])


UTC_ZONE = Zone("UTC")


@cache
def _iana_names() -> Mapping[str, str]:
    return {name.lower(): name for name in available_timezones()}


def find_zone(tzid: str, own: Mapping[str, Zone]) -> Zone:
    """Return the zone of a TZID; `own` are the VTIMEZONEs of the calendar it stands in.

    Names are looked up in lists and never used as a path. Raises ValueError where none is known.
    """
    name = _iana_name(tzid)
    if name is not None:
        return Zone(name)
    if tzid in own:
        return own[tzid]
    raise ValueError(f"the time zone {tzid[:80]!r} is not known and not defined")


def _iana_name(tzid: str) -> str | None:
    windows = WINDOWS_TO_OLSON.get(tzid)
    if windows is not None:
        return windows
    # Some write /their-own.example/2024a/Europe/Berlin.
    parts = tzid.split("/")
    tails = ["/".join(parts[-count:]) for count in (2, 3)] if tzid.startswith("/") else []
    known = (_iana_names().get(name.lower()) for name in (tzid, *tails))
    return next((name for name in known if name), None)


@lru_cache(maxsize=256)
def name_like(zone: Zone, year: int) -> str:
    """Return the name of a zone, or of a known one whose clock changes as its does; else empty.

    That is now, of many then the one that did so in a given year as well; or else in that year.
    """
    if zone.name:
        return zone.name
    names = sorted(set(WINDOWS_TO_OLSON.values()))
    now, then = (
        [name for name in names if _is_like(zone, Zone(name), one)] for one in (2025, year)
    )
    return next(iter([*(name for name in now if name in then), *now, *then]), "")


def _is_like(zone: Zone, known: Zone, year: int) -> bool:
    """Return True if two clocks say the same all through a year."""
    tried = (datetime(year, 1, 1, 12) + timedelta(days=9 * step) for step in range(41))  # noqa: DTZ001
    return all(zone.to_utc(local) == known.to_utc(local) for local in tried)


def read_offset(text: str) -> timedelta:
    """Return a UTC-OFFSET (RFC 5545 3.3.14); raises ValueError."""
    match = _OFFSET.fullmatch(text)
    if match is None or int(match[2]) > 23 or int(match[3]) > 59:
        raise ValueError(f"{text[:20]!r} is no offset from UTC, like +0100")
    size = timedelta(hours=int(match[2]), minutes=int(match[3]), seconds=int(match[4] or 0))
    return -size if match[1] == "-" else size


def make_zone(observances: Sequence[tuple[datetime, str, str]]) -> Zone:
    """Return a zone of (onset, offset to, rule); raises ValueError where it cannot be followed."""
    if not observances or len(observances) > 200:
        raise ValueError("a time zone needs between 1 and 200 parts")
    parts = []
    for start, offset, rule in observances:
        if rule and not _YEARLY.fullmatch(rule):
            raise ValueError(f"the time zone's rule {rule[:80]!r} cannot be followed")
        # A rule that began in 1601 says the same of 1971, and dates can then be reckoned with.
        onset = start.replace(year=1971) if rule and start.year < 1971 else start
        # rrulestr wants an UNTIL in UTC only for a start in UTC; the clock here is the local one.
        parts.append(Observance(onset, read_offset(offset), re.sub(r"(UNTIL=\w+)Z", r"\1", rule)))
    return Zone("", tuple(parts))
