"""Times of day and lengths of time in a text; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time, timedelta, timezone, tzinfo
from decimal import Decimal
from functools import cache, lru_cache
from itertools import pairwise

import regex

from inbox.extract.readers.calendar_words import number_words
from inbox.extract.readers.numbers import plain_digits
from inbox.languages import any_of, languages, lazy_regex, numbers_of


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time of day, where it stands, and the zone that is named beside it."""

    at: time
    start: int
    end: int
    zone: tzinfo | None = None


@dataclass(frozen=True, slots=True)
class FoundLength:
    """A length of time in minutes, and where it stands."""

    minutes: Decimal
    start: int
    end: int


@cache
def zones() -> dict[str, int]:
    """Return the names of time zones, each with its hours from UTC."""
    return numbers_of(lambda it: it.clock.zones)


def _zone_pattern() -> str:
    return (
        rf"(?:\s?\(?(?P<zone>{'|'.join(zones())})(?![\p{{L}}+-])\)?"
        r"|\s?(?P<offset>(?:(?<=UTC|GMT|UTC\s|GMT\s|:\d\d:\d\d)-|\+)\d\d?(?::?\d\d)?)(?!\d))?"
    )


def _clock_pattern() -> str:
    oclock = any_of(lambda it: it.clock.oclock)
    return (
        r"(?<![\d:.,/€$£-])(?P<hour>2[0-3]|[01]?\d)"
        r"(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])|"
        rf"[.h](?P<minute>[0-5]\d)(?=\s?(?:{oclock}|h\b|[ap]\.?m))"
        r"|\s?h(?:\s?(?P<minute>[0-5]\d))?(?![\p{L}\d%€]))?"
        rf"(?P<half>\s?(?:[ap]\.?m\b\.?)|\s?{oclock}(?:\s(?P<minute>[0-5]\d)(?!\d))?"
        rf"|\s?{any_of(lambda it: it.clock.halves)})?"
        rf"(?:\s?(?:UTC|GMT)(?=[+-]\d))?{_zone_pattern()}"
    )


_CLOCK = lazy_regex(_clock_pattern, regex.IGNORECASE)


@cache
def _forms() -> tuple[regex.Pattern[str], ...]:
    """Return the patterns of whole times of day, those of the languages first."""
    zone = _zone_pattern()
    own = [regex.compile(f"(?:{it.clock.forms}){zone}") for it in languages() if it.clock.forms]
    return (*own, _CLOCK, _AT)


_AT = lazy_regex(
    lambda: (
        rf"\b{any_of(lambda it: it.clock.at)}\s"
        r"(?P<hour>2[0-3]|[01]?\d)(?:(?!\s?[\d:.,%€$£/\p{L}-])"
        # A sum, a rate or a measure has its unit behind it.
        r"|\.(?P<minute>[0-5]\d)(?![\d:]|[.,]\d|\s?(?:[%€$£/]|(?:EUR|USD|GBP|CHF|PLN|per|an?"
        r"|[kmg]b|[ck]?m|kg|zł|kr)(?!\p{L}))))"
    ),
    regex.IGNORECASE,
)
_NOON = lazy_regex(
    lambda: rf"(?<!after)(?<!\p{{L}}){any_of(lambda it: it.clock.noon)}(?!\p{{L}})",
    regex.IGNORECASE,
)
_AFTERNOON = lazy_regex(lambda: any_of(lambda it: it.clock.afternoon), regex.IGNORECASE)
_FORENOON = lazy_regex(lambda: any_of(lambda it: it.clock.forenoon), regex.IGNORECASE)


@cache
def _lengths() -> dict[str, int]:
    return numbers_of(lambda it: it.clock.lengths)


