"""Which passages a proposed message took over from others: runs of words that both have."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import regex

# A passage is eight words running, as for the check of what comes from other threads.
PASSAGE = 8
MOST_PASSAGES = 60
_MOST_WORDS = 20_000
# Of a phrase that stands in a message again and again, so many places are compared.
_MOST_PLACES = 6
_WORD = regex.compile(r"\w+")
_QUOTED_LINE = regex.compile(r"^[ \t]*>.*$", regex.MULTILINE)
Run: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, without case, and where each stands in it."""

    words: list[str]
    places: list[tuple[int, int]]

    def span(self, first: int, count: int) -> tuple[int, int]:
        """Return from where to where so many words reach."""
        return self.places[first][0], self.places[first + count - 1][1]


@dataclass(frozen=True, slots=True)
class Passage:
    """Words that a message shares with a text: its number there, and the places in both."""

    source: int
    in_message: tuple[int, int]
    in_source: tuple[int, int]


def read_words(text: str, *, leave_out_quotes: bool = False) -> Words:
    """Return the first words of a text; the lines that it quotes may be left out."""
    quoted = [hit.span() for hit in _QUOTED_LINE.finditer(text)] if leave_out_quotes else []
    places = list(_outside(_spans(text), quoted))
    return Words([text[start:end].casefold() for start, end in places], places)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for _, hit in zip(range(_MOST_WORDS), _WORD.finditer(text), strict=False):
        yield hit.span()


def _outside(
    spans: Iterable[tuple[int, int]], quoted: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    at = 0
    for start, end in spans:
        while at < len(quoted) and quoted[at][1] <= start:
            at += 1
        if at == len(quoted) or start < quoted[at][0]:
            yield start, end


def find_passages(proposed: str, sources: Sequence[str]) -> list[Passage]:
    """Return what the proposed text shares with the sources, in its own order.

    Each is as long as it can be, of eight words at least. Of words that several sources have, the
    first source counts. Every word of the sources is looked at once, but for long matches.
    """
    ours = read_words(proposed, leave_out_quotes=True)
    runs: dict[Run, list[int]] = {}
    for at, run in enumerate(_runs(ours.words)):
        places = runs.setdefault(run, [])
        if len(places) < _MOST_PLACES:
            places.append(at)
    covered: set[int] = set()
    found: list[Passage] = []
    for number, text in enumerate(sources if runs else ()):
        if not _may_share(runs, text):
            continue
        for passage, words in _shared(ours, runs, read_words(text), number):
            if not covered.issuperset(words):
                covered.update(words)
                found.append(passage)
    found.sort(key=lambda one: (one.in_message, one.source))
    return found[:MOST_PASSAGES]


def _may_share(runs: dict[Run, list[int]], text: str) -> bool:
    """Return True if a run stands in a text: most texts have none, and need no places of words."""
    words = [word.casefold() for word in _WORD.findall(text)[:_MOST_WORDS]]
    return not runs.keys().isdisjoint(zip(*(words[at:] for at in range(PASSAGE)), strict=False))


def _shared(
    ours: Words, runs: dict[Run, list[int]], theirs: Words, number: int
) -> Iterator[tuple[Passage, range]]:
    at = 0
    last = len(theirs.words) - PASSAGE
    while at <= last:
        places = runs.get(tuple(theirs.words[at : at + PASSAGE]))
        if not places:
            at += 1
            continue
        count, place = max(
            (_common(ours.words, place, theirs.words, at), -place) for place in places
        )
        yield (
            Passage(number, ours.span(-place, count), theirs.span(at, count)),
            range(-place, -place + count),
        )
        # What follows may begin within the last words of this one.
        at += count - PASSAGE + 1


def _common(ours: list[str], place: int, theirs: list[str], at: int) -> int:
    most = min(len(ours) - place, len(theirs) - at)
    count = PASSAGE
    while count < most and ours[place + count] == theirs[at + count]:
        count += 1
    return count


def _runs(words: list[str]) -> Iterator[Run]:
    return (tuple(words[at : at + PASSAGE]) for at in range(len(words) - PASSAGE + 1))
