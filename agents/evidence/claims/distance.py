"""How near two written forms are: a slip of the finger apart, or something else; pure."""

import unicodedata
from decimal import Decimal
from functools import lru_cache

_MOST_WORDS = 1 << 15
# Of a number or a name as long as this, two slips are one mistake still.
_LONG = 8
# Letters with a stroke are no accents to Unicode.
_STROKES = str.maketrans("łøđ", "lod")


def slips(one: str, other: str, most: int = 2) -> int:
    """Return how many letters were changed, left out, put in or swapped with their neighbour.

    The optimal string alignment distance; `most` + 1 where it is more.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row]
        for column, compared in enumerate(other, 1):
            cost = min(last[column] + 1, now[-1] + 1, last[column - 1] + (letter != compared))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == compared:
                cost = min(cost, before[column - 2] + 1)
            now.append(cost)
        before, last = last, now
        if min(last) > most:
            return most + 1
    return last[-1]


def is_misspelt(one: str, other: str) -> bool:
    """Return True if one is the other with a slip or, in long ones, two; equal ones are not."""
    most = 2 if min(len(one), len(other)) >= _LONG else 1
    return 0 < slips(one, other, most) <= most


def digits_of(value: Decimal) -> str:
    """Return the digits of a number that count: without its point, and zeros at its ends."""
    return f"{abs(value):f}".replace(".", "").strip("0")


@lru_cache(maxsize=_MOST_WORDS)
def plain(name: str) -> str:
    """Return a name in lower case and without accents, as people leave them out."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    letters = (letter for letter in apart if not unicodedata.combining(letter))
    return "".join(letters).translate(_STROKES)
