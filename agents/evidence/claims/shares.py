"""What a percentage follows from: 80 of 320 is 25 %, 150 to 156 is 4 % more; pure."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from typing import TypeAlias

import regex

from agents.evidence.claims.records import Figure
from inbox.languages import lazy_regex

Pair: TypeAlias = tuple[Figure, Figure]
# A percentage is of figures of its own line or sentence, or so near to it.
_AROUND = 160
# What a row of a table is called by: letters with a digit or two behind, or a long word.
_NAME = lazy_regex(r"(?<![\p{L}\d])(?:\p{Lu}{1,6}[ -]?\d[\p{L}\d-]{0,10}|\p{L}{4,30})(?![\p{L}\d])")
_LINE = lazy_regex(r"[^\n]+")
_STEM = 6
_MOST_FIGURES = 12


def follows_from(
    rate: Decimal, written: str, figures: Iterable[Figure]
) -> Pair | None:  # fmt: skip
    """Return two figures of which a percentage tells the share or the change, as it is rounded."""
    decimals = regex.search(r"(?<=[.,])\d+", written)
    unit = Decimal(1).scaleb(-len(decimals[0]) if decimals else 0)
    numbers = [it for it in figures if it.sort != "rate" and it.value > 0][:_MOST_FIGURES]
    for pair in combinations(numbers, 2):
        small, large = sorted(it.value for it in pair)
        if small == large:
            continue
        for share in (small / large, (large - small) / large, (large - small) / small):
            if abs(share * 100 - rate) * 2 <= unit:
                return pair
    return None


def figures_around(figures: Sequence[Figure], start: int, end: int) -> list[Figure]:
    """Return the figures of a text that stand near a percentage, the nearest first."""
    near = [it for it in figures if it.end > start - _AROUND and it.start < end + _AROUND]
    return sorted(near, key=lambda it: abs(it.start - start))


def figures_of_rows(
    claimed: str, texts: Iterable[tuple[str, Sequence[Figure]]]
) -> Iterator[list[Figure]]:
    """Yield the figures of rows that have words of a claim's line; those of one number together.

    `texts` are the sources, each with its figures.
    """
    names = names_of(claimed)
    numbered = frozenset(it for it in names if regex.search(r"\d", it))
    together: list[Figure] = []
    for text, figures in texts:
        for match in _LINE.finditer(text):
            found = names_of(match[0]) & names
            inside = [it for it in figures if match.start() <= it.start < match.end()]
            if found & numbered:
                together += inside
            elif found and len(inside) > 1:
                yield inside
    yield together


def names_of(text: str) -> frozenset[str]:
    """Return what rows of a table may be called by of the words of a text."""
    return frozenset(
        it if regex.search(r"\d", it) else it[:_STEM]
        for it in (match[0].casefold() for match in _NAME.finditer(text))
    )


def line_around(text: str, start: int, end: int) -> str:
    """Return the line that a place of a text is in."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    return text[first : last if last >= 0 else len(text)]