_LENGTH = lazy_regex(
    lambda: (
        rf"(?P<word>{'|'.join(sorted(_lengths(), key=len, reverse=True))})|"
        rf"(?<![\p{{L}}\d.,:])(?:(?P<half>{any_of(lambda it: it.clock.half_a)})\s?"
        rf"|(?P<count>\d{{1,3}}(?:[.,]\d{{1,2}})?|"
        rf"{'|'.join(sorted(number_words(), key=len, reverse=True))})[\s-]?)"
        rf"(?:(?P<minutes>{any_of(lambda it: it.clock.minutes)})"
        rf"|{any_of(lambda it: it.clock.hours)})(?![\p{{Latin}}\p{{Arabic}}])"
    ),
    regex.IGNORECASE,
)


@lru_cache(maxsize=32)
def find_times(text: str) -> list[FoundTime]:
    """Return the times of day in the text, in order."""
    text = plain_digits(text)
    found: list[FoundTime] = []
    for pattern in _forms():
        for match in pattern.finditer(text):
            groups = match.groupdict()
            if pattern is _CLOCK and not (
                groups["minute"] or groups["half"] or "h" in match[0].lower()
            ):
                continue
            at = _time(groups)
            if at is not None and not any(
                match.start() < it.end and it.start < match.end() for it in found
            ):
                found.append(FoundTime(at, match.start(), match.end(), _zone(groups)))
    found += [FoundTime(time(12), it.start(), it.end()) for it in _NOON.finditer(text)]
    found += [it for one in found if (it := _beginning_of(one, found, text)) is not None]
    return sorted(found, key=lambda it: it.start)


_DOTTED = lazy_regex(
    r"(?<![\d.,:/€$£-])(?P<hour>2[0-3]|[01]?\d)\.(?P<minute>[0-5]\d)"
    r"(?![\p{L}\d]|[.,:/-]\d|\s?(?:[%€$£]|(?:EUR|USD|GBP|CHF|PLN|kg|km|m|kr)(?!\p{L})))"
)


def find_dotted(text: str, days: Sequence[tuple[int, int]]) -> list[FoundTime]:
    """Return times such as "9.15" that stand beside a day, with no other number between them."""
    text = plain_digits(text)
    return [
        FoundTime(time(int(it["hour"]), int(it["minute"])), it.start(), it.end())
        for it in _DOTTED.finditer(text)
        if any(
            _BESIDE.fullmatch(text[min(it.end(), end) : max(it.start(), start)])
            for start, end in days
        )
    ]


_BESIDE = lazy_regex(r",?[ ](?:\p{L}{1,3}[ ]){0,2}")
_BEGINNING = lazy_regex(
    lambda: (
        r"(?<![\d.:,/€$£-])(?P<hour>2[0-3]|[01]?\d)(?:[.:](?P<minute>[0-5]\d))?"
        rf"(?P<joint>\s?(?:-|–|\b{any_of(lambda it: it.clock.joints)}\b)\s?)$"
    ),
    regex.IGNORECASE,
)
_LONGEST_JOINT = 14
# Hours that are said in words, and earlier ones, are those of the afternoon.
_FIRST_HOUR = 7


def _beginning_of(end: FoundTime, found: list[FoundTime], text: str) -> FoundTime | None:
    """Return the bare hour with which a time of day begins that ends here: "from 5 to 6 pm"."""
    since = max(0, end.start - _LONGEST_JOINT)
    match = _BEGINNING.search(text[since : end.start])
    if match is None:
        return None
    start, hour = since + match.start(), int(match["hour"])
    if any(it.start < start + len(match[0]) and start < it.end for it in found):
        return None
    if hour < 12 <= end.at.hour and hour + 12 <= end.at.hour:
        hour += 12
    at = time(hour, int(match["minute"] or 0))
    stop = start + match.start("joint") - match.start()
    return FoundTime(at, start, stop, end.zone) if at < end.at else None


