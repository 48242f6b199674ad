"""Times as Graph says and takes them."""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from tests.machines.graph.checking import refuse

_NAMES = available_timezones()
_WINDOWS: dict[str, str] = {}
for _windows, _iana in WINDOWS_TO_OLSON.items():
    _WINDOWS.setdefault(_iana, _windows)
_LOCAL = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,7})?")


class Clock:
    """Says a later time each time it is asked."""

    def __init__(self) -> None:
        self._last = datetime.now(UTC)

    def now(self) -> datetime:
        self._last = max(datetime.now(UTC), self._last + timedelta(microseconds=1))
        return self._last


def zone_of(name: str) -> ZoneInfo:
    if name in WINDOWS_TO_OLSON:
        return ZoneInfo(WINDOWS_TO_OLSON[name])
    if name not in _NAMES:
        raise refuse(f"the time zone {name} is not supported", "TimeZoneNotSupportedException")
    return ZoneInfo(name)


def windows_name(name: str) -> str:
    """Return what Exchange calls a zone."""
    return name if name in WINDOWS_TO_OLSON else _WINDOWS.get(name, name)


def read_time(value: Any) -> tuple[datetime, str]:
    """Return a dateTimeTimeZone as a naive time on the clock, and its zone."""
    found = _LOCAL.fullmatch(value.get("dateTime") or "") if value else None
    if found is None or not value.get("timeZone"):
        raise refuse("a dateTimeTimeZone has a dateTime without offset and a timeZone")
    zone_of(value["timeZone"])
    return datetime.fromisoformat(found[1]), value["timeZone"]


def in_utc(local: datetime, zone: str) -> datetime:
    return local.replace(tzinfo=zone_of(zone)).astimezone(UTC)


def on_clock(moment: datetime, zone: str) -> datetime:
    return moment.astimezone(zone_of(zone)).replace(tzinfo=None)


def said(local: datetime, zone: str) -> dict[str, str]:
    return {"dateTime": f"{local:%Y-%m-%dT%H:%M:%S}.0000000", "timeZone": zone}


def stamp(moment: datetime) -> str:
    """Return a DateTimeOffset of seven digits."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}0Z"


def read_offset(text: str) -> datetime:
    """Return the instant of a DateTimeOffset, or of a time in a query, which is UTC."""
    try:
        found = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text))
    except ValueError as error:
        raise refuse(f"{text} is no time") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def midnight(day: date) -> datetime:
    return datetime.combine(day, time())
