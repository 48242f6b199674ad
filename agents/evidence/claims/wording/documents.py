"""Whether the files that go with a message are those that it speaks of; pure."""

from collections.abc import Sequence
from datetime import date
from functools import cache

import regex

from agents.evidence.claims.readers.codes import read_codes
from agents.evidence.claims.records import AttachedFile
from inbox.extract.readers.dates import find_dates
from inbox.languages import any_of, languages, lazy_regex

# So much of a file says what it is.
_HEAD = 120
# On which day a text was written does not matter to its codes and years.
_ANY_DAY = date(2000, 1, 1)
_DIGITS = lazy_regex(r"\d+")
_VERSION = lazy_regex(
    lambda: (
        rf"(?<![\p{{L}}\d]){any_of(lambda it: it.claims.versions)}[ .]?"
        r"(\d{1,3}(?:\.\d{1,3}){0,3})(?!\d|[.,/-]\d)"
    ),
    regex.IGNORECASE,
)
_YEAR = lazy_regex(r"(?<![\p{L}\d./-])20\d\d(?![\d/-]|[.,]\d)")


def is_another(sentence: str, attached: Sequence[AttachedFile]) -> bool:
    """Return True if a sentence says that something goes along, and all that does is another.

    By the number of an order or an invoice, the version, the year, or what kind of document it is.
    """
    heads = [f"{_spaced(one.name)}\n{one.text[:_HEAD]}" for one in attached]
    whole = [f"{one.name}\n{one.text}" for one in attached]
    return (
        _is_apart(
            _codes(sentence),
            [_codes(it) for it in whole],
        )
        or _is_apart(_versions(sentence), [_versions(it) for it in heads])
        or _is_apart(_years(sentence), [_years(_spaced(one.name)) for one in attached])
        or _is_apart(_kinds(sentence), [_kinds(it) for it in heads])
    )


def _is_apart(said: set[str], files: Sequence[set[str]]) -> bool:
    """Return True if something is said, each file says something, and nothing of it is the same."""
    return bool(said) and all(files) and not any(said & it for it in files)


def _has_other_codes(said: set[str], files: Sequence[set[str]]) -> bool:
    """Return True if no file has a number that is said, and some have one of its kind."""
    if any(said & it for it in files):
        return False
    kinds = {_DIGITS.sub("0", it) for it in said}
    return any(_DIGITS.sub("0", code) in kinds for it in files for code in it)


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _codes(text: str) -> set[str]:
    return {str(it.key) for it in read_codes(text, _ANY_DAY, "") if it.is_sure}


def _versions(text: str) -> set[str]:
    return set(_VERSION.findall(text))


def _years(text: str) -> set[str]:
    """Return the years that a text names besides those of dates."""
    dates = [(it.start, it.end) for it in find_dates(text, _ANY_DAY, "")]
    return {
        match[0] for match in _YEAR.finditer(text)
        if not any(start <= match.start() < end for start, end in dates)
    }  # fmt: skip


def _kinds(text: str) -> set[str]:
    return {kind for kind, pattern in _documents().items() if pattern.search(text)}


@cache
def _documents() -> dict[str, "regex.Pattern[str]"]:
    """Return what documents are called in any language, by their kind."""
    kinds = {kind for it in languages() for kind in it.claims.documents}
    return {kind: _pattern(kind) for kind in sorted(kinds)}


def _pattern(kind: str) -> "regex.Pattern[str]":
    words = "|".join(filter(None, (it.claims.documents.get(kind, "") for it in languages())))
    return regex.compile(rf"(?<!\p{{L}})(?:{words})(?!\p{{L}})", regex.IGNORECASE)
