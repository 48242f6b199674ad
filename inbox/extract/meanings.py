"""Words that mean the same, for choices and yes-or-no fields; pure."""

from functools import cache

import regex

from inbox.extract.roles import named, names
from inbox.languages import any_of, languages, lazy_regex

NEGATION = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}}){any_of(lambda it: it.answers.negations)}(?!\p{{L}})"
        rf"|{any_of(lambda it: it.answers.negations_joined)}"
    ),
    regex.IGNORECASE,
)


@cache
def _known() -> frozenset[str]:
    return frozenset(names(lambda it: it.meanings))


@cache
def _aliases() -> dict[str, str]:
    return {word: name for it in languages() for word, name in it.schemas.aliases.items()}


def is_known(word: str) -> bool:
    """Return True if the languages know what a text says for this word of a schema."""
    return word in _known()


def name_of(word: str) -> str:
    """Return the name under which the languages know a word of a schema; "" for none."""
    return word if word in _known() else _aliases().get(word, "")


@cache
def _synonyms(word: str) -> str:
    name = name_of(word)
    return named(lambda it: it.meanings, name)[3:-1] if name in _known() else ""


def expression_for(words: str) -> str:
    """Return the expression by which a text may mean the word or words of a schema."""
    known = _synonyms(words)
    own = r"[\s_-]*".join(regex.escape(word) for word in words.split())
    inflected = rf"{own}(?:e?[sdnr]|e[nrs]|es)?" if words and words[-1].isalpha() else own
    return f"{inflected}|{known}" if known else inflected
