"""Stretches of a text that something points at: the words of a flag, a passage taken over."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Literal, TypeAlias

from inbox.extract.readers.whole import keep_whole

Kind: TypeAlias = Literal["flag", "passage", "claim", "sourced", "telling"]
_LONGEST_EXCERPT = 500
_MOST_PLACES = 20
_MOST_LOOKED_FOR = 200


@dataclass(frozen=True, slots=True, order=True)
class Highlight:
    """What points at a stretch: the flag, the passage or the claim of this number.

    A `claim` is one that its sources do not have, and `sourced` one that they do; what is `telling`
    nothing points at: a reader looks for it.

    A flag may have several items; they are counted from 1.
    """

    kind: Kind
    number: int
    item: int = 1

    @property
    def place(self) -> str:
        """How its place on the page is called, beside others of its kind."""
        return f"{self.number}" if self.item == 1 else f"{self.number}-{self.item}"


@dataclass(frozen=True, slots=True)
class Flagged:
    """Words that raised a flag, and the public id of the message they come from, if any."""

    mark: Highlight
    excerpt: str
    source: str


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """From where to where a mark reaches."""

    start: int
    end: int
    mark: Highlight


@dataclass(frozen=True, slots=True)
class HighlightedText:
    """Words that the same marks point at; `opens` are those that begin here for the first time."""

    text: str
    marks: tuple[Highlight, ...] = ()
    opens: tuple[Highlight, ...] = ()

    @property
    def kinds(self) -> str:
        """The kinds of its marks, as names of classes."""
        return " ".join(f"mark-{kind}" for kind in dict.fromkeys(one.kind for one in self.marks))


def cut(
    text: str, spans: Iterable[Span], used: set[Highlight] | None = None
) -> tuple[HighlightedText, ...]:
    """Cut a text at the ends of the spans, so that every stretch knows all that point at it.

    What would end within a number, an amount, a day or a code reaches to its ends. `used` are marks
    that were opened before, in another text; those opened here join them.
    """
    opened = set() if used is None else used
    kept = _whole(text, [span for span in spans if span.start < span.end])
    edges = sorted({0, len(text), *(at for one in kept for at in (one.start, one.end))})
    stretches = []
    alive: list[Span] = []
    place = 0
    for start, end in pairwise(edges):
        while place < len(kept) and kept[place].start <= start:
            alive.append(kept[place])
            place += 1
        alive = [span for span in alive if span.end > start]
        marks = tuple(sorted({span.mark for span in alive}))
        opens = tuple(mark for mark in marks if mark not in opened)
        opened.update(opens)
        stretches.append(HighlightedText(text[start:end], marks, opens))
    return tuple(stretches)


def _whole(text: str, spans: Sequence[Span]) -> list[Span]:
    places = keep_whole(text, [(one.start, one.end) for one in spans])
    return sorted(Span(*place, one.mark) for place, one in zip(places, spans, strict=True))


def flag_spans(text: str, flagged: Sequence[Flagged]) -> list[Span]:
    """Return where the words of each stand; case and blanks do not matter.

    Where they are part of a longer number or code they count if they stand nowhere else. At most
    twenty places of each, and two hundred of them.
    """
    found = [
        (one.mark, place)
        for one in said_in(text, flagged[:_MOST_LOOKED_FOR])
        for place in _find(text, one.excerpt)
    ]
    places = keep_whole(text, [place for _, place in found])
    whole = {one for one, place in zip(found, places, strict=True) if one[1] == place}
    alone = {mark for mark, _ in whole}
    return [
        Span(*place, mark) for mark, place in found if mark not in alone or (mark, place) in whole
    ]


def said_in(text: str, flagged: Iterable[Flagged]) -> list[Flagged]:
    """Return those whose words may stand in a text: few do, and to look for them takes longer."""
    flat = _flat(text.split())
    return [one for one in flagged if (words := _words(one.excerpt)) and _flat(words) in flat]


def _flat(words: Iterable[str]) -> str:
    """Return words in one line, in a case of their own: what a pattern takes for alike is alike."""
    return " ".join(words).casefold().replace("\u0131", "i")


def _words(excerpt: str) -> list[str]:
    return excerpt[:_LONGEST_EXCERPT].strip(" …\t\r\n").split()


def _find(text: str, excerpt: str) -> list[tuple[int, int]]:
    words = _words(excerpt)
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words), re.IGNORECASE)
    return [hit.span() for hit in islice(pattern.finditer(text), _MOST_PLACES)]
