"""Times of day and lengths of time in a text; pure."""

from dataclasses import dataclass
from datetime import time, timedelta, timezone, tzinfo
from decimal import Decimal
from functools import lru_cache

import regex

from inbox.extract.calendar_words import NUMBER_WORDS
from inbox.extract.numbers import plain_digits


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


_ZONES = {
    "utc": 0, "gmt": 0, "z": 0, "bst": 1, "cet": 1, "mez": 1, "cest": 2, "mesz": 2, "est": -5,
    "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "jst": 9,
    "日本時間": 9,
}  # fmt: skip
_ZONE = (
    rf"(?:\s?\(?(?P<zone>{'|'.join(_ZONES)})(?![\p{{L}}+-])\)?"
    r"|\s?(?P<offset>(?:(?<=UTC|GMT|UTC\s|GMT\s|:\d\d:\d\d)-|\+)\d\d?(?::?\d\d)?)(?!\d))?"
)
_HALF = r"صباحًا|صباحا|مساءً|مساء|ظهرًا|ظهرا"
_CLOCK = regex.compile(
    r"(?<![\d:.,/€$£-])(?P<hour>2[0-3]|[01]?\d)"
    r"(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])|"
    r"[.h](?P<minute>[0-5]\d)(?=\s?(?:Uhr|h\b|[ap]\.?m))"
    r"|\s?h(?P<minute>[0-5]\d)?(?![\p{L}\d]))?"
    rf"(?P<half>\s?(?:[ap]\.?m\b\.?)|\s?Uhr(?:\s(?P<minute>[0-5]\d)(?!\d))?|\s?(?:{_HALF}))?"
    rf"(?:\s?(?:UTC|GMT)(?=[+-]\d))?{_ZONE}",
    regex.IGNORECASE,
)
_EAST = regex.compile(
    r"(?P<half>午前|午後)?(?P<hour>2[0-4]|[01]?\d)時(?:(?P<minute>[0-5]?\d)分|(?P<thirty>半))?"
    + _ZONE
)
_ARABIC = regex.compile(
    rf"الساعة\s(?P<hour>2[0-3]|[01]?\d)(?::(?P<minute>[0-5]\d))?(?P<half>\s?(?:{_HALF}))?{_ZONE}"
)
_AT = regex.compile(
    r"\b(?:at|um|à|a las|a la|from|von|ab)\s"
    r"(?P<hour>2[0-3]|[01]?\d)(?!\s?[\d:.,%€$£/\p{L}-])",
    regex.IGNORECASE,
)
_NOON = regex.compile(
    r"(?<!after)(?<!\p{L})(?:noon|midday|zwölf uhr|12 uhr mittags|midi|mediodía|正午)(?!\p{L})",
    regex.IGNORECASE,
)
_AFTERNOON = regex.compile(r"p|午後|مساء|ظهر", regex.IGNORECASE)
_COUNT = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_LENGTH = regex.compile(
    r"(?P<word>نصف ساعة|ساعة ونصف|anderthalb stunden|an hour and a half)|"
    r"(?<![\p{L}\d.,:])(?:(?P<half>half\san|half-|eine\shalbe|une\sdemi[- ]|media)\s?"
    rf"|(?P<count>\d{{1,3}}(?:[.,]\d{{1,2}})?|{_COUNT})[\s-]?)"
    r"(?P<unit>minutes?|mins?|minuten|minutos?|hours?|hrs?|stunden?|std|heures?|horas?|h|分間?|時間"
    r"|دقيقة|دقائق|ساعة|ساعات)(?![\p{Latin}\p{Arabic}])",
    regex.IGNORECASE,
)
_WORDS = {"ساعة ونصف": 90, "نصف ساعة": 30, "anderthalb stunden": 90, "an hour and a half": 90}
_MINUTES = regex.compile(r"min|分|دق", regex.IGNORECASE)


@lru_cache(maxsize=32)
def find_times(text: str) -> list[FoundTime]:
    """Return the times of day in the text, in order."""
    text = plain_digits(text)
    found: list[FoundTime] = []
    for pattern in (_EAST, _ARABIC, _CLOCK, _AT):
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
    return sorted(found, key=lambda it: it.start)


def _time(groups: dict[str, str | None]) -> time | None:
    hour = int(groups["hour"] or 0)
    minute = 30 if groups.get("thirty") else int(groups.get("minute") or 0)
    half = (groups.get("half") or "").strip()
    if _AFTERNOON.match(half) and hour < 12:
        hour += 12
    elif half[:1] in {"a", "A", "午"} and hour == 12 and not _AFTERNOON.match(half):
        hour = 0
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _zone(groups: dict[str, str | None]) -> tzinfo | None:
    if name := groups.get("zone"):
        return timezone(timedelta(hours=_ZONES[name.lower()]))
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
        FoundLength(_length(match), match.start(), match.end()) for match in _LENGTH.finditer(text)
    ]


def _length(match: regex.Match[str]) -> Decimal:
    if match["word"]:
        return Decimal(_WORDS[match["word"].lower()])
    size = 1 if _MINUTES.match(match["unit"]) else 60
    if match["half"]:
        return Decimal(size) / 2
    count = match["count"].lower().replace(",", ".")
    return size * (Decimal(NUMBER_WORDS[count]) if count in NUMBER_WORDS else Decimal(count))
