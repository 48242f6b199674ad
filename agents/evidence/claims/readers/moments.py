"""Dates, the weekdays beside them, and times of day; pure."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date, time, timedelta

import regex

from agents.evidence.claims.readers.measures import read_measures
from agents.evidence.claims.records import Reader, Value, meets
from inbox.extract.readers.calendar_words import (
    articles,
    months,
    weekdays,
)
from inbox.extract.readers.dates import COUNTED_SURE, find_dates
from inbox.extract.readers.numbers import plain_digits
from inbox.extract.readers.times import find_times
from inbox.languages import any_of, language, languages, lazy_regex

# A weekday that belongs to a date stands so near to it.
_BEFORE, _BEHIND = 14, 6
_WEEKDAY = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?P<weekday>{_any_of(weekdays())})(?![\p{{Latin}}\p{{Arabic}}])",
    regex.IGNORECASE,
)
# A day by its number and month: "within 14 days" is none.
_BY_DATE = lazy_regex(
    lambda: (
        rf"\d[./-]\d|\d\D{{0,8}}(?:{_any_of(months())})|(?:{_any_of(months())})\D{{0,8}}\d|\d\s?[日일]"
    ),
    regex.IGNORECASE,
)
_YEARED = lazy_regex(r"(?:19|20)\d\d|\d[./-]\s?\d{1,2}[./-]\s?\d\d")
_DOTTED_TIME = lazy_regex(
    r"(?<![\d.,€$£])(?P<hour>2[0-3]|[01]?\d)\.(?P<minute>[0-5]\d)(?![\d%]|[.,]\d|\s?[€$£])"
)
# Of a span of time its end: "9:00-16:30", "10-12 Uhr".
_SPAN_END = lazy_regex(
    lambda: (
        r"(?<=\d\s?[-\u2013]\s?)(?P<hour>2[0-3]|[01]?\d)(?:[:.](?P<minute>[0-5]\d)(?![\d.:-])"
        rf"|(?=\s?{any_of(lambda it: it.clock.oclock)}|h\b))"
    ),
    regex.IGNORECASE,
)
# A day that is told by its weekday and its number: "Thursday the 10th", "lundi 30".
_WEEKDAY_DAY = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?P<weekday>{_any_of(weekdays())})\.?,?\s"
        rf"(?:{any_of(lambda it: it.claims.before_days)}\s)?(?P<day>[0-3]?\d)"
        rf"(?:{any_of(lambda it: it.calendar.ordinals)}|\.(?!\d))?"
        rf"(?![\p{{L}}\d:%/]|[.,]\d|\s?[-\u2013]\s?\d|\s?[€$£]"
        rf"|\s?(?:{any_of(lambda it: it.clock.oclock)}|h\b|[ap]\.?m\b)"
        rf"|[\s.]{{0,2}}(?:{any_of(lambda it: it.calendar.of)})?(?:{_any_of(months())})(?!\p{{L}}))"
    ),
    regex.IGNORECASE,
)
# And by its number alone: "the 10th", "am 8.", "le 14,".
_NUMBERED_DAY = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.before_days)})\s(?P<day>[0-3]?\d)"
        rf"(?:{any_of(lambda it: it.calendar.ordinals)}|\.(?!\d)|(?=[,;:?!)]|\s\p{{Ll}}{{1,3}}\b))"
        r"(?![\p{L}\d:%/-]|[.,]\d)"
    ),
    regex.IGNORECASE,
)
# So far ahead, and behind, such a day is looked for.
_AHEAD, _BACK = 150, 62
# A day by its number alone is of the month of one so near before it.
_SAME_MONTH = 80
_SHORT = lazy_regex(r"\d{1,2}\.\s?\d{1,2}\.")
# Where days are not written with dots, these are versions: `5.9.`, `5.8.18`.
_WITHOUT_DOTS = frozenset({"en"})
_VERSION = lazy_regex(r"\d{1,2}\.\d{1,2}\.(?:\d\d)?")
# Half of the day as one may also write a small word.
_HALF = lazy_regex(r"(?<=\d\s)[ap]m$")
_SECONDS = lazy_regex(r"\d:\d\d:\d\d")
_ONLY_JOINS = lazy_regex(r"[\s,.(\u060c]{1,3}(?:\p{L}{2,4}[\s]{1,2})?|\s?,\s?")
# Behind a date nothing but an article stands: "12 May, a Tuesday".
_JOINS_BEHIND = lazy_regex(
    lambda: rf"[\s,.(\u060c]{{1,3}}(?:(?:{_any_of(articles())})\s)?", regex.IGNORECASE
)
# The nearest day of the same name is what was meant; further away it is another matter.
_WEEKS_AWAY = timedelta(days=45)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(map(regex.escape, words), key=len, reverse=True))


def read_dates(text: str, written_on: date, code: str) -> list[Value]:
    """Return the days that a text names; those told by a weekday alone are not sure."""
    found = [
        Value(it.day, it.start, it.end, _is_written_out(text[it.start : it.end], it.sure))
        for it in find_dates(text, written_on, code)
        if not (code in _WITHOUT_DOTS and _VERSION.fullmatch(text, it.start, it.end))
    ]
    numbered = [*_weekday_days(text, written_on), *_numbered_days(text, written_on, found)]
    numbered = [it for it in numbered if not any(meets(it, one) for one in found if one.is_sure)]
    kept = [it for it in found if not any(meets(it, one) for one in numbered)]
    return sorted([*kept, *numbered], key=lambda it: it.start)


def _numbered_days(text: str, written_on: date, told: Iterable[Value]) -> Iterator[Value]:
    """Yield the days told by their number alone: the next ones of that number.

    They count from the day before them, "until 6 January, and signs on the 7th", or from the mail.
    """
    told = list(told)
    for match in _NUMBERED_DAY.finditer(plain_digits(text)):
        near = (
            it.key for it in told
            if 0 <= match.start() - it.end <= _SAME_MONTH and isinstance(it.key, date)
        )  # fmt: skip
        first = max([written_on, *near])
        days = (first + timedelta(days=apart) for apart in range(_BACK))
        number = int(match["day"])
        day = next((it for it in days if it.day == number), None)
        if day:
            yield Value(day, *match.span(), is_sure=False)


def _weekday_days(text: str, written_on: date) -> Iterator[Value]:
    """Yield the days told by weekday and number: the nearest that is both, rather one to come."""
    for match in _WEEKDAY_DAY.finditer(plain_digits(text)):
        weekday, number = weekdays()[match["weekday"].lower()], int(match["day"])
        days = (
            written_on + timedelta(days=apart) for apart in (*range(_AHEAD), *range(0, -_BACK, -1))
        )
        day = next((it for it in days if it.day == number and it.weekday() == weekday), None)
        if day:
            yield Value(day, *match.span(), is_sure=False)


def _is_written_out(written: str, sure: float) -> bool:
    """Return True for a day told by its date: no weekday, no "tomorrow", and no `5.1.`."""
    return (
        sure > COUNTED_SURE
        and any(it.isdigit() for it in written)
        and not _SHORT.fullmatch(written)
    )


def _names_a_day(written: str) -> bool:
    """Return True for a day told by its date, and not for "Friday" or "tomorrow"."""
    return bool(_BY_DATE.search(written) or _WEEKDAY_DAY.fullmatch(written))


def is_yearless(written: str) -> bool:
    """Return True for a day told by its number and month, and not by its year."""
    return bool(_BY_DATE.search(written)) and not _YEARED.search(written)


def is_same_day(one: Value, other: Value) -> bool:
    """Return True for a day of the same month, whatever the year."""
    first, second = one.key, other.key
    assert isinstance(first, date) and isinstance(second, date)  # noqa: S101, PT018
    return (first.month, first.day) == (second.month, second.day)


def in_year(day: date, year: int) -> date:
    """Return a day in another year; the last of February for a leap day."""
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)


def near_date(claim: Value, other: Value) -> float:
    """Return how near two days are as written: the same day of another month, a few days off."""
    one, two = claim.key, other.key
    assert isinstance(one, date) and isinstance(two, date)  # noqa: S101, PT018
    if is_same_day(claim, other):
        return 0.9
    if one.day == two.day and one.year == two.year:
        return 0.5
    apart = abs(one - two)
    return 0.5 - apart / _WEEKS_AWAY / 4 if apart <= _WEEKS_AWAY else 0.0


def read_times(text: str, on: date, code: str) -> list[Value]:
    """Return the times of day in a text."""
    found = [
        Value(it.at, it.start, it.end) for it in find_times(text)
        if not _is_before_day(text[it.start : it.end], code)
    ]  # fmt: skip
    days = [Value(it.day, it.start, it.end) for it in find_dates(text, on, code)]
    days += read_measures(text, on, code)
    for pattern in (_DOTTED_TIME, _SPAN_END):
        for match in pattern.finditer(plain_digits(text)):
            at = time(int(match["hour"]), int(match["minute"] or 0))
            value = Value(at, *match.span(), is_sure=False)
            if not any(meets(value, it) for it in (*found, *days)):
                found.append(value)
    return found


def _is_before_day(written: str, code: str) -> bool:
    """Return True for a number and a word that stands before days: "Raum 3 am 18. Januar"."""
    half = _HALF.search(written)
    spoken = language(code)
    before = spoken.claims.before_days if half and spoken else ""
    return bool(half and before and regex.fullmatch(before, half[0]))


def is_spoken(written: str) -> bool:
    """Return True for a time in words, which say no half of the day: "half past seven"."""
    return not any(it.isdigit() for it in written)


def is_half_day_apart(one: Value, other: Value) -> bool:
    """Return True for two times of day that are the same one twelve hours apart."""
    first, second = one.key, other.key
    assert isinstance(first, time) and isinstance(second, time)  # noqa: S101, PT018
    return first.minute == second.minute and (first.hour - second.hour) % 12 == 0


def near_time(claim: Value, other: Value) -> float:
    """Return how near two times of day are: the other half of the day, an hour off, or more."""
    one, two = claim.key, other.key
    assert isinstance(one, time) and isinstance(two, time)  # noqa: S101, PT018
    if is_half_day_apart(claim, other):
        return 0.9
    apart = abs((one.hour - two.hour) * 60 + one.minute - two.minute)
    return 0.4 if apart <= 60 else 0.2


def read_named_weekdays(text: str, written_on: date, code: str) -> list[Value]:
    """Return the days that a text names by their weekday."""
    return [
        Value(it.day.weekday(), it.start, it.end, is_sure=False)
        for it in find_dates(text, written_on, code)
    ]


def _is_only_weekday(written: str) -> bool:
    return not any(it.isdigit() for it in written) and _WEEKDAY.search(written) is not None


def _is_no_log(written: str) -> bool:
    """Return True for a time as people tell it, without seconds."""
    return _SECONDS.search(written) is None


DATES = Reader("date", read_dates, near_date, may_be_open=True, claims=_names_a_day)
TIMES = Reader(
    "time", read_times, near_time, may_be_open=True, claims=_is_no_log,
)  # fmt: skip
WEEKDAYS = Reader(
    "weekday", read_named_weekdays, lambda _, __: 0.3, tells_nowhere=False, may_be_open=True,
    claims=_is_only_weekday,
)  # fmt: skip


def wrong_weekdays(
    text: str, written_on: date, code: str, others: Callable[[date], Iterable[date]]
) -> Iterator[tuple[Value, date]]:
    """Yield the weekdays that are none of the date beside them, each with that date.

    `others` returns the same day of other years, which one without its year may be.
    """
    dates = [it for it in find_dates(text, written_on, code) if it.sure > COUNTED_SURE]
    for match in _WEEKDAY.finditer(text):
        if _WEEKDAY_DAY.match(text, match.start()):
            continue
        wanted = weekdays()[match["weekday"].lower()]
        for it in dates:
            if _belongs(text, match.span(), (it.start, it.end)) and it.day.weekday() != wanted:
                years = others(it.day) if is_yearless(text[it.start : it.end]) else ()
                if all(one.weekday() != wanted for one in years):
                    yield Value(wanted, *match.span()), it.day
                break


def _belongs(text: str, weekday: tuple[int, int], day: tuple[int, int]) -> bool:
    """Return True if nothing but a comma or a short word stands between the two."""
    if 0 < day[0] - weekday[1] <= _BEFORE:
        between = text[weekday[1] : day[0]]
    elif 0 < weekday[0] - day[1] <= _BEHIND:
        between = text[day[1] : weekday[0]]
        return _JOINS_BEHIND.fullmatch(between) is not None
    else:
        return False
    return _ONLY_JOINS.fullmatch(between) is not None


def name_of_weekday(day: date, *, like: str) -> str:
    """Return the weekday of a date in the language, and the form, of the one that is written."""
    for it in languages():
        names = [name.split("|")[0].split()[0] if name else "" for name in it.calendar.weekdays]
        known = [word for name in it.calendar.weekdays for word in name.replace("|", " ").split()]
        if like.lower() in known and names[day.weekday()]:
            name = names[day.weekday()]
            return name.capitalize() if like[:1].isupper() else name
    return day.strftime("%A")
