"""The files that go with a sealed message, and what they show when they are opened on its page."""

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.admin.evidence.highlights import (
    Flagged,
    Highlight,
    HighlightedText,
    cut,
    flag_spans,
    said_in,
)
from agents.admin.evidence.kept_files import KeptFile
from agents.models import Approval
from inbox.files.file_text import read_words
from inbox.files.images import Picture, read_picture
from inbox.files.office_text import ENDINGS
from inbox.files.pdf_text import MARK
from inbox.files.words import FileWords
from inbox.rfc5322.parse import ParsedMessage, parse_outgoing
from inbox.rfc5322.parsed import ParsedAttachment

# What is longer is cut, with the file itself to download.
LONGEST_SHOWN = 20_000
MOST_ROWS, MOST_COLUMNS = 200, 20
# Of so many files, and so many bytes of each, the words are shown with the page.
MOST_OPENED, LARGEST_OPENED = 10, 2**20
_TABLES = {".csv": ",", ".tsv": "\t"}
_DELIMITERS = ",;\t|"

Row = tuple[tuple[HighlightedText, ...], ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """What a file shows: a picture, the rows of a table, or its words; what is doubted marked."""

    picture: Picture | None = None
    rows: tuple[Row, ...] = ()
    words: tuple[HighlightedText, ...] = ()
    is_cut: bool = False

    @property
    def marked(self) -> int:
        """How many stretches of it something points at."""
        cells = (stretch for row in self.rows for cell in row for stretch in cell)
        return sum(bool(one.marks) for one in (*self.words, *cells))


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that goes with the message; `kept` is the one of ours that holds the same bytes.

    `uninspectable` says why nobody can look into it, "" where one can; `opened` is None where the
    file is not shown on the page, and `unread` why its words are not, or not all: a code of
    `FileWords`.
    """

    position: int
    filename: str
    content_type: str
    size: int
    sha256: str
    kept: KeptFile | None
    uninspectable: str = ""
    opened: Opened | None = None
    unread: str = ""


def read_enclosures(
    parsed: ParsedMessage,
    kept: Mapping[str, KeptFile],
    uninspectable: Mapping[str, str],
    doubted: Sequence[Flagged] | None = None,
) -> tuple[Enclosure, ...]:
    """Return the files of a message; they are opened where `doubted` words to mark are given.

    By hash: `kept`, our files of the same bytes; by name or type: why parts are `uninspectable`.
    """
    files = [(file, hashlib.sha256(file.content).hexdigest()) for file in parsed.attachments]
    return tuple(
        Enclosure(
            file.position, file.filename, file.content_type, len(file.content), sha256,
            kept.get(sha256), uninspectable.get(file.filename or file.content_type, ""),
            None if doubted is None or number >= MOST_OPENED else open_file(file, doubted),
            "" if doubted is None or number >= MOST_OPENED else why_unread(file),
        )
        for number, (file, sha256) in enumerate(files)
    )  # fmt: skip


def open_file(file: ParsedAttachment, doubted: Sequence[Flagged]) -> Opened | None:
    """Return what a file shows, by its bytes; None for what has neither words nor a picture."""
    picture = read_picture(file.content)
    if picture is not None:
        return Opened(picture=picture)
    if len(file.content) > LARGEST_OPENED:
        return None
    text = _text_of(file.content, file.filename, file.content_type)
    if not text.strip():
        return None
    shown, is_cut = text[:LONGEST_SHOWN], len(text) > LONGEST_SHOWN
    rows = _rows(shown, file)
    if rows:
        there = said_in(" ".join(cell for row in rows for cell in row), doubted)
        cells = tuple(tuple(_marked(cell, there) for cell in row) for row in rows[:MOST_ROWS])
        return Opened(rows=cells, is_cut=is_cut or len(rows) > MOST_ROWS)
    return Opened(words=_marked(shown, doubted), is_cut=is_cut)


def why_unread(file: ParsedAttachment) -> str:
    """Return why the words of a document are not shown, or not all of them; "" for any other."""
    if read_picture(file.content) is not None:
        return ""
    if len(file.content) > LARGEST_OPENED:
        is_document = file.content.startswith(MARK) or file.filename.lower().endswith(ENDINGS)
        return "too_large" if is_document else ""
    reason = _words_of(file.content, file.filename, file.content_type).reason
    return reason if reason != "unknown_kind" else ""


def _text_of(content: bytes, name: str, content_type: str) -> str:
    """Return what is shown of a file, and a character more."""
    return _words_of(content, name, content_type).text


@lru_cache(maxsize=16)
def _words_of(content: bytes, name: str, content_type: str) -> FileWords:
    """Return what a file says, as much as is shown; kept, for a page is drawn again."""
    found = read_words(content, name, content_type)
    return FileWords(found.text[: LONGEST_SHOWN + 1], found.reason)


def _marked(text: str, doubted: Sequence[Flagged]) -> tuple[HighlightedText, ...]:
    # All are opened elsewhere: no two places of a page have one name.
    opened: set[Highlight] = {one.mark for one in doubted}
    return cut(text, flag_spans(text, doubted), opened)


def _rows(text: str, file: ParsedAttachment) -> list[list[str]]:
    """Return the rows of a table of values (RFC 4180); [] for what is none, or cannot be read."""
    name = file.filename.lower()
    usual = next((mark for ending, mark in _TABLES.items() if name.endswith(ending)), "")
    if not usual and file.content_type.lower() != "text/csv":
        return []
    first = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=lambda mark: (first.count(mark), mark == usual))
    try:
        read = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    except csv.Error:
        return []
    return [row[:MOST_COLUMNS] for row in read if any(cell.strip() for cell in row)]


def enclosure_bytes(approval: Approval, position: int) -> tuple[str, bytes] | None:
    """Return the name and bytes of the file at this position of the sealed message, if there is."""
    if approval.submission is None:
        return None
    for file in parse_outgoing(approval.submission.mime_bytes).attachments:
        if file.position == position:
            return file.filename, file.content
    return None
