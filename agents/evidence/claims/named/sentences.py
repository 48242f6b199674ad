"""Sentences of a message and of its sources, and how much two of them are about the same; pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agents.evidence.claims.contexts import is_identifier
from agents.evidence.claims.records import Source
from agents.evidence.claims.rivals import Surroundings
from inbox.languages import lazy_regex

_SEGMENT = lazy_regex(r"(?:[^.!?;\n]|\.(?!\s)|(?<=\d)\.)+")
_MOST = 3000
# A number that stands for a thing tells as much as so many words.
_OF_NUMBER = 2.0


class Sentence(NamedTuple):
    """A sentence, by its words: where it stands, in which text."""

    words: frozenset[str]
    start: int
    end: int
    source: Source | None


def sentences_in(text: str, code: str, around: Surroundings) -> list[Sentence]:
    """Return the sentences of a message."""
    return list(_sentences(text, code, None, around))


def sentences_of(sources: Iterable[Source], code: str, around: Surroundings) -> list[Sentence]:
    """Return the sentences of sources; an event is one."""
    return [
        it for one in sources for it in _sentences(one.text, one.language or code, one, around)
    ][:_MOST]


def _sentences(
    text: str, code: str, source: Source | None, around: Surroundings
) -> Iterator[Sentence]:
    is_event = source is not None and source.type == "event"
    parts = [(0, len(text))] if is_event else [it.span() for it in _SEGMENT.finditer(text)]
    tokens = iter(around.contexts(text, code).tokens)
    token = next(tokens, None)
    for start, end in parts:
        words = set()
        while token is not None and token.start < end:
            if token.start >= start:
                words.add(token.key)
            token = next(tokens, None)
        if words:
            yield Sentence(frozenset(words), start, end, source)


def shared(one: frozenset[str], other: frozenset[str], around: Surroundings) -> float:
    """Return how much two sentences are about the same, by their words: rare ones tell more."""
    return sum(
        around.rarity(word) * (_OF_NUMBER if is_identifier(word) else 1)
        for word in one & other if not word.isdigit() or is_identifier(word)
    )  # fmt: skip


def most_shared(
    words: frozenset[str], sentences: Iterable[Sentence], around: Surroundings
) -> tuple[float, Sentence | None]:
    """Return the sentence that is about the same as some words, and how much."""
    scored = [(shared(words, it.words, around), it) for it in sentences]
    return max(scored, key=lambda it: it[0], default=(0.0, None))


def within(sentence: Sentence, start: int) -> bool:
    """Return True if a place of a text is in a sentence of it."""
    return sentence.start <= start < sentence.end


def sentence_at(sentences: Sequence[Sentence], start: int) -> Sentence | None:
    """Return the sentence of a message that a place of it is in."""
    return next((it for it in sentences if within(it, start)), None)
