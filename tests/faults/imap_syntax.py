"""The commands of IMAP (RFC 9051 9) as the scripted peer reads them, and the answers it writes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

# A word, nested lists of words, or bytes that came as a literal.
Word = Any
_ATOM_END = b" ()\r\n"


@dataclass
class Command:
    """A tag, the name in upper case (`UID FETCH`), and what follows."""

    tag: str
    name: str
    words: list[Word]


def literal_ahead(line: bytes) -> tuple[int, bool] | None:
    """Return the size of the literal that follows this line, and whether it waits to be asked."""
    found = re.search(rb"\{(\d{1,9})(\+?)\}\r?\n\Z", line)
    return (int(found[1]), not found[2]) if found else None


def read_command(pieces: list[bytes]) -> Command:
    """Make a command of lines and the literals between them: line, literal, line, …"""
    words: list[Word] = []
    stack = [words]
    for index, piece in enumerate(pieces):
        if index % 2:
            stack[-1].append(piece)
        else:
            _read_line(re.sub(rb"\{\d+\+?\}\r?\n\Z", b"", piece), stack)
    tag, name, *rest = words
    name = str(name).upper()
    if name == "UID":
        name, rest = f"UID {str(rest[0]).upper()}", rest[1:]
    return Command(str(tag), name, rest)


def _read_line(line: bytes, stack: list[list[Word]]) -> None:
    at = 0
    while at < len(line):
        byte = line[at : at + 1]
        if byte in (b" ", b"\r", b"\n"):
            at += 1
        elif byte == b"(":
            inner: list[Word] = []
            stack[-1].append(inner)
            stack.append(inner)
            at += 1
        elif byte == b")":
            stack.pop()
            at += 1
        elif byte == b'"':
            at = _read_quoted(line, at + 1, stack[-1])
        else:
            at = _read_atom(line, at, stack[-1])


def _read_quoted(line: bytes, at: int, into: list[Word]) -> int:
    text = bytearray()
    while line[at : at + 1] not in (b'"', b""):
        if line[at : at + 1] == b"\\":
            at += 1
        text += line[at : at + 1]
        at += 1
    into.append(text.decode("utf-8", "replace"))
    return at + 1


def _read_atom(line: bytes, at: int, into: list[Word]) -> int:
    """Read on to the next space or bracket; a section such as BODY[HEADER.FIELDS (TO)] is whole."""
    start, depth = at, 0
    while at < len(line) and (depth or line[at] not in _ATOM_END):
        depth += {b"[": 1, b"]": -1}.get(line[at : at + 1], 0)
        at += 1
    into.append(line[start:at].decode("utf-8", "replace"))
    return at


def text_of(word: Word) -> str:
    """Return a word that may have come as a literal."""
    return word.decode("utf-8", "replace") if isinstance(word, bytes) else str(word)


def numbers_in(text: str, highest: int) -> set[int]:
    """Return the ranges of a set such as `1:3,7:*`, whose `*` is the highest there is."""
    found: set[int] = set()
    for part in text.split(","):
        ends = [highest if end == "*" else int(end) for end in part.split(":")]
        # Of what is there nothing lies above `highest`.
        found |= set(range(min(ends), min(max(ends), max(highest, min(ends))) + 1))
    return found


def compact(numbers: Iterable[int]) -> str:
    """Return numbers as a set of ranges."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}:{b}" for a, b in parts)


def quoted(text: str) -> str:
    """Return a quoted string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_date(at: datetime) -> str:
    """Return an INTERNALDATE."""
    return quoted(f"{at.astimezone(UTC):%d-%b-%Y %H:%M:%S} +0000")


def read_date(text: str) -> datetime:
    """Read an INTERNALDATE."""
    return datetime.strptime(text.strip(), "%d-%b-%Y %H:%M:%S %z")
