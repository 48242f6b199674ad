"""When a series takes place, as Exchange reckons it: pattern and range, on the clock of its zone."""

import calendar
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from tests.machines.graph.checking import refuse
from tests.machines.graph.declared import ENUMS

_NEEDS = {
    "daily": set(),
    "weekly": {"daysOfWeek"},
    "absoluteMonthly": {"dayOfMonth"},
    "relativeMonthly": {"daysOfWeek"},
    "absoluteYearly": {"dayOfMonth", "month"},
    "relativeYearly": {"daysOfWeek", "month"},
}
_MAY = {"weekly": {"firstDayOfWeek"}, "relativeMonthly": {"index"}, "relativeYearly": {"index"}}
_OF_RANGE = {"endDate": {"endDate"}, "noEnd": set(), "numbered": {"numberOfOccurrences"}}
_DAYS = ENUMS["dayOfWeek"]
_INDEXES = ENUMS["weekIndex"]
# A series without an end is followed so far.
HORIZON = timedelta(days=366 * 12)


def checked(recurrence: dict[str, Any], start: date, zone: str) -> dict[str, Any]:
    """Return a recurrence with all that Exchange says of one; raises RefusedError."""
    pattern, span = recurrence.get("pattern"), recurrence.get("range")
    if set(recurrence) != {"pattern", "range"} or not pattern or not span:
        raise refuse("a recurrence has a pattern and a range")
    kind = pattern.get("type")
    if kind is None or pattern.get("interval", 0) < 1 or pattern["interval"] > 999:
        raise refuse("a pattern has a type and an interval from 1 to 999")
    said = {name for name in pattern if pattern[name] is not None} - {"type", "interval"}
    if not _NEEDS[kind] <= said <= _NEEDS[kind] | _MAY.get(kind, set()):
        raise refuse(f"a pattern that is {kind} cannot say {sorted(said)}")
    if "daysOfWeek" in said and not pattern["daysOfWeek"]:
        raise refuse("no day of the week")
    if "dayOfMonth" in said and not 1 <= pattern["dayOfMonth"] <= 31:
        raise refuse("dayOfMonth is from 1 to 31")
    if "month" in said and not 1 <= pattern["month"] <= 12:
        raise refuse("month is from 1 to 12")
    _check_range(span, start)
    full = {
        "pattern": {
            "type": kind, "interval": pattern["interval"], "month": pattern.get("month") or 0,
            "dayOfMonth": pattern.get("dayOfMonth") or 0,
            "firstDayOfWeek": pattern.get("firstDayOfWeek") or "sunday",
            "index": pattern.get("index") or "first",
            **({"daysOfWeek": pattern["daysOfWeek"]} if "daysOfWeek" in said else {}),
        },
        "range": {
            "type": span["type"], "startDate": span["startDate"],
            "endDate": span.get("endDate") or "0001-01-01", "recurrenceTimeZone": zone,
            "numberOfOccurrences": span.get("numberOfOccurrences") or 0,
        },
    }  # fmt: skip
    if next(dates(full), None) != start:
        raise refuse("the pattern does not take place when the event starts")
    return full


def _check_range(span: dict[str, Any], start: date) -> None:
    kind = span.get("type")
    said = {name for name in span if span[name] is not None} - {"recurrenceTimeZone"}
    if kind is None or said != {"type", "startDate"} | _OF_RANGE[kind]:
        raise refuse(f"a range that is {kind} cannot say {sorted(said)}")
    if span["startDate"] != start.isoformat():
        raise refuse("the range starts on another day than the event")
    if kind == "endDate" and span["endDate"] < span["startDate"]:
        raise refuse("the range ends before it starts", "ErrorRecurrenceEndDateTooEarly")
    if kind == "numbered" and not 1 <= span["numberOfOccurrences"] <= 999:
        raise refuse("numberOfOccurrences is from 1 to 999", "ErrorRecurrenceHasNoOccurrence")


def dates(recurrence: dict[str, Any]) -> Iterator[date]:
    """Yield the days of a series, in order."""
    pattern, span = recurrence["pattern"], recurrence["range"]
    start = date.fromisoformat(span["startDate"])
    last = start + HORIZON
    if span["type"] == "endDate":
        last = min(last, date.fromisoformat(span["endDate"]))
    count = 0
    for day in _days(pattern, start, last):
        if day > last or (span["type"] == "numbered" and count >= span["numberOfOccurrences"]):
            return
        if day >= start:
            count += 1
            yield day


def _days(pattern: dict[str, Any], start: date, last: date) -> Iterator[date]:
    kind, interval = pattern["type"], pattern["interval"]
    if kind == "daily":
        day = start
        while day <= last:
            yield day
            day += timedelta(days=interval)
    elif kind == "weekly":
        yield from _weeks(pattern, start, last)
    else:
        step = interval if kind.endswith("Monthly") else 12 * interval
        month = start.year * 12 + start.month - 1
        if kind.endswith("Yearly"):
            month = start.year * 12 + pattern["month"] - 1
        while month // 12 <= last.year:
            day = _in_month(pattern, month // 12, month % 12 + 1)
            if day is not None:
                yield day
            month += step


def _weeks(pattern: dict[str, Any], start: date, last: date) -> Iterator[date]:
    # Monday is 0 for Python, Sunday comes first here.
    first = (_DAYS.index(pattern["firstDayOfWeek"]) - 1) % 7
    week = start - timedelta(days=(start.weekday() - first) % 7)
    wanted = {(_DAYS.index(each) - 1) % 7 for each in pattern["daysOfWeek"]}
    while week <= last:
        yield from (
            day for at in range(7) if (day := week + timedelta(days=at)).weekday() in wanted
        )
        week += timedelta(weeks=pattern["interval"])


def _in_month(pattern: dict[str, Any], year: int, month: int) -> date | None:
    length = calendar.monthrange(year, month)[1]
    if pattern["type"].startswith("absolute"):
        # A day that a month does not have is its last one.
        return date(year, month, min(pattern["dayOfMonth"], length))
    wanted = {(_DAYS.index(each) - 1) % 7 for each in pattern["daysOfWeek"]}
    fit = [day for at in range(1, length + 1) if (day := date(year, month, at)).weekday() in wanted]
    index = _INDEXES.index(pattern["index"])
    if index == 4:
        return fit[-1]
    return fit[index] if index < len(fit) else None
