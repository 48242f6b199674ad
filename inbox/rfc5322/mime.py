"""The tree of parts of a message (RFC 2045, 2046), as offsets into its bytes.

The standard library's parser goes line by line and recurses a level per multipart; a hostile
message stops it. Here a part is a pair of offsets, boundaries are found by bytes.find, and depth
and number of parts are bounded. An attached message is one part and is not looked into.
"""

import re
from dataclasses import dataclass

from inbox.rfc5322.headers import Headers, read_headers
from inbox.rfc5322.parameters import Parameters, parse_parameters

_GUESSED_BOUNDARY = re.compile(
    rb"(?<=\n)--([^\s-][^\r\n]{0,68}[^\s-]|[^\s-])[ \t]*\r?\nContent-", re.IGNORECASE
)

MAX_DEPTH = 30
MAX_PARTS = 2000


@dataclass(slots=True)
class Part:
    """A leaf: its headers, its type, and where its body lies in the raw message."""

    headers: Headers
    content_type: str
    parameters: Parameters
    start: int
    end: int
    # The multipart it stands in: alternative, related, mixed, …; "" at the top.
    container: str = ""
    # Parts of one multipart/alternative share a number; 0 outside of any.
    alternative: int = 0


@dataclass(slots=True)
class _Level:
    depth: int
    container: str
    alternative: int


class PartReader:
    """Reads the leaves of a message in the order in which they stand."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.parts: list[Part] = []
        self.problems: set[str] = set()
        self.alternatives = 0

    def read(self, headers: Headers, start: int, end: int) -> list[Part]:
        """Return the leaves of the entity with these headers and this body."""
        waiting = [(headers, start, end, _Level(0, "", 0))]
        while waiting:
            headers, start, end, level = waiting.pop()
            content_type, parameters = content_type_of(headers, level.container)
            children: list[tuple[int, int]] = []
            if content_type.startswith("multipart/"):
                children = self._children(parameters.get("boundary", ""), start, end, level.depth)
            if children:
                inner = self._inner_level(content_type, level)
                waiting.extend(
                    (*self._entity(child_start, child_end), child_end, inner)
                    for child_start, child_end in reversed(children)
                )
            else:
                self._add_leaf(headers, (content_type, parameters), (start, end), level)
        return self.parts

    def _entity(self, start: int, end: int) -> tuple[Headers, int]:
        headers, body = read_headers(self.raw, start, end)
        if headers.broken:
            self.problems.add("broken_header")
        return headers, body

    def _inner_level(self, content_type: str, level: _Level) -> _Level:
        alternative = level.alternative
        if content_type == "multipart/alternative":
            self.alternatives += 1
            alternative = self.alternatives
        return _Level(level.depth + 1, content_type.partition("/")[2], alternative)

    def _add_leaf(
        self, headers: Headers, kind: tuple[str, Parameters], span: tuple[int, int], level: _Level
    ) -> None:
        content_type, parameters = kind
        if content_type.startswith("multipart/") and level.depth < MAX_DEPTH:
            # Without boundaries it is text to whoever opens it.
            content_type = "text/plain"
            self.problems.add("broken_multipart")
        self.parts.append(
            Part(headers, content_type, parameters, *span, level.container, level.alternative)
        )

    def _children(self, boundary: str, start: int, end: int, depth: int) -> list[tuple[int, int]]:
        """Return where the parts between the boundary's lines lie, headers included."""
        if start >= end:
            return []
        if depth >= MAX_DEPTH:
            self.problems.add("too_deep")
            return []
        room = MAX_PARTS - len(self.parts)
        spans, closed = find_parts(self.raw, _as_delimiter(boundary), start, end, room)
        if not spans:
            guessed = _GUESSED_BOUNDARY.search(self.raw, start, min(end, start + 20_000))
            if guessed is None:
                return []
            self.problems.add("broken_multipart")
            spans, closed = find_parts(self.raw, b"--" + guessed[1], start, end, room)
        if len(spans) >= room:
            self.problems.add("too_many_parts")
        elif not closed:
            self.problems.add("broken_multipart")
        return spans


def content_type_of(headers: Headers, container: str) -> tuple[str, Parameters]:
    """Return the media type, text/plain where it is missing or no type, and its parameters."""
    value = headers.raw("content-type")
    if not value:
        return ("message/rfc822" if container == "digest" else "text/plain"), {}
    content_type, parameters = parse_parameters(value)
    main, slash, sub = content_type.partition("/")
    if not slash or not main or not sub or len(content_type) > 200 or not content_type.isascii():
        content_type = "text/plain"
    return content_type, parameters


def _as_delimiter(boundary: str) -> bytes:
    return b"--" + boundary.encode("utf-8", "surrogateescape").rstrip() if boundary else b""


def find_parts(
    raw: bytes, delimiter: bytes, start: int, end: int, most: int
) -> tuple[list[tuple[int, int]], bool]:
    """Return the spans between the delimiter's lines, and whether its last line was there."""
    if not delimiter:
        return [], False
    spans: list[tuple[int, int]] = []
    opened = -1
    position = raw.find(delimiter, start, end)
    while position >= 0:
        after = position + len(delimiter)
        line_end = _line_end(raw, after, end)
        rest = raw[after:line_end].strip() if line_end > 0 else b"no delimiter"
        if rest in (b"", b"--") and (position == start or raw[position - 1] in b"\n\r"):
            if opened >= 0:
                spans.append((opened, _without_newline(raw, opened, position)))
            if rest:
                return spans, True
            opened = line_end
            if len(spans) >= most:
                return spans, False
        position = raw.find(delimiter, after, end)
    if opened >= 0:
        spans.append((opened, end))
    return spans, False


def _line_end(raw: bytes, after: int, end: int) -> int:
    """Return where the next line begins; -1 when this one is too long for a delimiter."""
    found = raw.find(b"\n", after, min(end, after + 200))
    if found >= 0:
        return found + 1
    return end if end - after < 200 else -1


def _without_newline(raw: bytes, start: int, position: int) -> int:
    """Leave out the line break that belongs to the delimiter (RFC 2046 5.1.1)."""
    if position > start and raw[position - 1] == 0x0A:
        position -= 1
    if position > start and raw[position - 1] == 0x0D:
        position -= 1
    return position
