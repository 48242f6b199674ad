"""The names of months, weekdays and near days, and small numbers, in every language; pure."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from inbox.languages import language, languages, numbers_of, words_of
from inbox.languages.model import Language


@cache
def months() -> dict[str, int]:
    """Return the names of the months, each with its number from 1."""
    return _numbered(lambda it: it.calendar.months, 1)


@cache
def weekdays() -> dict[str, int]:
    """Return the names of the days of the week, each with its number: Monday is 0."""
    return _numbered(lambda it: it.calendar.weekdays, 0)


def _numbered(part: Callable[[Language], Sequence[str]], first: int) -> dict[str, int]:
    found = {
        word: number
        for it in languages()
        for number, line in enumerate(part(it), first)
        for word in line.split()
    }
    return {**_without_accents(found), **found}


def _without_accents(words: Mapping[str, int]) -> dict[str, int]:
    """Return Latin words as files and keyboards without accents have them: "fevrier"."""
    bare = {
        "".join(it for it in unicodedata.normalize("NFKD", word) if not unicodedata.combining(it))
        : number
        for word, number in words.items()
    }  # fmt: skip
    return {word: number for word, number in bare.items() if word.isascii()}


@cache
def near_days() -> dict[str, int]:
    """Return the words for near days, each with its distance from today."""
    return numbers_of(lambda it: it.calendar.days)


@cache
def number_words() -> dict[str, int]:
    """Return numbers as words."""
    return numbers_of(lambda it: it.calendar.numbers)


@cache
def number_words_of(code: str) -> dict[str, int]:
    """Return numbers as words of a language; of every one where it is not known."""
    known = language(code)
    return dict(known.calendar.numbers) if known else number_words()


@cache
def articles() -> frozenset[str]:
    """Return those of the number words that are articles as well."""
    return words_of(lambda it: it.calendar.indefinite)


@cache
def unit_days() -> dict[str, int]:
    """Return the words for units of days and weeks, each with its days."""
    return numbers_of(lambda it: it.calendar.units)
