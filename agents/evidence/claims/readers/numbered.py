"""Things that are told apart by a number behind their name: `room 318`, `version 7.4`; pure."""

from collections.abc import Hashable
from datetime import date
from typing import NamedTuple

import regex

from agents.evidence.claims.distance import plain, slips
from agents.evidence.claims.records import Reader, Value
from agents.evidence.claims.words import small_words
from inbox.extract.readers.calendar_words import months, unit_days, weekdays
from inbox.extract.readers.dates import find_dates
from inbox.extract.readers.numbers import find_amounts, plain_digits
from inbox.extract.readers.times import find_times
from inbox.languages import lazy_regex

_NUMBERED = lazy_regex(
    r"(?<![\p{L}\d@./-])(?P<noun>\p{Lu}{2,4}|\p{L}[\p{L}-]{3,24})[ \u00a0]"
    r"(?P<number>\d{1,4}[a-z]?(?:\.\d{1,4}){0,3})"
    r"(?![\p{L}\d:%°]|[.,]\d|[/-]\d|\s?[%€$£°]|-\p{L})(?:[ ](?P<behind>\p{L}[\p{L}\d²³]*))?"
)
_VERSION = lazy_regex(r"(?<![\w.,/:-])\d{1,4}(?:\.\d{1,4}){2,3}(?![\p{L}\d/:-]|[.,]\d)")
_STEM = 6
_LONG = 3


class Numbered(NamedTuple):
    """What it is, by its beginning in lower case, and its number."""

    noun: str
    number: str


def read_numbered(text: str, written_on: date, language: str) -> list[Value]:
    """Return the numbered things of a text; the place is that of the number."""
    small = small_words(language) | small_words("")
    taken = [
        *((it.start, it.end) for it in find_amounts(text)),
        *((it.start, it.end) for it in find_dates(text, written_on, language)),
        *((it.start, it.end) for it in find_times(text)),
    ]
    found = []
    for match in _NUMBERED.finditer(plain_digits(text)):
        noun, behind = plain(match["noun"]), plain(match["behind"] or "")
        start, end = match.span("number")
        is_other = any(first < end and start < last for first, last in taken)
        if noun in small or noun in _no_nouns() or is_other or _counts(behind, small):
            continue
        found.append(Value(Numbered(noun[:_STEM], match["number"]), start, end, is_sure=False))
    for match in _VERSION.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end in taken):
            named = Numbered("version"[:_STEM], match[0])
            found.append(Value(named, *match.span(), is_sure=False))
    return list({(it.start, it.end): it for it in found}.values())


def _counts(behind: str, small: frozenset[str]) -> bool:
    """Return True if a number says how many there are of the word behind it."""
    return bool(behind) and behind not in small


def _no_nouns() -> frozenset[str]:
    return frozenset(map(plain, (*months(), *weekdays(), *unit_days())))


def near_numbered(claim: Value, other: Value) -> float:
    """Return how near two numbered things are: swapped digits, or a slip in a long number."""
    one, two = claim.key, other.key
    assert isinstance(one, Numbered) and isinstance(two, Numbered)  # noqa: S101, PT018
    if one.noun != two.noun:
        return 0.0
    if len(one.number) > 1 and sorted(one.number) == sorted(two.number):
        return 0.8
    if "." in one.number:
        return 0.5
    is_slip = min(len(one.number), len(two.number)) >= _LONG and slips(one.number, two.number) == 1
    return 0.8 if is_slip else 0.5


def is_same_noun(one: Hashable, other: Hashable) -> bool:
    """Return True if two are of one kind of things."""
    return isinstance(one, Numbered) and isinstance(other, Numbered) and one.noun == other.noun


def is_written(key: Hashable, text: str) -> bool:
    """Return True if a text has the number of a thing, whatever it calls it."""
    assert isinstance(key, Numbered)  # noqa: S101
    return regex.search(rf"(?<![\d.,]){regex.escape(key.number)}(?![\d]|[.,]\d)", text) is not None


NUMBERED = Reader(
    "code", read_numbered, near_numbered, tells_nowhere=False, may_be_open=True,
    is_alike=is_same_noun,
)  # fmt: skip
