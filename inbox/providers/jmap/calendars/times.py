"""Times, durations and zones of JSCalendar (RFC 8984 1.4), and of iCalendar. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from inbox.formats.calendar_lines import Moment, zone_names
from inbox.providers.http.json_values import text_of

Json: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Words:
    """How a server's form of events differs from JSCalendar.

    `has_one_rule`: it has but one rule, under a name of its own. `lasts_by_clock`: how long an
    event lasts is told in days of 24 hours, and understood as the distance on the clock.
    """

    type: str = "Event"
    has_one_rule: bool = False
    lasts_by_clock: bool = False


_LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?")
_DURATION = re.compile(
    r"P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d+)?S)?)?"
)
_UTC_NAMES = frozenset({"UTC", "Etc/UTC", "Etc/GMT", "GMT", "Etc/Universal", "Etc/Zulu"})
_DAY = timedelta(days=1)


def local_of(text: str) -> datetime:
    """Return a LocalDateTime, to the second; raises ValueError for what is none."""
    if not _LOCAL.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no time")
    return datetime.fromisoformat(text[:19])


def said_local(local: datetime) -> str:
    """Return a time on a clock as a LocalDateTime."""
    return local.replace(tzinfo=None, microsecond=0).isoformat(timespec="seconds")


def start_of(event: Json) -> Moment:
    """Return when an event begins; raises ValueError where that cannot be read."""
    local, zone = local_of(text_of(event, "start")), text_of(event, "timeZone")
    if not 1900 <= local.year <= 2200:
        raise ValueError("the event is too long ago, or too far ahead")
    if event.get("showWithoutTime") is True:
        return Moment.of_day(local.date())
    if zone in _UTC_NAMES:
        return Moment(local, "UTC")
    if zone and zone not in zone_names():
        raise ValueError(f"the time zone {zone[:80]!r} is not known")
    return Moment(local, zone)


def end_of(event: Json, start: Moment, words: Words) -> Moment:
    """Return when an event ends: days are counted on the clock, the rest is exact."""
    said = text_of(event, "duration") or "PT0S"
    found = _DURATION.fullmatch(said)
    if found is None or said in ("P", "PT"):
        raise ValueError(f"{said[:40]!r} is no duration")
    weeks, days, hours, minutes, seconds = (int(number or 0) for number in found.groups())
    nominal = timedelta(weeks=weeks, days=days)
    exact = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    if start.is_day:
        whole = nominal + exact
        days = max(-(-whole // _DAY), 1)
        return Moment.of_day(start.local.date() + days * _DAY)
    if words.lasts_by_clock:
        return after(start, nominal + exact)
    return after(Moment(start.local + nominal, start.zone), exact)


def after(start: Moment, exact: timedelta) -> Moment:
    """Return the time that is so much later."""
    if not start.zone:
        return Moment(start.local + exact)
    return Moment.of_instant(start.instant + exact, start.zone)


def duration_between(start: Moment, end: Moment, words: Words) -> str:
    """Return how long an event lasts, whole days as such; raises ValueError for less than 0."""
    clock = end.local - start.local
    if start.is_day or (start.zone == end.zone and clock >= _DAY and not clock % _DAY):
        return f"P{max(clock // _DAY, 1)}D"
    is_exact = start.zone and end.zone and not (words.lasts_by_clock and start.zone == end.zone)
    exact = end.instant - start.instant if is_exact else clock
    if exact < timedelta():
        raise ValueError("an event cannot end before it begins")
    minutes, seconds = divmod(int(exact.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    parts = "".join(
        f"{it}{name}" for it, name in ((hours, "H"), (minutes, "M"), (seconds, "S")) if it
    )
    return f"PT{parts or '0S'}"


def times_of(start: Moment, end: Moment, words: Words) -> dict[str, Any]:
    """Return when an event takes place as JSCalendar says it."""
    return {
        "start": said_local(start.local), "duration": duration_between(start, end, words),
        "timeZone": ("Etc/UTC" if start.zone == "UTC" else start.zone) or None,
        "showWithoutTime": start.is_day,
    }  # fmt: skip


def like(moment: Moment, start: Moment) -> Moment:
    """Return a time in the manner of the start of its series: on its clock, or as a day."""
    if start.is_day:
        return Moment.of_day(moment.local.date())
    if moment.zone == start.zone or not (moment.zone and start.zone):
        local = datetime.combine(moment.local, time()) if moment.is_day else moment.local
        return Moment(local, start.zone)
    return Moment.of_instant(moment.instant, start.zone)


def at_clock(local: datetime, start: Moment) -> Moment:
    """Return what a LocalDateTime of a series is, by its start."""
    return Moment.of_day(local.date()) if start.is_day else Moment(local, start.zone)


def until_said(local: datetime, start: Moment) -> str:
    """Return the end of a series as UNTIL has it (RFC 5545 3.3.10)."""
    if start.is_day:
        return f"{local:%Y%m%d}"
    if not start.zone:
        return f"{local:%Y%m%dT%H%M%S}"
    return f"{local.replace(tzinfo=ZoneInfo(start.zone)).astimezone(UTC):%Y%m%dT%H%M%SZ}"


def until_read(text: str, start: Moment) -> str:
    """Return what UNTIL says on the clock of a series; raises ValueError for what is no time."""
    if len(text) == 8:
        end = time() if start.is_day else time(23, 59, 59)
        return said_local(datetime.combine(datetime.strptime(text, "%Y%m%d"), end))  # noqa: DTZ007
    local = datetime.strptime(text.removesuffix("Z"), "%Y%m%dT%H%M%S")  # noqa: DTZ007
    if text.endswith("Z") and start.zone and not start.is_day:
        local = local.replace(tzinfo=UTC).astimezone(ZoneInfo(start.zone)).replace(tzinfo=None)
    return said_local(datetime.combine(local, time()) if start.is_day else local)
