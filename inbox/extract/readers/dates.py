"""Dates in a text, as many notations and languages have them; pure.

A date without a year, and one like "next Friday", is read against the day the message was sent.
"""

import calendar
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

import regex

from inbox.extract.readers.calendar_words import (
    months,
    near_days,
    number_words,
    unit_days,
    weekdays,
)
from inbox.extract.readers.numbers import plain_digits
from inbox.languages import any_of, language, languages, lazy_regex, words_of

# How surely a bare weekday is read; it gives way to a date beside it.
WEEKDAY_SURE = 0.7
# And "in three days", or "at the end of the month".
COUNTED_SURE = 0.75
# Of so many texts the dates are kept.
_MOST_TEXTS = 64


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date, where it stands, and how surely it is read so."""

    day: date
    start: int
    end: int
    sure: float


def _any(words: Mapping[str, int]) -> str:
    return "|".join(regex.escape(word) for word in sorted(words, key=len, reverse=True))


def _month() -> str:
    return rf"(?P<month>{_any(months())})"


# Before a number nothing stands that makes it part of another; but one end of a range may be there.
_APART = r"(?:(?<![\p{L}\d.,/:-])|(?<=(?<![\p{L}\d.,/:-])[0-3]?\d\.?\s?[-/]\s?))"
_END = r"(?![\p{Latin}\d]|[/:-]\d|[.,]\d)"
_DAY = r"(?P<day>[0-3]?\d)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_FLAGS = regex.IGNORECASE

_ISO = lazy_regex(
    rf"(?<![\p{{Latin}}\d./-]){_YEAR}(?P<mark>[-/.])(?P<month>[01]?\d)(?P=mark){_DAY}(?!\d|[-/.]\d)"
)
_EAST = lazy_regex(rf"(?:{_YEAR}\s?年\s?)?(?P<month>[01]?\d)\s?[月월]\s?{_DAY}\s?[日일]")
_DOTTED = lazy_regex(
    rf"(?<![\p{{Latin}}\d./-]){_DAY}\.\s?(?P<month>[01]?\d)\.(?:\s?(?P<year>(?:19|"
    rf"20)?\d\d)(?!\d|[:.,]\d)|(?!\d))"
)
_SLASHED = lazy_regex(
    r"(?<![\p{Latin}\d./-])(?P<first>[0-3]?\d)(?P<mark>[/-])(?P<second>[0-3]?\d)(?P=mark)"
    r"(?P<year>(?:19|20)\d\d|\d\d)(?!\d|[-/.]\d)"
)
_DAY_MONTH = lazy_regex(
    lambda: (
        rf"{_APART}{_DAY}(?:{any_of(lambda it: it.calendar.ordinals)}|\.)?[\s-]{{0,2}}"
        rf"{any_of(lambda it: it.calendar.of)}?(?:{_month()})(?!\p{{Latin}})\.?"
        rf"(?:[\s,-]{{1,3}}{any_of(lambda it: it.calendar.of_year, lambda it: it.calendar.of)}?"
        rf"{_YEAR}{_END}(?:\s{any_of(lambda it: it.calendar.behind_year)}(?!\p{{L}}))?)?"
    ),
    _FLAGS,
)
_MONTH_DAY = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}}){_month()}\.?\s{{1,2}}{any_of(lambda it: it.calendar.before_day)}?{_DAY}"
        rf"{any_of(lambda it: it.calendar.ordinals)}?(?![\d:.]\d|\d|\s?(?:am|pm)\b)"
        rf"(?:,?\s{{1,2}}{_YEAR}{_END})?"
    ),
    _FLAGS,
)
_NAMED_DAY = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?P<word>{_any(near_days())})(?![\p{{Latin}}\p{{Arabic}}])", _FLAGS
)
_NAMED_WEEKDAY = lazy_regex(
    lambda: (
        rf"(?P<last>\b{any_of(lambda it: it.calendar.last)}\s)?"
        rf"(?P<next>\b{any_of(lambda it: it.calendar.next)}\s"
        rf"|{any_of(lambda it: it.calendar.next_joined)})?"
        rf"(?<!\p{{Latin}})(?P<weekday>{_any(weekdays())})"
        rf"(?:\s{any_of(lambda it: it.calendar.next_behind)}"
        rf"|(?P<last>\s{any_of(lambda it: it.calendar.last_behind)}))?(?![\p{{Latin}}\p{{Arabic}}])"
    ),
    _FLAGS,
)
# What is said behind a weekday: "the 24th", "den 24.", and no time of day nor a day of a month.
_NUMBER_OF_DAY = lazy_regex(
    lambda: (
        rf",?\s(?:(?:{any_of(lambda it: it.claims.before_days)})\s)?(?P<day>[0-3]?\d)"
        rf"(?:{any_of(lambda it: it.calendar.ordinals)}|\.(?!\d))?"
        rf"(?![\d/%€$£:.h-]|,\d|\s?(?:{any_of(lambda it: it.clock.oclock)}|[ap]\.?m\b|h\b)"
        rf"|\.?\s(?:{any_of(lambda it: it.calendar.of)})?{_month()}(?!\p{{Latin}}))"
    ),
    _FLAGS,
)
_TWO_MONTHS = 62
_COUNTED_DAYS = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}}){any_of(lambda it: it.calendar.within)}\s(?:the\snext\s)?"
        rf"(?P<count>\d{{1,3}}|{_any(number_words())})\s(?P<unit>{_any(unit_days())})(?!\p{{Latin}})"
        rf"|(?P<count>\d{{1,3}})\s?{any_of(lambda it: it.calendar.from_now)}"
    ),
    _FLAGS,
)
_MONTH_END = lazy_regex(lambda: any_of(lambda it: it.calendar.month_end), _FLAGS)


@lru_cache(maxsize=32)
def find_dates(text: str, sent_on: date, code: str = "") -> list[FoundDate]:
    """Return the dates in the text, in order; where two readings meet, the longer one."""
    return list(_dates(text, sent_on, code))


@lru_cache(maxsize=_MOST_TEXTS)
def _dates(text: str, sent_on: date, code: str) -> tuple[FoundDate, ...]:
    """Return the dates in the text; what was found last is kept, for several ask for the same."""
    text = plain_digits(text)
    month_first = _is_month_first(text, code)
    written_out = list(_written_out(text, sent_on))
    found = [
        *written_out,
        *_ranges(text, written_out),
        *_slashed(text, month_first),
        *_relative(text, sent_on, code),
    ]
    found.sort(key=lambda it: (it.start - it.end, -it.sure))
    kept: list[FoundDate] = []
    for candidate in found:
        if not any(candidate.start < it.end and it.start < candidate.end for it in kept):
            kept.append(candidate)
    kept.sort(key=lambda it: it.start)
    return tuple(it for it in kept if not _is_beside_its_date(it, kept))


def _is_beside_its_date(weekday: FoundDate, dates: list[FoundDate]) -> bool:
    """Return True if a weekday only names the day of a date beside it: "Friday, 13 March"."""
    if weekday.sure != WEEKDAY_SURE:
        return False
    return any(
        0 <= it.start - weekday.end <= 8 or 0 <= weekday.start - it.end <= 3
        for it in dates
        if it.sure > WEEKDAY_SURE
    )


def _written_out(text: str, sent_on: date) -> Iterator[FoundDate]:
    for pattern, sure in (
        (_ISO, 1.0), (_EAST, 1.0), (_DOTTED, 0.95), (_DAY_MONTH, 0.95), (_MONTH_DAY, 0.95),
    ):  # fmt: skip
        for match in pattern.finditer(text):
            named = match["month"]
            month = int(named) if named.isdigit() else months()[named.lower()]
            year = match["year"]
            day = _day(_full_year(year) if year else None, month, int(match["day"]), sent_on)
            if day:
                yield FoundDate(day, match.start(), match.end(), sure if year else sure - 0.1)


_RANGE_BEFORE = lazy_regex(
    lambda: (
        rf"(?<![\p{{L}}\d.,/:])(?P<day>[0-3]?\d)(?:{any_of(lambda it: it.calendar.ordinals)}"
        rf"|\.|日)?\s?(?:[-/–]|{any_of(lambda it: it.calendar.joints)})\s?"
        rf"{any_of(lambda it: it.calendar.before_day)}?$"
    ),
    _FLAGS,
)
# Before two days that are joined more of them may be listed.
_LISTED_BEFORE = lazy_regex(r"(?<![\p{L}\d.,/:-])(?P<day>[0-3]?\d)\.?,\s?$")
_MOST_LISTED = 6
_RANGE_AFTER = lazy_regex(
    lambda: (
        rf"\s?(?:-|–|{any_of(lambda it: it.calendar.joints_behind)})\s?(?P<day>[0-3]?\d)"
        rf"{any_of(lambda it: it.calendar.ordinals)}?(?![\d:.]|\s?(?:am|pm)\b)"
    ),
    _FLAGS,
)


def _ranges(text: str, found: Sequence[FoundDate]) -> Iterator[FoundDate]:
    """Yield the other days where a month is named once: "14 to 17 May", "7, 8 and 9 May"."""
    for it in found:
        before = list(_days_before(text, it))
        yield from before
        after = _RANGE_AFTER.match(text, it.end) if text[it.start].isalpha() else None
        day = _of_month(it.day, int(after["day"])) if after and not before else None
        if after and day and day > it.day:
            yield FoundDate(day, *after.span("day"), it.sure - 0.05)


def _days_before(text: str, last: FoundDate) -> Iterator[FoundDate]:
    """Yield the days of the same month that are joined to a date before it, the nearest first."""
    pattern, later = _RANGE_BEFORE, last
    for _ in range(_MOST_LISTED):
        since = max(0, later.start - 16)
        match = pattern.search(text[since : later.start])
        day = _of_month(last.day, int(match["day"])) if match else None
        if match is None or day is None or day >= later.day:
            return
        start, end = match.span("day")
        later = FoundDate(day, since + start, since + end, last.sure - 0.05)
        yield later
        pattern = _LISTED_BEFORE


def _of_month(month: date, day: int) -> date | None:
    try:
        return month.replace(day=day)
    except ValueError:
        return None


def _full_year(year: str) -> int:
    return int(year) if len(year) == 4 else 2000 + int(year)


def _day(year: int | None, month: int, day: int, sent_on: date) -> date | None:
    """Return the day; without a year the one from four months back to eight ahead."""
    try:
        if year is not None:
            return date(year, month, day)
        found = date(sent_on.year, month, day)
        if found < sent_on - timedelta(days=120):
            found = date(sent_on.year + 1, month, day)
        elif found > sent_on + timedelta(days=245):
            found = date(sent_on.year - 1, month, day)
    except ValueError:
        return None
    return found


def _is_month_first(text: str, code: str) -> bool | None:
    """Return True if 3/4/2026 is in March, False if in April; None where nothing tells."""
    for match in _SLASHED.finditer(text):
        if int(match["first"]) > 12:
            return False
        if int(match["second"]) > 12:
            return True
    if code and not ((known := language(code)) and known.calendar.month_first):
        return False
    if regex.search(r"[€£]|\bEUR\b|\bGBP\b", text):
        return False
    return True if regex.search(r"(?<![A-Z])\$|\bUSD\b|\d\s?[AaPp]\.?[Mm]\b", text) else None


def _slashed(text: str, month_first: bool | None) -> Iterator[FoundDate]:
    for match in _SLASHED.finditer(text):
        first, second = int(match["first"]), int(match["second"])
        day, month = (second, first) if month_first is not False else (first, second)
        sure = 0.9 if month_first is not None or first == second else 0.5
        try:
            found = date(_full_year(match["year"]), month, day)
        except ValueError:
            continue
        yield FoundDate(found, match.start(), match.end(), sure)


def _relative(text: str, sent_on: date, code: str) -> Iterator[FoundDate]:
    for match in _NAMED_DAY.finditer(text):
        if _is_that_day(match, text, code):
            day = sent_on + timedelta(days=near_days()[match["word"].lower()])
            yield FoundDate(day, match.start(), match.end(), 0.85)
    yield from _weekdays_in(text, sent_on)
    for match in _COUNTED_DAYS.finditer(text):
        count = match["count"].lower()
        number = int(count) if count.isdigit() else number_words()[count]
        day = sent_on + timedelta(days=number * unit_days()[match["unit"].lower()])
        yield FoundDate(day, match.start(), match.end(), COUNTED_SURE)
    for match in _MONTH_END.finditer(text):
        last = calendar.monthrange(sent_on.year, sent_on.month)[1]
        yield FoundDate(sent_on.replace(day=last), match.start(), match.end(), COUNTED_SURE)


def _weekdays_in(text: str, sent_on: date) -> Iterator[FoundDate]:
    for match in _NAMED_WEEKDAY.finditer(text):
        if in_full := _with_its_number(match, text, sent_on):
            yield in_full
            continue
        ahead = (weekdays()[match["weekday"].lower()] - sent_on.weekday() - 1) % 7 + 1
        if match["next"] and sent_on.weekday() + ahead < 7:
            ahead += 7
        if match["last"]:
            ahead -= 7 if ahead < 7 else 14
        day = sent_on + timedelta(days=ahead)
        yield FoundDate(day, match.start(), match.end(), WEEKDAY_SURE)


def _with_its_number(weekday: regex.Match[str], text: str, sent_on: date) -> FoundDate | None:
    """Return "Thursday the 24th": the next 24th, if that is a Thursday."""
    numbered = None if weekday["last"] else _NUMBER_OF_DAY.match(text, weekday.end())
    if numbered is None:
        return None
    wanted = (int(numbered["day"]), weekdays()[weekday["weekday"].lower()])
    days = (sent_on + timedelta(days=ahead) for ahead in range(_TWO_MONTHS))
    found = next((day for day in days if (day.day, day.weekday()) == wanted), None)
    return FoundDate(found, weekday.start(), numbered.end(), 0.9) if found else None


def _is_that_day(match: regex.Match[str], text: str, code: str) -> bool:
    """Return False for a greeting, and for words that mean something else in other mail."""
    written = match["word"]
    word, before = written.lower(), text[max(0, match.start() - 8) : match.start()].lower()
    if not all(
        code in found for it in languages() if (found := it.calendar.days_only_in.get(word))
    ):
        return False
    if written != word and word in words_of(lambda it: it.calendar.days_in_lower_case):
        return False
    not_after = any_of(lambda it: it.calendar.days_not_after.get(word, ""))
    return not regex.search(rf"{not_after}\s$", before)
