"""Whether the files that go with a message are those that it speaks of; pure."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import regex

from agents.evidence.claims.distance import plain
from agents.evidence.claims.readers.codes import read_codes
from agents.evidence.claims.records import AttachedFile, Source
from inbox.extract.readers.dates import find_dates
from inbox.languages import any_of, languages, lazy_regex

# Where in a sentence a value stands.
Said: TypeAlias = Mapping[Hashable, tuple[int, int]]
# So much of a file says what it is.
_HEAD = 120
# On which day a text was written does not matter to its codes and years.
_ANY_DAY = date(2000, 1, 1)
_VERSION = lazy_regex(
    lambda: (
        rf"(?<![\p{{L}}\d]){any_of(lambda it: it.claims.versions)}[ .-]{{0,2}}"
        r"(?P<version>\d{1,3}(?:\.\d{1,3}){0,3}|(?-i:(?<=[\p{L}.]{3}[ .-]{1,2})\p{Lu}))"
        r"(?![\d\p{L}]|[.,/-]\d)"
    ),
    regex.IGNORECASE,
)
_YEAR = lazy_regex(r"(?<![\p{L}\d./-])20\d\d(?![\d/-]|[.,]\d)")
# Years, and what a day or a time is written with, are none.
_NUMBER = lazy_regex(r"(?<![\p{L}\d.,:/])(?!(?:19|20)\d\d(?!\d))\d{2,4}(?![\p{L}\d%]|[.,:/]\d)")
_DATED = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.claims.dated)})\s{{1,2}}$", regex.IGNORECASE
)
_BEFORE = 14
_ENDING = lazy_regex(r"\.\w{1,5}$")
_NO_WORD = lazy_regex(r"[\W_]+")


class Newer(NamedTuple):
    """A file that has another one's name and a later version."""

    source: Source
    name: str


def find_apart(sentence: str, attached: Sequence[AttachedFile]) -> tuple[int, int] | None:
    """Return where a sentence that says that something goes along names what does not.

    By the number of an order or an invoice, the version, the year, the day that it is of, or what
    kind of document it is.
    """
    heads = [f"{_spaced(one.name)}\n{one.text[:_HEAD]}" for one in attached]
    whole = [f"{one.name}\n{one.text}" for one in attached]
    names = [_spaced(one.name) for one in attached]
    compared: tuple[tuple[Callable[[str], Said], Iterable[str]], ...] = (
        (_codes, whole), (_versions, heads), (_years, names), (_kinds, heads),
    )  # fmt: skip
    for read, files in compared:
        said = read(sentence)
        if read is _codes and any(_numbers(sentence, said) & _numbers(it) for it in names):
            continue
        if _is_apart(said, [read(it) for it in files]):
            return next(iter(said.values()))
    return _days_apart(sentence, whole)


def find_newer(one: AttachedFile, sources: Iterable[Source]) -> Newer | None:
    """Return the file of a later version than one that is attached, where there is any."""
    name, version = _named(one.name)
    if not version:
        return None
    for source in sources:
        path = source.text.partition("\n")[0].rpartition("/")[2]
        other, later = _named(path) if source.type == "file" else ("", "")
        if other == name and _rank(later) > _rank(version):
            return Newer(source, path)
    return None


def _named(path: str) -> tuple[str, str]:
    """Return what a file is called without its version and its ending, and its last version."""
    spaced = _spaced(_ENDING.sub("", path))
    found = list(_VERSION.finditer(spaced))
    if not found:
        return "", ""
    rest = spaced[: found[-1].start()] + spaced[found[-1].end() :]
    return _NO_WORD.sub(" ", plain(rest)).strip(), found[-1]["version"]


def _rank(version: str) -> tuple[int, ...]:
    if not version or version.isalpha():
        return tuple(map(ord, version.upper()))
    return tuple(int(it) for it in version.split("."))


def _is_apart(said: Said, files: Sequence[Said]) -> bool:
    """Return True if something is said, each file says something, and nothing of it is the same."""
    return bool(said) and all(files) and not any(said.keys() & it.keys() for it in files)


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _codes(text: str) -> Said:
    return {str(it.key): it[1:3] for it in read_codes(text, _ANY_DAY, "") if it.is_sure}


def _numbers(text: str, said: Said = MappingProxyType({})) -> frozenset[str]:
    """Return the short numbers of a text that are no part of others: "minutes no. 07"."""
    return frozenset(
        match[0] for match in _NUMBER.finditer(text)
        if not any(start <= match.start() < end for start, end in said.values())
    )  # fmt: skip


def _versions(text: str) -> Said:
    return {it["version"].upper(): it.span() for it in _VERSION.finditer(text)}


def _years(text: str) -> Said:
    """Return the years that a text names besides those of dates."""
    dates = [(it.start, it.end) for it in find_dates(text, _ANY_DAY, "")]
    return {
        match[0]: match.span() for match in _YEAR.finditer(text)
        if not any(start <= match.start() < end for start, end in dates)
    }  # fmt: skip


def _kinds(text: str) -> Said:
    found = ((kind, pattern.search(text)) for kind, pattern in _documents().items())
    return {kind: match.span() for kind, match in found if match}


def _days_apart(sentence: str, files: Sequence[str]) -> tuple[int, int] | None:
    """Return where a day stands that a document is said to be of, and that no file has."""
    of: Said = {
        (it.day.month, it.day.day): (it.start, it.end)
        for it in find_dates(sentence, _ANY_DAY, "")
        if _DATED.search(sentence[max(0, it.start - _BEFORE) : it.start])
    }
    if not of:
        return None
    days: list[Said] = [
        {(it.day.month, it.day.day): (it.start, it.end) for it in find_dates(text, _ANY_DAY, "")}
        for text in files
    ]
    return next(iter(of.values())) if _is_apart(of, days) else None


@cache
def _documents() -> dict[str, "regex.Pattern[str]"]:
    """Return what documents are called in any language, by their kind."""
    kinds = {kind for it in languages() for kind in it.claims.documents}
    return {kind: _pattern(kind) for kind in sorted(kinds)}


def _pattern(kind: str) -> "regex.Pattern[str]":
    words = "|".join(filter(None, (it.claims.documents.get(kind, "") for it in languages())))
    return regex.compile(rf"(?<!\p{{L}})(?:{words})(?!\p{{L}})", regex.IGNORECASE)
