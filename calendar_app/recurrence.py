"""When a series takes place (RFC 5545 3.8.5): its rule, read strictly and followed in bounds.

No Django. A rule is a stranger's: it is followed period by period from the time that is asked for,
and each step is counted, so that one which never matches ends like any other.
"""

import re
from calendar import isleap, monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from heapq import merge
from itertools import islice, product
from zoneinfo import ZoneInfo

FIRST_YEAR = 1900
LAST_YEAR = 2200
# A read of a calendar follows so many periods of all its series together, then stops.
MOST_STEPS = 1_000_000
# A counted rule is followed this far; one that has more is taken for endless.
MOST_COUNTED = 5_000

_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_FREQUENCIES = ("HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
# RFC 5545 3.3.10, by the largest number that each part may hold.
_LIMITS = {
    "INTERVAL": 10_000, "COUNT": 100_000, "BYSECOND": 60, "BYMINUTE": 59, "BYHOUR": 23,
    "BYMONTHDAY": 31, "BYYEARDAY": 366, "BYWEEKNO": 53, "BYMONTH": 12, "BYSETPOS": 366,
}  # fmt: skip
_BELOW_ZERO = frozenset({"BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS"})
_FROM_ZERO = frozenset({"BYSECOND", "BYMINUTE", "BYHOUR"})
_MOST_NUMBERS = 366
_LONGEST_RULE = 1_000
_NUMBER = re.compile(r"[+-]?\d{1,9}", re.ASCII)
_BYDAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
_UNTIL = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Rule:
    """An RRULE. `by` holds its BY… parts but BYDAY; `byday` pairs of (which one, weekday)."""

    freq: str
    interval: int = 1
    count: int | None = None
    # On the clock of the series, the last one included; with its zone where it was given in UTC.
    until: datetime | None = None
    week_start: int = 0
    by: dict[str, tuple[int, ...]] = field(default_factory=dict)
    byday: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """When something takes place: the first start in UTC, its IANA zone, and what recurs.

    `rdate` and `exdate` are further and left out starts, in UTC.
    """

    start: datetime
    timezone: str = ""
    all_day: bool = False
    rrule: str = ""
    rdate: tuple[datetime, ...] = ()
    exdate: tuple[datetime, ...] = ()
    # Its COUNT was worked out before, into the last start that the rule makes; None: none is known.
    is_counted: bool = False
    ends: datetime | None = None


@dataclass(slots=True)
class Budget:
    """How many periods may still be looked at."""

    steps: int = MOST_STEPS

    def spend(self) -> bool:
        """Take one step; False where there is none left."""
        self.steps -= 1
        return self.steps >= 0


# -- reading a rule --------------------------------------------------------------------------------


def read_rule(text: str) -> Rule:
    """Return an RRULE; raises ValueError where it is none, or recurs by the minute or second."""
    if len(text) > _LONGEST_RULE:
        raise ValueError(f"the RRULE is longer than {_LONGEST_RULE:,} characters")
    parts = dict(part.partition("=")[::2] for part in text.upper().split(";") if part)
    freq = parts.pop("FREQ", "")
    if freq not in _FREQUENCIES:
        raise ValueError(f"RRULE: FREQ must be one of {', '.join(_FREQUENCIES)}")
    until = _read_until(parts.pop("UNTIL")) if "UNTIL" in parts else None
    week_start = _read_weekday(parts.pop("WKST", "MO"))
    byday = _read_days(parts.pop("BYDAY")) if "BYDAY" in parts else ()
    _take_scale(parts)
    numbers = {
        name: _read_numbers(name, value)
        for name, value in parts.items()
        if not name.startswith("X-")
    }
    if freq == "HOURLY" and "BYSETPOS" in numbers:
        raise ValueError("RRULE: BYSETPOS is not followed by the hour")
    (interval,) = numbers.pop("INTERVAL", (1,))
    (count,) = numbers.pop("COUNT", (None,))
    return Rule(freq, interval, count, until, week_start, numbers, byday)


def _take_scale(parts: dict[str, str]) -> None:
    """Take away what says nothing but what is meant without it (RFC 7529 4.1)."""
    if parts.get("RSCALE") == "GREGORIAN" and parts.get("SKIP", "OMIT") == "OMIT":
        del parts["RSCALE"]
        parts.pop("SKIP", None)


def _read_numbers(name: str, value: str) -> tuple[int, ...]:
    texts = value.split(",", _MOST_NUMBERS)
    if name in _LIMITS and len(texts) <= _MOST_NUMBERS and all(map(_NUMBER.fullmatch, texts)):
        numbers = tuple(sorted({int(text) for text in texts}))
        lowest = -_LIMITS[name] if name in _BELOW_ZERO else 0 if name in _FROM_ZERO else 1
        fits = all(lowest <= number <= _LIMITS[name] for number in numbers)
        single = name not in {"INTERVAL", "COUNT"} or len(numbers) == 1
        if fits and single and not (name in _BELOW_ZERO and 0 in numbers):
            return numbers
    raise ValueError(f"RRULE: {name[:20]}={value[:40]} is not of RFC 5545")


def _read_weekday(text: str) -> int:
    if text not in _WEEKDAYS:
        raise ValueError(f"RRULE: {text[:40]!r} is no day of the week")
    return _WEEKDAYS.index(text)


def _read_days(value: str) -> tuple[tuple[int, int], ...]:
    texts = value.split(",", 100)
    matches = [_BYDAY.fullmatch(text) for text in texts]
    found = {
        (int(match[1] or 0), _WEEKDAYS.index(match[2])) for match in matches if match is not None
    }
    if None in matches or len(texts) > 100 or any(abs(nth) > 53 for nth, _ in found):
        raise ValueError(f"RRULE: BYDAY={value[:40]} is not of RFC 5545")
    return tuple(sorted(found))


def _read_until(text: str) -> datetime:
    match = _UNTIL.fullmatch(text)
    if match is None:
        raise ValueError(f"RRULE: UNTIL={text[:40]} is no time")
    year, month, day = (int(number) for number in match.groups()[:3])
    year = min(year, LAST_YEAR + 1)
    # A day alone is meant whole, whatever the start is.
    clock = [int(number) for number in match.groups()[3:6]] if match[4] else [23, 59, 59]
    zone = UTC if match[7] else None
    return datetime(year, month, day, clock[0], clock[1], min(clock[2], 59), tzinfo=zone)


# -- following a rule ------------------------------------------------------------------------------


def find_starts(
    series: Series, since: datetime, budget: Budget, until: datetime | None = None
) -> Iterator[datetime]:
    """Yield the starts in UTC from `since` on, in order, each once, those left out left out.

    Nothing is looked for long after `until`.
    """
    left_out = set(series.exdate)
    previous = None
    first = [series.start] if series.start >= since else []
    further = sorted(moment for moment in series.rdate if moment >= since)
    for moment in merge(first, further, _by_rule(series, since, budget, until)):
        if moment != previous and moment not in left_out:
            yield moment
        previous = moment


def find_last_start(series: Series) -> datetime | None:
    """Return the last start; None where it goes on for ever, or longer than is followed."""
    last = max([series.start, *series.rdate])
    if not series.rrule:
        return last
    rule = read_rule(series.rrule)
    if rule.count is None and rule.until is None:
        return None
    if rule.count is None:
        return max(last, _until_in_utc(rule, series))
    budget = Budget(MOST_COUNTED)
    starts = list(islice(_by_rule(series, series.start, budget), MOST_COUNTED))
    if budget.steps < 0 or len(starts) >= MOST_COUNTED:
        return None
    return max([last, *starts])


def is_start(series: Series, moment: datetime) -> bool:
    """Return True if the series has an instance that starts then."""
    return next(find_starts(series, moment, Budget()), None) == moment


def to_local(series: Series, moment: datetime) -> datetime:
    """Return an instant as the clock of the series shows it, naive."""
    return moment.astimezone(_zone(series)).replace(tzinfo=None)


def to_utc(series: Series, local: datetime) -> datetime:
    """Return what a time on the clock of the series is in UTC; skipped ones move on (3.3.5)."""
    return local.replace(tzinfo=_zone(series)).astimezone(UTC)


def _zone(series: Series) -> ZoneInfo:
    return ZoneInfo("UTC" if series.all_day or not series.timezone else series.timezone)


def _until_in_utc(rule: Rule, series: Series) -> datetime:
    if rule.until is None:
        raise ValueError("the rule has no UNTIL")
    return rule.until if rule.until.tzinfo else to_utc(series, rule.until)


def _by_rule(
    series: Series, since: datetime, budget: Budget, until: datetime | None = None
) -> Iterator[datetime]:
    """Yield the starts after the first that the rule makes; DTSTART counts as one of COUNT."""
    if not series.rrule:
        return
    rule = read_rule(series.rrule)
    start = to_local(series, series.start)
    ends = _until_in_utc(rule, series) if rule.until else series.ends
    left = rule.count - 1 if rule.count is not None and not series.is_counted else None
    # What is counted is counted from the beginning; all else begins a period before what is asked.
    begin = start if left is not None else max(start, to_local(series, since))
    last_day = to_local(series, until).date() if until else date(LAST_YEAR, 12, 31)
    for local in _follow(rule, start, begin, last_day, budget):
        moment = to_utc(series, local)
        if moment <= series.start:
            continue
        if left == 0 or (ends is not None and moment > ends):
            return
        left = left - 1 if left is not None else None
        if moment >= since:
            yield moment


def _follow(
    rule: Rule, start: datetime, begin: datetime, last_day: date, budget: Budget
) -> Iterator[datetime]:
    """Yield what the rule matches in its periods from just before `begin`, in order."""
    days, clocks = _Days(rule, start), _clocks(rule, start)
    for first_day, length in _periods(rule, start, begin):
        if first_day > last_day or not budget.spend():
            return
        found = [
            datetime.combine(day, clock)
            for day in (first_day + timedelta(days=index) for index in range(length))
            if days.match(day)
            for clock in clocks
            if rule.freq != "HOURLY" or _is_hour(rule, start, day, clock)
        ]
        yield from _at_positions(found, rule.by.get("BYSETPOS", ()))


def _is_hour(rule: Rule, start: datetime, day: date, clock: time) -> bool:
    passed = (day - start.date()).days * 24 + clock.hour - start.hour
    return passed % rule.interval == 0


def _at_positions(found: list[datetime], positions: Iterable[int]) -> list[datetime]:
    if not positions:
        return found
    places = {it - 1 if it > 0 else len(found) + it for it in positions}
    return [moment for place, moment in enumerate(found) if place in places]


def _periods(rule: Rule, start: datetime, begin: datetime) -> Iterator[tuple[date, int]]:
    """Yield the periods as (first day, days), from the one before `begin` on; hours by the day."""
    if rule.freq not in {"YEARLY", "MONTHLY"}:
        yield from _short_periods(rule, start, begin)
        return
    size = 12 if rule.freq == "YEARLY" else 1
    months = (begin.year - start.year) * 12 + begin.month - start.month
    number = max(months // size // rule.interval - 1, 0) * rule.interval
    while True:
        year, month = divmod(start.year * 12 + start.month - 1 + number * size, 12)
        if year > LAST_YEAR:
            return
        if size == 12:
            yield date(year, 1, 1), 366 if isleap(year) else 365
        else:
            yield date(year, month + 1, 1), monthrange(year, month + 1)[1]
        number += rule.interval


def _short_periods(rule: Rule, start: datetime, begin: datetime) -> Iterator[tuple[date, int]]:
    length = 7 if rule.freq == "WEEKLY" else 1
    step = length * (1 if rule.freq == "HOURLY" else rule.interval)
    first = start.date()
    if rule.freq == "WEEKLY":
        first -= timedelta(days=(first.weekday() - rule.week_start) % 7)
    day = first + timedelta(days=max((begin.date() - first).days // step - 1, 0) * step)
    while day.year <= LAST_YEAR:
        yield day, length
        day += timedelta(days=step)


def _clocks(rule: Rule, start: datetime) -> list[time]:
    hours = rule.by.get("BYHOUR", range(24) if rule.freq == "HOURLY" else (start.hour,))
    minutes = rule.by.get("BYMINUTE", (start.minute,))
    # A leap second is the last second of its minute.
    seconds = sorted({min(it, 59) for it in rule.by.get("BYSECOND", (start.second,))})
    return [time(*parts) for parts in islice(product(hours, minutes, seconds), 24 * 60)]


class _Days:
    """Which days a rule matches, what it leaves out taken from the start (RFC 5545 3.3.10)."""

    def __init__(self, rule: Rule, start: datetime) -> None:
        by = rule.by
        self.months = frozenset(by.get("BYMONTH", ()))
        self.weeks = frozenset(by.get("BYWEEKNO", ())) if rule.freq == "YEARLY" else frozenset()
        self.month_days = frozenset(by.get("BYMONTHDAY", ()))
        self.year_days = frozenset(by.get("BYYEARDAY", ()))
        self.week_start = rule.week_start
        counts = rule.freq in {"MONTHLY", "YEARLY"} and not self.weeks
        self.weekdays = frozenset(day for nth, day in rule.byday if not nth or not counts)
        self.nth = frozenset((nth, day) for nth, day in rule.byday if nth and counts)
        self.of_year = rule.freq == "YEARLY" and not self.months
        self._complete(rule.freq, start)

    def _complete(self, freq: str, start: datetime) -> None:
        if self.weekdays or self.nth or self.month_days or self.year_days:
            return
        if self.weeks or freq == "WEEKLY":
            self.weekdays = frozenset({start.weekday()})
        elif freq in {"MONTHLY", "YEARLY"}:
            self.month_days = frozenset({start.day})
            if freq == "YEARLY":
                self.months = self.months or frozenset({start.month})

    def match(self, day: date) -> bool:
        """Return True if the rule takes this day."""
        return (
            (not self.months or day.month in self.months)
            and (not (self.weekdays or self.nth) or self._is_weekday(day))
            and (not self.month_days or self._is_month_day(day))
            and (not self.year_days or self._is_year_day(day))
            and (not self.weeks or self._is_week(day))
        )

    def _is_weekday(self, day: date) -> bool:
        weekday = day.weekday()
        if weekday in self.weekdays:
            return True
        if all(weekday != wanted for _, wanted in self.nth):
            return False
        place, length = _place_in_year(day) if self.of_year else _place_in_month(day)
        forth, back = (place - 1) // 7 + 1, -((length - place) // 7) - 1
        return (forth, weekday) in self.nth or (back, weekday) in self.nth

    def _is_month_day(self, day: date) -> bool:
        place, length = _place_in_month(day)
        return place in self.month_days or place - length - 1 in self.month_days

    def _is_year_day(self, day: date) -> bool:
        place, length = _place_in_year(day)
        return place in self.year_days or place - length - 1 in self.year_days

    def _is_week(self, day: date) -> bool:
        """Tell by the week's fourth day, whose year the week belongs to."""
        fourth = day + timedelta(days=3 - (day.weekday() - self.week_start) % 7)
        number = (_place_in_year(fourth)[0] - 1) // 7 + 1
        last = date(fourth.year, 12, 28)
        last += timedelta(days=3 - (last.weekday() - self.week_start) % 7)
        if last.year > fourth.year:
            last -= timedelta(days=7)
        weeks = (_place_in_year(last)[0] - 1) // 7 + 1
        return number in self.weeks or number - weeks - 1 in self.weeks


def _place_in_month(day: date) -> tuple[int, int]:
    return day.day, monthrange(day.year, day.month)[1]


def _place_in_year(day: date) -> tuple[int, int]:
    return day.timetuple().tm_yday, 366 if isleap(day.year) else 365
