"""What changed between two texts, by words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Change: TypeAlias = Literal["same", "added", "removed"]
# Two texts further apart than so many words are compared by lines, and else as a whole.
_FURTHEST = 800


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text, and whether it is in both."""

    text: str
    change: Change = "same"


def difference(old: str, new: str) -> list[TextPiece]:
    """Return the pieces that lead from one text to the other, in order; fast for any texts."""
    for split in (_words, _lines):
        before, after = split(old), split(new)
        steps = _shortest(before, after)
        if steps is not None:
            return _coalesced(steps)
    return [TextPiece(old, "removed"), TextPiece(new, "added")]


def _shortest(before: list[str], after: list[str]) -> list[tuple[str, str]] | None:
    """Return (old, new) pairs of a shortest way, by Myers' greedy search; None: it is too far.

    E. W. Myers, An O(ND) Difference Algorithm and Its Variations, 1986.
    """
    head = _alike(before, after)
    tail = _alike(before[head:][::-1], after[head:][::-1])
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    way = _search(old, new)
    if way is None:
        return None
    same = [(word, word) for word in before[:head]]
    return [*same, *_walk(old, new, way), *((word, word) for word in before[len(before) - tail :])]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _search(old: list[str], new: list[str]) -> list[list[int]] | None:
    """Return, for each step, how far the diagonals beside it were reached; None: too far.

    Of step d these are the diagonals from -d - 1 to d + 1.
    """
    most = min(len(old) + len(new), _FURTHEST)
    middle = most + 1
    reached = [-1] * (2 * most + 3)
    reached[middle + 1] = 0
    trail: list[list[int]] = []
    for step in range(most + 1):
        trail.append(reached[middle - step - 1 : middle + step + 2])
        for diagonal in range(-step, step + 1, 2):
            at = middle + diagonal
            is_added = _is_added(reached, at, diagonal, step)
            x = reached[at + 1] if is_added else reached[at - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reached[at] = x
            if x >= len(old) and y >= len(new):
                return trail
    return None


def _is_added(reached: list[int], at: int, diagonal: int, step: int) -> bool:
    """Return True if the furthest way to a diagonal adds a word rather than removing one."""
    return diagonal == -step or (diagonal != step and reached[at - 1] < reached[at + 1])


def _walk(old: list[str], new: list[str], trail: list[list[int]]) -> list[tuple[str, str]]:
    """Follow the trail back from the end, and return the steps from the beginning."""
    x, y = len(old), len(new)
    steps: list[tuple[str, str]] = []
    for step in range(len(trail) - 1, 0, -1):
        reached, diagonal = trail[step], x - y
        at = diagonal + step + 1
        is_added = _is_added(reached, at, diagonal, step)
        from_x = reached[at + 1] if is_added else reached[at - 1]
        from_y = from_x - (diagonal + 1 if is_added else diagonal - 1)
        while x > from_x and y > from_y:
            x, y = x - 1, y - 1
            steps.append((old[x], new[y]))
        steps.append(("", new[from_y]) if is_added else (old[from_x], ""))
        x, y = from_x, from_y
    steps += [(old[at], new[at]) for at in range(x - 1, -1, -1)]
    return steps[::-1]


def _coalesced(steps: Iterable[tuple[str, str]]) -> list[TextPiece]:
    """Join changes that only white space parts: whole phrases read better than single words."""
    pieces: list[TextPiece] = []
    same: list[str] = []
    removed: list[str] = []
    added: list[str] = []
    blank = ""
    for old, new in [*steps, ("\0", "\0")]:
        if old != new:
            if same:
                pieces.append(TextPiece("".join(same)))
                same = []
            removed += [blank, old]
            added += [blank, new]
            blank = ""
        elif (removed or added) and old.isspace():
            blank += old
        else:
            pieces += _changed("".join(removed), "".join(added))
            removed, added = [], []
            same += [blank, old]
            blank = ""
    rest = "".join(same)[:-1]
    return [*pieces, TextPiece(rest)] if rest else pieces


def _changed(removed: str, added: str) -> list[TextPiece]:
    both = [TextPiece(removed, "removed"), TextPiece(added, "added")]
    return [piece for piece in both if piece.text]


def _words(text: str) -> list[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", text)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
