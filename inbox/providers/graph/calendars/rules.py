"""Rules of recurrence (RFC 5545 3.3.10) as Graph says them, where it has the words. Pure.

A day that a month does not have is its last one for Exchange, and is left out by iCalendar.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeAlias

from inbox.formats.calendar_lines import Moment

Days: TypeAlias = Sequence[tuple[int, str]]
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SHORT = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
INDEXES = {1: "first", 2: "second", 3: "third", 4: "fourth", -1: "last"}
_BYDAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_PARTS = frozenset(
    {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "WKST"}
)
_OF_MONTHS = frozenset({"BYMONTHDAY", "BYMONTH", "BYSETPOS"})
_MOST_OCCURRENCES = 999
_MOST_APART = 99
# Days that, as Exchange has them, every month has: lists of days of which the last one counts.
_CLAMPED = {(-1,): 31, (28, 29): 29, (28, 29, 30): 30, (28, 29, 30, 31): 31}


class UnsaidError(ValueError):
    """Graph has no words for a rule."""


def to_recurrence(rule: str, start: Moment) -> dict[str, Any]:
    """Return the recurrence of a series; raises UnsaidError."""
    parts = _split(rule)
    pattern = _pattern(parts, start.local)
    interval = _number(parts.get("INTERVAL", "1"))
    if not 1 <= interval <= _MOST_APART:
        raise UnsaidError("its interval is too long")
    return {
        "pattern": {"type": pattern.pop("type"), "interval": interval, **pattern},
        "range": _range(parts, start),
    }


def _split(rule: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in rule.upper().split(";") if part]
    parts = {name.strip(): value.strip() for name, _, value in pairs}
    if unknown := parts.keys() - _PARTS:
        raise UnsaidError(f"there is no {min(unknown)}")
    return parts


def _pattern(parts: Mapping[str, str], start: datetime) -> dict[str, Any]:
    days = [(_number(it[1] or "0"), it[2]) for it in map(_by_day, _list(parts, "BYDAY"))]
    match parts.get("FREQ"):
        case "DAILY" | "WEEKLY" if _is_by_week(parts, days):
            return _weekly(parts, [name for _which, name in days], start)
        case "DAILY" if not days and not parts.keys() & _OF_MONTHS:
            return {"type": "daily"}
        case "MONTHLY" if "BYMONTH" not in parts:
            return _monthly(parts, days, start, "Monthly")
        case "YEARLY":
            return _yearly(parts, days, start)
    raise UnsaidError("its parts do not go together")


def _is_by_week(parts: Mapping[str, str], days: Days) -> bool:
    if parts.keys() & _OF_MONTHS or any(which for which, _name in days):
        return False
    return parts["FREQ"] == "WEEKLY" or (bool(days) and parts.get("INTERVAL", "1") == "1")


def _weekly(parts: Mapping[str, str], names: Sequence[str], start: datetime) -> dict[str, Any]:
    wanted = {SHORT.index(name) for name in names} or {start.weekday()}
    if start.weekday() not in wanted:
        raise _elsewhere()
    first = parts.get("WKST", "MO")
    if first not in SHORT:
        raise UnsaidError("its week begins on no day")
    return {
        "type": "weekly",
        "daysOfWeek": [DAYS[day] for day in sorted(wanted)],
        "firstDayOfWeek": DAYS[SHORT.index(first)],
    }


def _monthly(parts: Mapping[str, str], days: Days, start: datetime, kind: str) -> dict[str, Any]:
    if days:
        if "BYMONTHDAY" in parts:
            raise UnsaidError("it names days of the month and of the week")
        return _relative(parts, days, start, kind)
    day = _day_of_month(parts, start, length(2025, start.month) if kind == "Yearly" else 28)
    if start.day != min(day, length(start.year, start.month)):
        raise _elsewhere()
    return {"type": f"absolute{kind}", "dayOfMonth": day}


def _day_of_month(parts: Mapping[str, str], start: datetime, always: int) -> int:
    """Return the day of a month; `always` is the last one that each has in which it recurs."""
    given = tuple(sorted(_number(each) for each in _list(parts, "BYMONTHDAY")))
    is_last = parts.get("BYSETPOS") == "-1"
    if given in _CLAMPED and is_last == (len(given) > 1):
        return _CLAMPED[given]
    if len(given) > 1 or "BYSETPOS" in parts:
        raise UnsaidError("it has several days of a month")
    day = given[0] if given else start.day
    if not 1 <= day <= always:
        raise UnsaidError("some months do not have its day")
    return day


def _relative(parts: Mapping[str, str], days: Days, start: datetime, kind: str) -> dict[str, Any]:
    which = _which(parts, days)
    wanted = {SHORT.index(name) for _which, name in days}
    every = (date(start.year, start.month, 1) + timedelta(days=at) for at in range(31))
    fit = [it for it in every if it.month == start.month and it.weekday() in wanted]
    if fit[which if which < 0 else which - 1] != start.date():
        raise _elsewhere()
    names = [DAYS[day] for day in sorted(wanted)]
    return {"type": f"relative{kind}", "daysOfWeek": names, "index": INDEXES[which]}


def _which(parts: Mapping[str, str], days: Days) -> int:
    position = _number(parts["BYSETPOS"]) if "BYSETPOS" in parts else 0
    if position and not any(which for which, _name in days):
        which = position
    elif not position and len(days) == 1:
        which = days[0][0]
    else:
        raise UnsaidError("it has several days of a month")
    if which not in INDEXES:
        raise UnsaidError("it counts days further than to the fourth")
    return which


def _yearly(parts: Mapping[str, str], days: Days, start: datetime) -> dict[str, Any]:
    months = [_number(each) for each in _list(parts, "BYMONTH")]
    if len(months) > 1 or (not months and parts.keys() & {"BYDAY", "BYMONTHDAY"}):
        raise UnsaidError("it recurs in several months, or counts through the year")
    if months and months[0] != start.month:
        raise _elsewhere()
    return {**_monthly(parts, days, start, "Yearly"), "month": start.month}


def _range(parts: Mapping[str, str], start: Moment) -> dict[str, Any]:
    first = start.local.date()
    said: dict[str, Any] = {"startDate": first.isoformat()}
    if count := parts.get("COUNT"):
        if not 1 <= _number(count) <= _MOST_OCCURRENCES:
            raise UnsaidError("it takes place too often")
        return {"type": "numbered", **said, "numberOfOccurrences": _number(count)}
    if until := parts.get("UNTIL"):
        last = _last_day(until, start)
        if last < first:
            raise UnsaidError("it ends before it begins")
        return {"type": "endDate", **said, "endDate": last.isoformat()}
    return {"type": "noEnd", **said}


def _last_day(until: str, start: Moment) -> date:
    """Return the last day on which a series may take place that ends at a time."""
    try:
        if len(until) == 8:
            return datetime.strptime(until, "%Y%m%d").replace(tzinfo=UTC).date()
        local = datetime.strptime(until.removesuffix("Z"), "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    except ValueError as error:
        raise UnsaidError("its end cannot be read") from error
    if until.endswith("Z") and not start.is_day:
        local = Moment.of_instant(local, start.zone or "UTC").local.replace(tzinfo=UTC)
    is_too_early = not start.is_day and local.time() < start.local.time()
    return local.date() - timedelta(days=int(is_too_early))


def _elsewhere() -> UnsaidError:
    return UnsaidError("it begins on another day than it recurs on")


def _by_day(text: str) -> re.Match[str]:
    found = _BYDAY.fullmatch(text)
    if found is None:
        raise UnsaidError("its days cannot be read")
    return found


def _list(parts: Mapping[str, str], name: str) -> list[str]:
    return [each for each in parts.get(name, "").split(",") if each]


def _number(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,6}", text):
        raise UnsaidError("its numbers cannot be read")
    return int(text)


def length(year: int, month: int) -> int:
    """Return how many days a month has."""
    after = date(year + month // 12, month % 12 + 1, 1)
    return (after - timedelta(days=1)).day
