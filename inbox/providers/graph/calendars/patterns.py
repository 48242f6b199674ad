"""Graph's patterns and ranges of recurrence as rules (RFC 5545 3.3.10). Pure."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, TypeAlias

from inbox.formats.calendar_lines import Moment
from inbox.providers.graph.calendars.rules import DAYS, INDEXES, SHORT, length

Pattern: TypeAlias = Mapping[str, Any]
_NUMBERS = {name: number for number, name in INDEXES.items()}
_SAYS = {
    "daily": (), "weekly": ("daysOfWeek", "firstDayOfWeek"), "absoluteMonthly": ("dayOfMonth",),
    "relativeMonthly": ("daysOfWeek", "index"), "absoluteYearly": ("dayOfMonth", "month"),
    "relativeYearly": ("daysOfWeek", "index", "month"),
}  # fmt: skip
_ENDS = {"endDate": ("endDate",), "numbered": ("numberOfOccurrences",), "noEnd": ()}


def to_rule(recurrence: Mapping[str, Any], start: Moment) -> str:
    """Return the rule of a recurrence as Graph tells it; raises ValueError."""
    said = essence(recurrence)
    pattern, span = said["pattern"], said["range"]
    parts = _WORDS[pattern["type"]](pattern)
    if pattern["interval"] != 1:
        parts.insert(1, f"INTERVAL={pattern['interval']}")
    if span["type"] == "numbered":
        parts.append(f"COUNT={span['numberOfOccurrences']}")
    elif span["type"] == "endDate":
        parts.append(f"UNTIL={_until(date.fromisoformat(span['endDate']), start)}")
    return ";".join(parts)


def essence(recurrence: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recurrence without what says nothing; raises ValueError for one that is none."""
    try:
        pattern, span = recurrence["pattern"], recurrence["range"]
        said = {name: pattern[name] for name in _SAYS[pattern["type"]]}
        if "daysOfWeek" in said:
            said["daysOfWeek"] = sorted(set(said["daysOfWeek"]), key=DAYS.index)
        if "index" in said:
            _NUMBERS[said["index"]]
        numbers = {name: int(said[name]) for name in ("dayOfMonth", "month") if name in said}
        ended = {name: span[name] for name in _ENDS[span["type"]]}
        return {
            "pattern": {
                "type": pattern["type"], "interval": int(pattern["interval"]), **said, **numbers,
            },
            "range": {
                "type": span["type"],
                "startDate": date.fromisoformat(span["startDate"]).isoformat(),
                **ended,
            },
        }  # fmt: skip
    except (LookupError, TypeError) as error:
        raise ValueError("the recurrence cannot be read") from error


def _until(last: date, start: Moment) -> str:
    if start.is_day:
        return f"{last:%Y%m%d}"
    moment = Moment(datetime.combine(last, start.local.time()), start.zone or "UTC")
    return f"{moment.instant:%Y%m%dT%H%M%SZ}"


def _names(pattern: Pattern) -> str:
    return ",".join(SHORT[DAYS.index(day)] for day in pattern["daysOfWeek"])


def _weekly(pattern: Pattern) -> list[str]:
    first = SHORT[DAYS.index(pattern["firstDayOfWeek"])]
    week = [f"WKST={first}"] if first != "MO" else []
    return ["FREQ=WEEKLY", f"BYDAY={_names(pattern)}", *week]


def _day(pattern: Pattern, always: int) -> list[str]:
    """Return the parts of a day of the month; `always` is the last that each has."""
    day = pattern["dayOfMonth"]
    if day <= always:
        return [f"BYMONTHDAY={day}"]
    if day >= 31:
        return ["BYMONTHDAY=-1"]
    days = ",".join(str(each) for each in range(28, day + 1))
    return [f"BYMONTHDAY={days}", "BYSETPOS=-1"]


def _nth(pattern: Pattern) -> list[str]:
    which = _NUMBERS[pattern["index"]]
    if len(pattern["daysOfWeek"]) == 1:
        return [f"BYDAY={which}{_names(pattern)}"]
    return [f"BYDAY={_names(pattern)}", f"BYSETPOS={which}"]


def _day_of_year(pattern: Pattern) -> list[str]:
    days = _day(pattern, length(2025, pattern["month"]))
    return ["FREQ=YEARLY", f"BYMONTH={pattern['month']}", *days]


_WORDS: dict[str, Callable[[Pattern], list[str]]] = {
    "daily": lambda _pattern: ["FREQ=DAILY"],
    "weekly": _weekly,
    "absoluteMonthly": lambda it: ["FREQ=MONTHLY", *_day(it, 28)],
    "relativeMonthly": lambda it: ["FREQ=MONTHLY", *_nth(it)],
    "absoluteYearly": _day_of_year,
    "relativeYearly": lambda it: ["FREQ=YEARLY", f"BYMONTH={it['month']}", *_nth(it)],
}
