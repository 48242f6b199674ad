"""What a file says, for searching: plain texts, HTML, mail, and the words of office documents."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from zipfile import ZIP_DEFLATED, ZIP_STORED

from inbox.files import pdf_text
from inbox.html import sanitise
from inbox.rfc5322.parse import parse_message

LONGEST_TEXT = 200_000
# So much of a file is looked at; the rest is kept and not searched.
_READ = 2 * 2**20
# HTML takes longest to read, and it is read while somebody waits.
_READ_HTML = 2**19
# An office document has some dozens of parts; a list of many thousand takes seconds to read.
_MOST_PARTS = 5000
_PART_MARK, _ZIP = b"PK\x01\x02", b"PK\x03\x04"
# Of an archive so many files are looked at, and archives within it so deep.
_MOST_PACKED, _DEEPEST = 100, 2
_PLAIN = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/toml", "image/svg+xml"}
)
_PLAIN_NAMES = (
    ".txt", ".md", ".markdown", ".rst", ".csv", ".tsv", ".json", ".jsonl", ".xml", ".yaml", ".yml",
    ".toml", ".ini", ".log", ".ics", ".vcf", ".tex", ".org",
)  # fmt: skip
# Which parts of an office document hold its words.
_OFFICE = {
    ".docx": re.compile(r"word/(?:document|footnotes|endnotes|comments|header\d+|footer\d+)\.xml"),
    ".xlsx": re.compile(r"xl/(?:sharedStrings|comments\d*|worksheets/[^/]+)\.xml"),
    ".pptx": re.compile(r"ppt/(?:slides|notesSlides)/[^/]+\.xml"),
    ".odt": re.compile(r"content\.xml"), ".ods": re.compile(r"content\.xml"),
    ".odp": re.compile(r"content\.xml"),
}  # fmt: skip
_PARAGRAPH = re.compile(
    r"</(?:w|text|a):(?:p|h)>|<w:(?:br|tab)/>|</(?:si|c|row|table:table-cell|table:table-row)>"
)
_TAG = re.compile(r"<[^<>]*>")


def extract_text(content: bytes, name: str, content_type: str) -> str:
    """Return what the file says, at most 200,000 characters; "" where it is no text that we read.

    Never raises: whatever a file claims to be, it may be anything.
    """
    lowered = name.lower()
    try:
        text = _read(content, lowered, content_type.lower())
    except Exception:  # noqa: BLE001 (a file that cannot be read is kept, and not searched)
        return ""
    return text[:LONGEST_TEXT].replace("\x00", " ")


def _read(content: bytes, name: str, content_type: str, depth: int = 0) -> str:
    if content_type == "message/rfc822" or name.endswith(".eml"):
        message = parse_message(content[:_READ])
        return f"{message.subject}\n{message.text}"
    for ending, parts in _OFFICE.items():
        if name.endswith(ending):
            return _office_text(content, parts)
    if content_type == "text/html" or name.endswith((".html", ".htm")):
        return sanitise(_decode(content[:_READ_HTML]), with_hidden=True).text
    if content_type.startswith("text/") or content_type in _PLAIN or name.endswith(_PLAIN_NAMES):
        return _decode(content)
    if content.startswith(pdf_text.MARK):
        return pdf_text.pdf_text(content[:_READ])
    return _packed_text(content, depth) if content.startswith(_ZIP) else ""


def _packed_text(content: bytes, depth: int) -> str:
    """Return the names and words of the files in an archive; of archives in it, those two deep."""
    if content.count(_PART_MARK) > _MOST_PARTS or depth > _DEEPEST:
        return ""
    texts: list[str] = []
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for one, packed in _unpacked(archive, archive.infolist()[:_MOST_PACKED]):
                texts += [one.filename, _read(packed, one.filename.lower(), "", depth + 1)]
    except (zipfile.BadZipFile, RuntimeError, zlib.error, OSError, NotImplementedError):
        # What was read before the damage counts.
        pass
    return "\n".join(texts)


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


def _office_text(content: bytes, parts: re.Pattern[str]) -> str:
    """Return the words of the parts of a zipped document; no more is unpacked than is looked at."""
    if content.count(_PART_MARK) > _MOST_PARTS:
        return ""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as document:
            named = [one for one in document.infolist() if parts.fullmatch(one.filename)]
            xml = "".join(part.decode("utf-8", "replace") for _, part in _unpacked(document, named))
    except (zipfile.BadZipFile, KeyError, zlib.error, OSError, NotImplementedError):
        return ""
    words = _TAG.sub("", _PARAGRAPH.sub("\n", xml))
    return words.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _unpacked(
    archive: zipfile.ZipFile, parts: Iterable[zipfile.ZipInfo]
) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """Yield the parts with their bytes, of all together as much as is looked at of a file."""
    left = _READ
    for one in parts:
        # There are hardly any other ways of packing; of these Python unpacks all at once.
        if left > 0 and one.compress_type in {ZIP_STORED, ZIP_DEFLATED}:
            with archive.open(one) as file:
                content = file.read(left)
            left -= len(content)
            yield one, content
