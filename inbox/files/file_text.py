"""What a file says, for searching: plain texts, HTML, mail, office documents and PDF."""

import csv
import io
import zipfile
import zlib

from inbox.files import office_text, pdf_text
from inbox.files.words import CELL, FileWords
from inbox.html import sanitise
from inbox.rfc5322.parse import parse_message

LONGEST_TEXT = 200_000
# So much of a file is looked at; the rest is kept and not searched.
_READ = 2 * 2**20
# HTML takes longest to read, and it is read while somebody waits.
_READ_HTML = 2**19
_ZIP = b"PK\x03\x04"
# Of an archive so many files are looked at, and archives within it so deep.
_MOST_PACKED, _DEEPEST = 100, 2
_PLAIN = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/toml", "image/svg+xml"}
)
_TABLES = {".csv": ",", ".tsv": "\t"}
_TABLE_TYPES = {"text/csv": ",", "text/tab-separated-values": "\t"}
_DELIMITERS = ",;\t|"
_MOST_COLUMNS = 60
_PLAIN_NAMES = (
    ".txt", ".md", ".markdown", ".rst", *_TABLES, ".json", ".jsonl", ".xml", ".yaml", ".yml",
    ".toml", ".ini", ".log", ".ics", ".vcf", ".tex", ".org",
)  # fmt: skip
# Office documents by their type, where a name says nothing.
_OFFICE_TYPES = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.presentation": ".odp",
}


def extract_text(content: bytes, name: str, content_type: str) -> str:
    """Return what the file says, at most 200,000 characters; "" where it is no text that we read.

    Never raises: whatever a file claims to be, it may be anything.
    """
    return read_words(content, name, content_type).text


def read_words(content: bytes, name: str, content_type: str, *, cells: bool = False) -> FileWords:
    """Return what the file says, and why that is not all of it; never raises.

    With `cells` what stands in columns, in a PDF or a table of values, is rows whose cells are
    parted by ` | `, as they are in HTML and office documents.
    """
    try:
        words = _read(content, name.lower(), _bare_type(content_type), cells=cells)
    except Exception:  # noqa: BLE001 (a file that cannot be read is kept, and not searched)
        return FileWords("", "damaged")
    return FileWords(words.text[:LONGEST_TEXT].replace("\x00", " "), words.reason)


def _bare_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _read(
    content: bytes, name: str, content_type: str, depth: int = 0, *, cells: bool = False
) -> FileWords:
    if content_type == "message/rfc822" or name.endswith(".eml"):
        message = parse_message(content[:_READ])
        return FileWords(f"{message.subject}\n{message.text}")
    if content[:1024].lstrip().startswith(pdf_text.MARK):
        return pdf_text.pdf_words(content, LONGEST_TEXT, cells=cells)
    if ending := _office_ending(content, name, content_type):
        return office_text.office_words(content, ending)
    if content_type == "text/html" or name.endswith((".html", ".htm")):
        return FileWords(sanitise(_decode(content[:_READ_HTML]), with_hidden=True).text)
    if content_type.startswith("text/") or content_type in _PLAIN or name.endswith(_PLAIN_NAMES):
        return _plain(content, name, content_type, cells=cells)
    if content.startswith(_ZIP):
        return _packed_words(content, depth)
    return FileWords("", "unknown_kind")


def _office_ending(content: bytes, name: str, content_type: str) -> str:
    named = next((it for it in office_text.ENDINGS if name.endswith(it)), "")
    if named or not content.startswith(_ZIP):
        return named
    return _OFFICE_TYPES.get(content_type, "")


def _plain(content: bytes, name: str, content_type: str, *, cells: bool) -> FileWords:
    text = _decode(content)
    usual = next((mark for it, mark in _TABLES.items() if name.endswith(it)), "")
    usual = usual or _TABLE_TYPES.get(content_type, "")
    if cells and usual:
        text = _in_cells(text, usual)
    return FileWords(text, "" if text.strip() else "no_words")


def _in_cells(text: str, usual: str) -> str:
    """Return the rows of a table of values (RFC 4180) with their cells parted by ` | `."""
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=lambda mark: (first.count(mark), mark == usual))
    try:
        rows = list(csv.reader(io.StringIO(text[:LONGEST_TEXT]), delimiter=delimiter))
    except csv.Error:
        return text
    shown = (CELL.join(" ".join(it.split()) for it in row[:_MOST_COLUMNS]) for row in rows)
    return "\n".join(row.rstrip(" |") for row in shown)


def _packed_words(content: bytes, depth: int) -> FileWords:
    """Return the names and words of the files in an archive; of archives in it, those two deep."""
    if content.count(office_text.PART_MARK) > office_text.MOST_PARTS or depth > _DEEPEST:
        return FileWords("", "too_large")
    texts: list[str] = []
    reason = ""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            listed = archive.infolist()[:_MOST_PACKED]
            for one, packed in office_text.unpacked(archive, listed):
                texts += [one.filename, _read(packed, one.filename.lower(), "", depth + 1).text]
    except (zipfile.BadZipFile, zlib.error, OSError, NotImplementedError):
        # What was read before the damage counts.
        reason = "damaged"
    except RuntimeError:
        reason = "encrypted"
    return FileWords("\n".join(texts), reason)


def _decode(content: bytes) -> str:
    """Return the text of bytes in the encoding that they look like; "" for what is no text."""
    head = content[:_READ]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    if b"\x00" in head[:4096]:
        return ""
    try:
        # What was cut may end in half a character.
        return head.decode("utf-8-sig", "strict" if len(head) < _READ_HTML else "ignore")
    except UnicodeDecodeError:
        return head.decode("cp1252", "replace")
