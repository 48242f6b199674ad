"""Rules of recurrence: RRULE (RFC 5545 3.3.10) and the RecurrenceRule of RFC 8984 4.3.3. Pure."""

import re
from collections.abc import Iterable
from typing import Any

from inbox.formats.calendar_lines import Moment
from inbox.providers.http.json_values import objects_of, text_of
from inbox.providers.jmap.calendars.times import Json, local_of, until_read, until_said

_FREQUENCIES = frozenset(
    {"yearly", "monthly", "weekly", "daily", "hourly", "minutely", "secondly"}
)  # fmt: skip
_DAYS = frozenset({"mo", "tu", "we", "th", "fr", "sa", "su"})
_NUMBERS = {
    "BYMONTHDAY": "byMonthDay", "BYYEARDAY": "byYearDay", "BYWEEKNO": "byWeekNo",
    "BYHOUR": "byHour", "BYMINUTE": "byMinute", "BYSECOND": "bySecond", "BYSETPOS": "bySetPosition",
}  # fmt: skip
_DAY = re.compile(r"([+-]?\d{1,3})?(MO|TU|WE|TH|FR|SA|SU)")
_MOST = 400


def rule_line(rule: Json, start: Moment) -> str:
    """Return the RRULE line of a rule; raises ValueError for one that iCalendar does not have."""
    frequency = text_of(rule, "frequency").lower()
    calendar, skip = text_of(rule, "rscale").lower(), text_of(rule, "skip").lower()
    if (
        frequency not in _FREQUENCIES
        or calendar not in ("", "gregorian")
        or skip not in ("", "omit")
    ):
        raise ValueError("its rule of recurrence is none that is known")
    parts = {"FREQ": frequency.upper()}
    interval, count = _number(rule, "interval"), _number(rule, "count")
    if interval and interval > 1:
        parts["INTERVAL"] = str(interval)
    if count:
        parts["COUNT"] = str(count)
    elif until := text_of(rule, "until"):
        parts["UNTIL"] = until_said(local_of(until), start)
    parts["BYMONTH"] = ",".join(_texts(rule.get("byMonth")))
    parts["BYDAY"] = ",".join(_days(rule))
    for name, theirs in _NUMBERS.items():
        parts[name] = ",".join(map(str, _integers(rule.get(theirs))))
    if (first := text_of(rule, "firstDayOfWeek").lower()) in _DAYS - {"mo"}:
        parts["WKST"] = first.upper()
    return "RRULE:" + ";".join(f"{name}={value}" for name, value in parts.items() if value)


def _number(rule: Json, name: str) -> int | None:
    value = rule.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _integers(value: Any) -> list[int]:
    found = value[:_MOST] if isinstance(value, list) else []
    return [it for it in found if isinstance(it, int) and not isinstance(it, bool)]


def _texts(value: Any) -> list[str]:
    found = value[:_MOST] if isinstance(value, list) else []
    return [str(it) for it in found if isinstance(it, str | int) and str(it).isdecimal()]


def _days(rule: Json) -> Iterable[str]:
    for one in objects_of(rule, "byDay")[:_MOST]:
        nth, day = one.get("nthOfPeriod"), text_of(one, "day").lower()
        if day in _DAYS:
            is_nth = isinstance(nth, int) and not isinstance(nth, bool) and nth
            yield f"{nth if is_nth else ''}{day.upper()}"


def read_rule(line: str, start: Moment) -> dict[str, Any]:
    """Return the rule of an RRULE line; raises ValueError for what is none."""
    pairs = (part.partition("=") for part in line.partition(":")[2].strip().split(";"))
    parts = {name.strip().upper(): value.strip() for name, _, value in pairs if value}
    frequency = parts.get("FREQ", "").lower()
    if frequency not in _FREQUENCIES:
        raise ValueError("its rule of recurrence is none that is known")
    rule: dict[str, Any] = {"@type": "RecurrenceRule", "frequency": frequency}
    for name, value in parts.items():
        rule |= _part(name, value, start)
    return rule


def _part(name: str, value: str, start: Moment) -> dict[str, Any]:
    """Return what a part of a rule says; nothing where it says what is so in any case."""
    match name:
        case "INTERVAL":
            return {"interval": int(value)} if int(value) != 1 else {}
        case "COUNT":
            return {"count": int(value)}
        case "UNTIL":
            return {"until": until_read(value.upper(), start)}
        case "BYMONTH":
            return {"byMonth": [str(int(it)) for it in value.split(",")]}
        case "BYDAY":
            return {"byDay": [_day(it.strip().upper()) for it in value.split(",")]}
        case "WKST":
            return {"firstDayOfWeek": value.lower()} if value.upper() != "MO" else {}
    numbers = _NUMBERS.get(name)
    return {numbers: [int(it) for it in value.split(",")]} if numbers else {}


def _day(text: str) -> dict[str, Any]:
    found = _DAY.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:20]!r} is no day of a rule")
    nth = {"nthOfPeriod": int(found[1])} if found[1] else {}
    return {"@type": "NDay", "day": found[2].lower(), **nth}