def find_stretches(text: str) -> list[FoundLength]:
    """Return the lengths between two times of day of which one is the end: "3pm to 3:45pm"."""
    times = find_times(text)
    lengths = []
    for first, last in pairwise(times):
        between = text[first.end : last.start].strip()
        minutes = (last.at.hour - first.at.hour) * 60 + last.at.minute - first.at.minute
        if 0 < minutes <= 12 * 60 and _JOINT.fullmatch(between):
            lengths.append(FoundLength(Decimal(minutes), first.start, last.end))
    return lengths


_JOINT = lazy_regex(lambda: rf"-|–|{any_of(lambda it: it.clock.joints)}", regex.IGNORECASE)


def _time(groups: dict[str, str | None]) -> time | None:
    written = (groups["hour"] or "0").casefold()
    hour = int(written) if written.isdigit() else number_words()[written]
    minute = 30 if groups.get("thirty") else int(groups.get("minute") or 0)
    half = (groups.get("half") or "").strip()
    if said := groups.get("thirty") or groups.get("fifteen"):
        minute = 30 if groups.get("thirty") else 15
        if groups.get("before"):
            hour, minute = (hour - 1) or 12, 60 - minute
        # Nobody who says so means the night.
        hour += 12 if said and hour < _FIRST_HOUR else 0
    if _AFTERNOON.match(half) and hour < 12:
        hour += 12
    elif hour == 12 and not _AFTERNOON.match(half) and _FORENOON.match(half):
        hour = 0
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _zone(groups: dict[str, str | None]) -> tzinfo | None:
    if name := groups.get("zone"):
        return timezone(timedelta(hours=zones()[name.lower()]))
    if offset := groups.get("offset"):
        digits = offset[1:].replace(":", "")
        hours, minutes = (
            (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
        )
        length = timedelta(hours=hours, minutes=minutes)
        return (
            timezone(-length if offset[0] == "-" else length)
            if hours < 15 and minutes < 60
            else None
        )
    return None


@lru_cache(maxsize=32)
def find_lengths(text: str) -> list[FoundLength]:
    """Return the lengths of time in minutes and hours that the text names, in order."""
    text = plain_digits(text)
    return [
        FoundLength(_length(match), match.start(), match.end())
        for match in _LENGTH.finditer(text)
        if not _is_rate_or_clock(match, text) and not _NO_LENGTH.match(text, match.end())
    ]


_NO_LENGTH = lazy_regex(
    lambda: rf"[\s-](?:\p{{L}}{{1,4}}\s)?(?:{any_of(lambda it: it.clock.not_lengths)})(?!\p{{L}})",
    regex.IGNORECASE,
)


def _is_rate_or_clock(match: regex.Match[str], text: str) -> bool:
    """Return True for "12.50 an hour", and for the hour of "9h15"."""
    if regex.match(r"\s?\d\d(?!\d)", text[match.end() :]) and match[0][-1:] in "hH":
        return True
    alone = match["count"] and not match["count"][0].isdigit()
    return bool(alone) and regex.search(r"\d\s?\S{0,4}\s$", text[: match.start()][-12:]) is not None


def _length(match: regex.Match[str]) -> Decimal:
    if match["word"]:
        return Decimal(_lengths()[match["word"].lower()])
    size = 1 if match["minutes"] else 60
    if match["half"]:
        return Decimal(size) / 2
    count = match["count"].lower().replace(",", ".")
    return size * (Decimal(number_words()[count]) if count in number_words() else Decimal(count))


_BOUND = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?:{any_of(lambda it: it.talk.bounds)})\s"
        rf"(?:{any_of(lambda it: it.talk.at)}\s)?\p{{L}}{{0,5}}\s?$"
    ),
    regex.IGNORECASE,
)
_LONGEST_BOUND = 40


def only_bounds(found: FoundTime, text: str) -> bool:
    """Return True if a time only bounds when something may be: "on Thursday after 5 pm"."""
    return _BOUND.search(text[max(0, found.start - _LONGEST_BOUND) : found.start]) is not None
