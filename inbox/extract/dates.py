"""Dates in a text, as many notations and languages have them; pure.

A date without a year, and one like "next Friday", is read against the day the message was sent.
"""

import calendar
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

import regex

from inbox.extract.calendar_words import (
    COUNTED,
    DAY_WORDS,
    MONTHS,
    NUMBER_WORDS,
    UNIT_DAYS,
    WEEKDAYS,
)
from inbox.extract.numbers import plain_digits

# How surely a bare weekday is read; it gives way to a date beside it.
WEEKDAY_SURE = 0.7
# And "in three days", or "at the end of the month".
COUNTED_SURE = 0.75


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date, where it stands, and how surely it is read so."""

    day: date
    start: int
    end: int
    sure: float


def _any(words: dict[str, int]) -> str:
    return "|".join(regex.escape(word) for word in sorted(words, key=len, reverse=True))


_MONTH = rf"(?P<month>{_any(MONTHS)})"
_WEEKDAY = rf"(?P<weekday>{_any(WEEKDAYS)})"
_APART = r"(?<![\p{L}\d.,/:-])"
_END = r"(?![\p{Latin}\d]|[/:-]\d|[.,]\d)"
_DAY = r"(?P<day>[0-3]?\d)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_FLAGS = regex.IGNORECASE

_ISO = regex.compile(
    rf"(?<![\p{{Latin}}\d./-]){_YEAR}(?P<mark>[-/.])(?P<month>[01]?\d)(?P=mark){_DAY}(?!\d|[-/.]\d)"
)
_EAST = regex.compile(rf"(?:{_YEAR}\s?年\s?)?(?P<month>[01]?\d)\s?[月월]\s?{_DAY}\s?[日일]")
_DOTTED = regex.compile(
    rf"(?<![\p{{Latin}}\d./-]){_DAY}\.\s?(?P<month>[01]?\d)\.(?:\s?(?P<year>(?:19|"
    rf"20)?\d\d)(?!\d|[:.,]\d)|(?!\d))"
)
_SLASHED = regex.compile(
    r"(?<![\p{Latin}\d./-])(?P<first>[0-3]?\d)(?P<mark>[/-])(?P<second>[0-3]?\d)(?P=mark)"
    r"(?P<year>(?:19|20)\d\d|\d\d)(?!\d|[-/.]\d)"
)
_DAY_MONTH = regex.compile(
    rf"{_APART}{_DAY}(?:st|nd|rd|th|er|º|°|\.)?[\s-]{{0,2}}(?:of\s|de\s|"
    rf"d['’])?(?:{_MONTH})(?!\p{{Latin}})\.?"
    rf"(?:[\s,-]{{1,3}}(?:de\s|del\s|عام\s)?{_YEAR}{_END})?",
    _FLAGS,
)
_MONTH_DAY = regex.compile(
    rf"(?<!\p{{L}}){_MONTH}\.?\s{{1,2}}(?:the\s)?{_DAY}(?:st|nd|rd|th)?(?![\d:.]\d|"
    rf"\d|\s?(?:am|pm)\b)"
    rf"(?:,?\s{{1,2}}{_YEAR}{_END})?",
    _FLAGS,
)
_NAMED_DAY = regex.compile(
    rf"(?<!\p{{L}})(?P<word>{_any(DAY_WORDS)})(?![\p{{Latin}}\p{{Arabic}}])", _FLAGS
)
_NAMED_WEEKDAY = regex.compile(
    r"(?P<next>\b(?:next|n(?:ä|ae)chste[nr]?|der n(?:ä|ae)chsten)\s|来週の?|次の)?"
    rf"(?<!\p{{Latin}}){_WEEKDAY}(?:\s(?:prochaine?|próximo|proximo|que viene|القادم|المقبل))?"
    r"(?![\p{Latin}\p{Arabic}])",
    _FLAGS,
)
_COUNTED_DAYS = regex.compile(
    r"(?<!\p{L})(?:in|within|innerhalb\svon|binnen|dans|en|dentro\sde|بعد|خلال)\s(?:the\snext\s)?"
    rf"(?P<count>\d{{1,3}}|{_any(NUMBER_WORDS)})\s(?P<unit>{_any(UNIT_DAYS)})(?!\p{{Latin}})"
    rf"|(?P<count>\d{{1,3}})\s?(?P<unit>日|週間)後",
    _FLAGS,
)
_MONTH_END = regex.compile(
    r"(?:end\sof\s(?:the|this)\smonth|ende\sdes\smonats|monatsende|fin\sdu\smois|"
    r"fin(?:al)?\sde(?:l)?\smes|月末"
    r"|نهاية الشهر)",
    _FLAGS,
)


@lru_cache(maxsize=32)
def find_dates(text: str, sent_on: date, language: str = "") -> list[FoundDate]:
    """Return the dates in the text, in order; where two readings meet, the longer one."""
    text = plain_digits(text)
    month_first = _is_month_first(text, language)
    written_out = list(_written_out(text, sent_on))
    found = [
        *written_out,
        *_ranges(text, written_out),
        *_slashed(text, month_first),
        *_relative(text, sent_on, language),
    ]
    found.sort(key=lambda it: (it.start - it.end, -it.sure))
    kept: list[FoundDate] = []
    for candidate in found:
        if not any(candidate.start < it.end and it.start < candidate.end for it in kept):
            kept.append(candidate)
    kept.sort(key=lambda it: it.start)
    return [it for it in kept if not _is_beside_its_date(it, kept)]


def _is_beside_its_date(weekday: FoundDate, dates: list[FoundDate]) -> bool:
    """Tell whether it only names the day of the date next to it: "Friday, 13 March"."""
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
            month = int(named) if named.isdigit() else MONTHS[named.lower()]
            year = match["year"]
            day = _day(_full_year(year) if year else None, month, int(match["day"]), sent_on)
            if day:
                yield FoundDate(day, match.start(), match.end(), sure if year else sure - 0.1)


_JOINT = r"\s?(?:-|–|to|bis(?: zum)?|until|through|and|und|&|au|al?|y|～|〜|から)\s?"
_RANGE_BEFORE = regex.compile(
    rf"(?<![\p{{L}}\d.,/:])(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.|日)?{_JOINT}(?:the )?$", _FLAGS
)
_RANGE_AFTER = regex.compile(
    r"\s?(?:-|–|to|through)\s?(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?![\d:.]|\s?(?:am|pm)\b)", _FLAGS
)


def _ranges(text: str, found: Sequence[FoundDate]) -> Iterator[FoundDate]:
    """Yield the other end of a range that names its month once: "14 to 17 May", "June 3-5"."""
    for it in found:
        since = max(0, it.start - 16)
        before = _RANGE_BEFORE.search(text[since : it.start])
        after = _RANGE_AFTER.match(text, it.end) if text[it.start].isalpha() else None
        match, offset = (before, since) if before else (after, 0)
        day = _of_month(it.day, int(match["day"])) if match else None
        if match and day and (day < it.day if before else day > it.day):
            start, end = match.span("day")
            yield FoundDate(day, offset + start, offset + end, it.sure - 0.05)


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


def _is_month_first(text: str, language: str) -> bool | None:
    """Tell whether 3/4/2026 is in March; None where nothing tells."""
    for match in _SLASHED.finditer(text):
        if int(match["first"]) > 12:
            return False
        if int(match["second"]) > 12:
            return True
    if language and not language.startswith("en"):
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


def _relative(text: str, sent_on: date, language: str) -> Iterator[FoundDate]:
    for match in _NAMED_DAY.finditer(text):
        if _is_that_day(match, text, language):
            day = sent_on + timedelta(days=DAY_WORDS[match["word"].lower()])
            yield FoundDate(day, match.start(), match.end(), 0.85)
    for match in _NAMED_WEEKDAY.finditer(text):
        ahead = (WEEKDAYS[match["weekday"].lower()] - sent_on.weekday() - 1) % 7 + 1
        if match["next"] and sent_on.weekday() + ahead < 7:
            ahead += 7
        day = sent_on + timedelta(days=ahead)
        yield FoundDate(day, match.start(), match.end(), WEEKDAY_SURE)
    for match in _COUNTED_DAYS.finditer(text):
        count = match["count"].lower()
        number = int(count) if count.isdigit() else NUMBER_WORDS[count]
        day = sent_on + timedelta(days=number * UNIT_DAYS[match["unit"].lower()])
        yield FoundDate(day, match.start(), match.end(), COUNTED_SURE)
    for match in _MONTH_END.finditer(text):
        last = calendar.monthrange(sent_on.year, sent_on.month)[1]
        yield FoundDate(sent_on.replace(day=last), match.start(), match.end(), COUNTED_SURE)


def _is_that_day(match: regex.Match[str], text: str, language: str) -> bool:
    """Tell "morgen" the day from the greeting, and words that mean something else elsewhere."""
    word, before = match["word"], text[max(0, match.start() - 8) : match.start()].lower()
    if word.lower() == "hier":
        return language == "fr"
    if word.lower() == "morgen":
        named_morning = regex.search(r"(?:guten|am|heute|jeden|der|gestern|vom)\s$", before)
        return word == "morgen" and not named_morning
    if word.lower() == "mañana":
        return not regex.search(r"\b(?:la|esta|de|cada)\s$", before)
    return not (word.lower() in COUNTED and language not in {"", "ja", "zh"})
