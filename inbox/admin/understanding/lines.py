"""The difference of two texts by lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["same", "added", "removed", "gap"]
AROUND = 3


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line with its number in the text it is of; a gap stands for lines that did not change."""

    kind: Kind
    number: int
    text: str


def compare_lines(before: str, after: str) -> list[DiffLine]:
    """Return what changed, with three lines around it; nothing where nothing did."""
    old, new = before.splitlines(), after.splitlines()
    if old == new:
        return []
    lines: list[DiffLine] = []
    matcher = SequenceMatcher(None, old, new)
    for place, group in enumerate(matcher.get_grouped_opcodes(AROUND)):
        if place or group[0][3]:
            lines.append(DiffLine("gap", 0, ""))
        for opcode in group:
            lines += _lines_of(opcode, old, new)
    return lines


def _lines_of(
    opcode: tuple[str, int, int, int, int], old: list[str], new: list[str]
) -> Iterator[DiffLine]:
    tag, start, end, new_start, new_end = opcode
    if tag == "equal":
        yield from (DiffLine("same", at + 1, new[at]) for at in range(new_start, new_end))
        return
    yield from (DiffLine("removed", at + 1, old[at]) for at in range(start, end))
    yield from (DiffLine("added", at + 1, new[at]) for at in range(new_start, new_end))
