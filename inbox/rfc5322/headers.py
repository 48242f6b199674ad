"""The header section of a message or part, split without trusting it (RFC 5322 2.2)."""

import re
from functools import lru_cache

from inbox.rfc5322.charsets import decode
from inbox.rfc5322.encoded_words import decode_words
from inbox.rfc5322.text.unicode_text import clean_line

# A line that goes on: without what is before the blank.
_FOLDS = ((b"\r\n ", b" "), (b"\r\n\t", b"\t"), (b"\n ", b" "), (b"\n\t", b"\t"))
_FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:[ \t]*")
_BLANK = re.compile(rb"\n\r?\n")
# Of these the order counts, and of so many from the top.
# Results on the sender, and the fields by which one can tell who wrote them.
RESULTS = ("authentication-results", "arc-authentication-results", "received-spf")
TRACED = frozenset({"received", *RESULTS})
_MOST_TRACE = 100
MAX_FIELDS = 5000
_LONGEST_NAME = 60
# Bytes of a value that are read: what is longer says no more to a person.
MAX_VALUE = 100_000
# Twenty thousand recipients fit in this.
MAX_LONG_VALUE = 3_000_000


class Headers:
    """Fields by lower-case name, in order, as the raw bytes of their values, unfolded."""

    __slots__ = ("broken", "charset", "fields", "traced")

    def __init__(self) -> None:
        self.fields: dict[str, list[bytes]] = {}
        self.traced: list[tuple[str, bytes]] = []
        self.broken = False
        # What raw 8-bit values are written in, if they are no UTF-8.
        self.charset = ""

    def add(self, name: str, value: bytes) -> None:
        """Add a field below the others."""
        self.fields.setdefault(name, []).append(value)
        if name in TRACED and len(self.traced) < _MOST_TRACE:
            self.traced.append((name, value))

    def raw(self, name: str) -> str:
        """Return the first field of that name as text that keeps its encoded words; "" if none."""
        values = self.fields.get(name)
        return as_text(values[0][:MAX_VALUE], self.charset) if values else ""

    def all_raw(self, name: str) -> list[str]:
        """Return every field of that name as text that keeps its encoded words.

        All together they are cut after three megabytes.
        """
        room = MAX_LONG_VALUE
        texts = []
        for value in self.fields.get(name, ()):
            texts.append(as_text(value[:room], self.charset))
            room -= len(value)
            if room <= 0:
                break
        return texts

    def line(self, name: str) -> str:
        """Return the first field of that name decoded, clean and on one line; "" if none."""
        return decode_line(self.raw(name))[0]


def as_text(value: bytes, charset: str = "") -> str:
    """Return a raw header value as text; 8-bit bytes are UTF-8, else `charset`, else guessed."""
    if value.isascii() and b"\x1b" not in value:
        return value.decode("ascii").strip()
    try:
        if b"\x1b" not in value:
            return value.decode("utf-8").strip()
    except UnicodeDecodeError:
        pass
    return decode(value, charset)[0].strip()


@lru_cache(maxsize=2048)
def _decode_short(text: str) -> tuple[str, bool, bool]:
    decoded, bad = decode_words(text)
    line, removed = clean_line(decoded)
    return line, bad, removed


def decode_line(text: str) -> tuple[str, bool, bool]:
    """Return header text decoded, clean and on one line, with two warnings.

    The first says that a charset was wrong, the second that unseen characters were removed.
    """
    if len(text) <= 500:
        return _decode_short(text)
    decoded, bad = decode_words(text)
    line, removed = clean_line(decoded)
    return line, bad, removed


def find_body(raw: bytes, start: int, end: int) -> tuple[int, int]:
    """Return where the header section of `raw[start:end]` ends, and where its body begins."""
    if raw.startswith(b"\n", start):
        return start, start + 1
    if raw.startswith(b"\r\n", start):
        return start, start + 2
    blank = _BLANK.search(raw, start, end)
    if blank is None:
        return end, end
    return blank.start() + 1, blank.end()


def read_headers(raw: bytes, start: int, end: int) -> tuple[Headers, int]:
    """Return the headers that begin at `start`, and where the body begins.

    A line that is no field is passed over when a field follows it, as in a header section that
    somebody wrote into; otherwise the body begins there, for want of the blank line.
    """
    headers = Headers()
    header_end, body = find_body(raw, start, end)
    section = raw[start:header_end]
    position = start
    lines = _unfolded(section).split(b"\n") if section else []
    folded = len(lines) != section.count(b"\n") + 1
    match = _FIELD.match
    for index, line in enumerate(lines[:MAX_FIELDS]):
        field = match(line)
        if field is not None:
            headers.add(_name_of(field[1]), line[field.end() :].rstrip(b"\r"))
        elif line.strip() and not _is_envelope(line, index):
            headers.broken = True
            if index + 1 >= len(lines) or not _FIELD.match(lines[index + 1]):
                return headers, (raw.find(line[:70], start) if folded else position)
        position += len(line) + 1
    headers.broken = headers.broken or len(lines) > MAX_FIELDS
    return headers, body


def _unfolded(section: bytes) -> bytes:
    """Return a header section, in which no line is empty, without its folds (RFC 5322 2.2.3)."""
    for fold, blank in _FOLDS:
        section = section.replace(fold, blank)
    return section


def _name_of(written: bytes) -> str:
    """Return the name of a field in lower case."""
    return _known_name(written) if len(written) <= _LONGEST_NAME else written.decode().lower()


@lru_cache(maxsize=1024)
def _known_name(written: bytes) -> str:
    return written.decode("ascii").lower()


def _is_envelope(line: bytes, index: int) -> bool:
    """Return True if this is the `From ` line of an mbox, plain or quoted."""
    return index == 0 and line.startswith((b"From ", b">From "))
