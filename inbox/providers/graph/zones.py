"""Time zones by the names that Windows has for them, and by those of IANA. Pure."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from inbox.formats.calendar_lines import zone_names

UTC_NAME = "UTC"
_UTC_NAMES = frozenset({UTC_NAME, "Etc/UTC", "tzone://Microsoft/Utc", "Coordinated Universal Time"})


def iana_name(name: str) -> str:
    """Return the IANA name of a zone that has that or a Windows name; empty where none is known."""
    if name in _UTC_NAMES:
        return UTC_NAME
    found: str = WINDOWS_TO_OLSON.get(name, name)
    return found if found in zone_names() else ""


@lru_cache(maxsize=256)
def windows_name(name: str) -> str:
    """Return the Windows name of the zone whose clock goes as that of an IANA one, or its own."""
    if name in _UTC_NAMES:
        return UTC_NAME
    exact = sorted(windows for windows, iana in WINDOWS_TO_OLSON.items() if iana == name)
    alike = exact or sorted(
        windows for windows, iana in WINDOWS_TO_OLSON.items() if is_same_clock(iana, name)
    )
    return alike[0] if alike else name


@lru_cache(maxsize=4096)
def is_same_clock(one: str, other: str) -> bool:
    """Return True if the clocks of two IANA zones show the same from 2020 to 2032."""
    if one == other:
        return True
    if not {one, other} <= zone_names():
        return False
    first = datetime(2020, 1, 1, 12, tzinfo=UTC)
    moments = (first + timedelta(days=9 * step) for step in range(490))
    left, right = ZoneInfo(one), ZoneInfo(other)
    return all(
        at.astimezone(left).utcoffset() == at.astimezone(right).utcoffset() for at in moments
    )
