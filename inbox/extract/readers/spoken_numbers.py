"""Large numbers in words, in every language: six hundred and fifteen thousand; pure."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import NamedTuple

import regex

from inbox.extract.readers.calendar_words import number_words
from inbox.languages import lazy_regex, numbers_of, words_of

# Smaller numbers are written in figures as often as not, and stand for nothing by themselves.
_LEAST = 10_000
_MOST_WORDS, _LONGEST_WORD = 24, 60
_HUNDRED, _THOUSAND = 100, 1000
_RUN = lazy_regex(r"(?:\d{1,3}(?:[.,]\d{1,3})?\s?)?[^\W\d_]+(?:[ -]{1,2}[^\W\d_]+)*")
_PART = lazy_regex(r"\d{1,3}(?:[.,]\d{1,3})?|[^\W\d_]+")


class Spoken(NamedTuple):
    """A number, and where its words stand."""

    value: int
    start: int
    end: int


def find_spoken(text: str) -> Iterator[Spoken]:
    """Yield the numbers of ten thousand and more of which a part at least is said in words."""
    for run in _RUN.finditer(text):
        spoken: list[tuple[regex.Match[str], list[Decimal]]] = []
        for part in _PART.finditer(text, *run.span()):
            values = _values(part[0].casefold())
            if values is None:
                yield from _told(spoken)
                spoken = []
            else:
                spoken.append((part, values))
        yield from _told(spoken)


def _told(spoken: Sequence[tuple[regex.Match[str], list[Decimal]]]) -> Iterator[Spoken]:
    """Yield what a run of words says, with and without the first, which may say something else."""
    if len(spoken) > _MOST_WORDS:
        return
    found = dict.fromkeys(
        _sum([it for _, ones in part for it in ones]) for part in (spoken, spoken[1:])
    )
    for value in found:
        if value >= _LEAST:
            yield Spoken(int(value), spoken[0][0].start(), spoken[-1][0].end())


def _sum(values: Sequence[Decimal]) -> Decimal:
    whole = part = Decimal(0)
    for value in values:
        if value >= _THOUSAND:
            whole, part = whole + (part or 1) * value, Decimal(0)
        elif value == _HUNDRED:
            part = (part or 1) * value
        else:
            part += value
    return whole + part


@cache
def _words() -> dict[str, Decimal]:
    words = number_words() | numbers_of(lambda it: it.calendar.counting)
    words |= numbers_of(lambda it: it.money.scales)
    return {word: Decimal(value) for word, value in words.items() if " " not in word}


@cache
def _joints() -> frozenset[str]:
    return words_of(lambda it: it.calendar.counting_joints)


@cache
def _alternatives() -> re.Pattern[str]:
    words = {word for word in _words() if len(word) > 1} | {it for it in _joints() if len(it) > 1}
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True)))


def _values(word: str) -> list[Decimal] | None:
    """Return the numbers that a word is made of, in order; None where it is made of others too."""
    if word[0].isdecimal():
        return [Decimal(word.replace(",", "."))]
    if word in _joints():
        return []
    if word in _words():
        return [_words()[word]]
    parts = _alternatives().findall(word[:_LONGEST_WORD])
    if not parts or "".join(parts) != word:
        return None
    return [_words()[it] for it in parts if it not in _joints()]
