"""What changed between two texts, by words; and the words that a flag points at."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

Change: TypeAlias = Literal["same", "added", "removed"]
# Above so many comparisons, whole lines are compared instead of words.
_DEAR = 4_000_000
_LONGEST_EXCERPT = 500


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text; `mark` numbers the flag that points at it, 0 for none."""

    text: str
    change: Change = "same"
    mark: int = 0


def difference(old: str, new: str) -> list[Piece]:
    """Return the pieces that lead from one text to the other, in order."""
    before, after = _words(old), _words(new)
    if len(before) * len(after) > _DEAR:
        before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if len(before) * len(after) > _DEAR:
        return [Piece(old, "removed"), Piece(new, "added")]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return _coalesced(
        ("".join(before[i1:i2]), "".join(after[j1:j2]))
        for _, i1, i2, j1, j2 in matcher.get_opcodes()
    )


def _coalesced(steps: Iterable[tuple[str, str]]) -> list[Piece]:
    """Join changes that only white space parts: whole phrases read better than single words."""
    pieces: list[Piece] = []
    removed = added = ""
    for old, new in [*steps, ("", "")]:
        is_same = old == new
        if not is_same or (old and not old.strip() and (removed or added)):
            removed, added = removed + old, added + new
            continue
        pieces += [Piece(removed, "removed")] if removed else []
        pieces += [Piece(added, "added")] if added else []
        pieces += [Piece(old)] if old else []
        removed = added = ""
    return pieces


def mark_excerpts(text: str, excerpts: Sequence[str]) -> list[Piece]:
    """Cut a text so that the first place of each excerpt is a piece with its number, from 1 on.

    Case and white space do not matter; where two overlap, the one that begins first is marked.
    """
    found = []
    for number, excerpt in enumerate(excerpts, start=1):
        place = _find(text, excerpt)
        if place:
            found.append((*place, number))
    pieces: list[Piece] = []
    at = 0
    for start, end, number in sorted(found):
        if start < at:
            continue
        if start > at:
            pieces.append(Piece(text[at:start]))
        pieces.append(Piece(text[start:end], mark=number))
        at = end
    if at < len(text) or not pieces:
        pieces.append(Piece(text[at:]))
    return pieces


def _find(text: str, excerpt: str) -> tuple[int, int] | None:
    words = excerpt[:_LONGEST_EXCERPT].strip(" …\t\r\n").split()
    if not words:
        return None
    hit = re.search(r"\s+".join(re.escape(word) for word in words), text, re.IGNORECASE)
    return hit.span() if hit else None


def _words(text: str) -> list[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", text)
