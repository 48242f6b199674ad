"""The words of a PDF whose fonts are plain, as most programs that print texts make them. No Django.

What is shown by numbers of glyphs alone (fonts in two bytes) cannot be read so, and says nothing.
"""

import re
import zlib
from collections.abc import Iterator

MARK = b"%PDF-"
# So many streams are looked at, so much of all of them together.
_MOST_STREAMS, _MOST_BYTES = 200, 2 * 2**20
_STREAM = re.compile(rb"stream\r?\n")
_SHOWN = re.compile(
    rb"\((?:[^()\\]|\\.){0,4000}\)|<[0-9A-Fa-f\s]{2,4000}>|(?<![\w(])(?:T[dDmj*J]|ET|['\"])(?!\w)",
    re.DOTALL,
)
_ESCAPE = re.compile(rb"\\(\r\n|[0-7]{1,3}|.)", re.DOTALL)
_NAMED = {b"n": b"\n", b"r": b"\n", b"t": b"\t", b"b": b"", b"f": b"", b"\n": b"", b"\r\n": b""}
# An operator that begins another line.
_LINES = (b"Td", b"TD", b"T*", b"Tm", b"ET", b"'", b'"')


def pdf_text(content: bytes) -> str:
    """Return the words of the pages, as far as they can be read; never raises."""
    parts = [part for stream in _streams(content) for part in _words(stream)]
    return re.sub(r"\s*\n\s*", "\n", "".join(parts)).strip()


def _streams(content: bytes) -> Iterator[bytes]:
    left = _MOST_BYTES
    for number, start in enumerate(_STREAM.finditer(content)):
        if number >= _MOST_STREAMS or left <= 0:
            return
        packed = content[start.end() : content.find(b"endstream", start.end())]
        unpacked = _unpacked(packed, left)
        left -= len(unpacked)
        if b"Tj" in unpacked or b"TJ" in unpacked:
            yield unpacked


def _unpacked(packed: bytes, most: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, most)
    except zlib.error:
        return packed[:most]


def _words(stream: bytes) -> Iterator[str]:
    for hit in _SHOWN.finditer(stream):
        said = hit[0]
        if said.startswith(b"("):
            yield _ESCAPE.sub(_plain, said[1:-1]).decode("cp1252", "replace")
        elif said.startswith(b"<"):
            digits = b"".join(said[1:-1].split())
            yield bytes.fromhex(digits[: len(digits) & ~1].decode()).decode("cp1252", "replace")
        elif said in _LINES:
            yield "\n"


def _plain(hit: re.Match[bytes]) -> bytes:
    one = hit[1]
    if one.isdigit():
        return bytes([int(one, 8) & 255])
    return _NAMED.get(one, one)
