"""Sentences of a message, and whether they deny something; pure."""

from collections.abc import Callable, Iterator
from functools import lru_cache

import regex

from inbox.languages import any_of, language
from inbox.languages.model import Language

# A full stop behind a figure ends no sentence: "am 8. Dezember".
_SENTENCE = regex.compile(r"(?:[^.!?;\n]|\.(?!\s)|(?<=\d)\.|\n(?=[^\n]))+[.!?;]?")
_MOST_SENTENCES, _LONGEST, _MOST_LANGUAGES = 60, 600, 32


def sentences_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, each with where it begins."""
    for number, match in enumerate(_SENTENCE.finditer(text)):
        if number >= _MOST_SENTENCES:
            return
        if len(match[0]) <= _LONGEST:
            yield match.start(), match[0]


def denies(sentence: str, code: str) -> bool:
    """Return True if something in a sentence of a language denies or refuses."""
    return _denying(code).search(sentence) is not None


@lru_cache(maxsize=_MOST_LANGUAGES)
def _denying(code: str) -> regex.Pattern[str]:
    """Return the words of a language that deny; those of all for one that has no file."""
    known = language(code)
    parts: tuple[Callable[[Language], str], ...] = (
        lambda it: it.answers.negations,
        lambda it: it.claims.refused_before,
        lambda it: it.claims.refused_behind,
    )
    words = [part(known) for part in parts] if known else [any_of(part) for part in parts]
    any_word = "|".join(it for it in words if it) or "(?!)"
    return regex.compile(rf"(?<!\p{{L}})(?:{any_word})(?!\p{{L}})", regex.IGNORECASE)
