"""Patterns made of the words of all languages, compiled when they are first used."""

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

import regex

from inbox.languages.loading import languages
from inbox.languages.model import Language


def any_of(*parts: Callable[[Language], str]) -> str:
    """Return the pattern of what any language has there: `any_of(lambda it: it.letters.titles)`.

    Of several parts, those of the first come first; where no language has any it never matches.
    """
    found = [words for part in parts for it in languages() if (words := part(it))]
    return f"(?:{'|'.join(dict.fromkeys(found))})" if found else "(?!)"


def words_of(part: Callable[[Language], str]) -> frozenset[str]:
    """Return the words, parted by spaces, that any language has there."""
    return frozenset(word for it in languages() for word in part(it).split())


def numbers_of(part: Callable[[Language], Mapping[str, int]]) -> dict[str, int]:
    """Return what every language has there, in one table; the first to name a word decides."""
    found: dict[str, int] = {}
    for it in languages():
        found = {**part(it), **found}
    return found


def names_of(part: Callable[[Language], Mapping[str, str]]) -> dict[str, str]:
    """Return each alternative with the name under which a language has it; the first decides."""
    found: dict[str, str] = {}
    for it in languages():
        for name, words in part(it).items():
            found = dict.fromkeys(words.split("|"), name) | found
    return found


class _Lazy:
    """Stands for a pattern; its methods are those of the pattern, which the first use compiles."""

    def __init__(self, compile_it: Callable[[str, int], Any], source: Any, flags: int) -> None:
        self._compile, self._source, self._flags = compile_it, source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if "_compiled" not in self.__dict__:
            source = self._source if isinstance(self._source, str) else self._source()
            self._compiled = self._compile(source, self._flags)
        found = self.__dict__[name] = getattr(self._compiled, name)
        return found


def lazy_regex(source: str | Callable[[], str], flags: int = 0) -> "regex.Pattern[str]":
    """Return what acts as the pattern (of the package `regex`) and is compiled at first use."""
    return cast("regex.Pattern[str]", _Lazy(regex.compile, source, flags))


def lazy(source: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Return what acts as the pattern (of the standard library) and is compiled at first use."""
    return cast("re.Pattern[str]", _Lazy(re.compile, source, flags))
