"""Content lines in blocks (RFC 5545 3.1, RFC 6350 3.2), changed without touching the rest.

What a program does not know of a calendar or a card stays as it was, to the byte. No Django.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

MOST_LINES = 100_000
# Octets of a line before it is folded (RFC 5545 3.1).
_WIDTH = 75
# A second CR is of a program that had its line ends translated once more.
_NEWLINE = re.compile(r"\r{0,2}\n|\r")
_FOLD = re.compile(r"(?:\r{0,2}\n|\r)[ \t]")
_NAME = re.compile(r"(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9-]+)[;:]")

Predicate: TypeAlias = Callable[[str], bool]
Folding: TypeAlias = Callable[[str], str]


@dataclass(slots=True)
class Block:
    """What stands between BEGIN and END: lines, unfolded, and blocks, in their order."""

    name: str
    items: "list[str | Block]" = field(default_factory=list)

    @property
    def blocks(self) -> "list[Block]":
        """The blocks right in this one."""
        return [item for item in self.items if isinstance(item, Block)]

    def lines(self, name: str) -> list[str]:
        """Return the lines of a property, whatever group they stand in."""
        return [item for item in self.items if isinstance(item, str) and name_of(item) == name]

    def put(self, name: str, lines: Iterable[str]) -> None:
        """Have the property say exactly these lines, where its first one stood; none removes it."""
        self.put_where(lambda line: name_of(line) == name, lines)

    def put_where(self, is_old: Predicate, lines: Iterable[str]) -> None:
        """Have these lines stand in place of those that are `is_old`."""
        old = [at for at, item in enumerate(self.items) if isinstance(item, str) and is_old(item)]
        place = old[0] if old else self._end_of_lines()
        for at in reversed(old):
            del self.items[at]
        self.items[place:place] = list(lines)

    def _end_of_lines(self) -> int:
        blocks = (at for at, item in enumerate(self.items) if isinstance(item, Block))
        return next(blocks, len(self.items))


def name_of(line: str) -> str:
    """Return the name of a line's property in capitals, without its group; empty: it has none."""
    found = _NAME.match(line)
    return found[1].upper() if found else ""


def read_blocks(text: str, most_lines: int = MOST_LINES) -> list[Block]:
    """Return the outermost blocks; raises ValueError where they do not close as they opened."""
    lines = _NEWLINE.split(_FOLD.sub("", text.removeprefix("\ufeff")))
    if len(lines) > most_lines:
        raise ValueError(f"it has more than {most_lines:,} lines")
    root = Block("")
    open_blocks = [root]
    for line in filter(str.strip, lines):
        word, _, value = line.partition(":")
        match word.strip().upper():
            case "BEGIN":
                block = Block(value.strip().upper())
                open_blocks[-1].items.append(block)
                open_blocks.append(block)
            case "END":
                if len(open_blocks) < 2 or open_blocks.pop().name != value.strip().upper():
                    raise ValueError(f"END:{value[:40]} closes what is not open")
            case _:
                open_blocks[-1].items.append(line)
    if len(open_blocks) != 1:
        raise ValueError(f"{open_blocks[-1].name[:40]} does not end")
    return root.blocks


def fold(line: str) -> str:
    """Return a line in pieces of at most 75 octets, none of which ends within a character."""
    if line.isascii():
        # At once, for a picture has a hundred thousand letters.
        rest = range(_WIDTH, len(line), _WIDTH - 1)
        return "\r\n ".join([line[:_WIDTH], *(line[at : at + _WIDTH - 1] for at in rest)])
    pieces, piece, width = [], "", 0
    for letter in line:
        octets = len(letter.encode("utf-8", "surrogatepass"))
        if width + octets > _WIDTH:
            pieces.append(piece)
            # The blank that a following line begins with counts.
            piece, width = "", 1
        piece, width = piece + letter, width + octets
    return "\r\n ".join([*pieces, piece])


def write_blocks(blocks: Iterable[Block], folded: Folding = fold) -> str:
    """Return them as text, with CRLF and folded lines."""
    return "".join(f"{folded(line)}\r\n" for block in blocks for line in _lines(block))


def _lines(block: Block) -> Iterator[str]:
    """Yield the lines of a block; not by recursion, for blocks may stand as deep as they like."""
    waiting: list[str | Block] = [block]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        yield f"BEGIN:{item.name}"
        waiting.append(f"END:{item.name}")
        waiting.extend(reversed(item.items))
