"""The words of office documents: zipped XML, of which no more is unpacked than is looked at.

Word, PowerPoint and OpenDocument by their paragraphs and rows, Excel by its cells (ECMA-376,
ISO/IEC 26300). The parser takes no document type, and with it no entity, from anybody. No Django.
"""

import io
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from xml.parsers import expat
from zipfile import ZIP_DEFLATED, ZIP_STORED

import regex

from inbox.files.words import CELL, FileWords

# So much of all parts together is unpacked.
MOST_UNPACKED = 2 * 2**20
# An office document has some dozens of parts; a list of many thousand takes seconds to read.
MOST_PARTS = 5000
PART_MARK = b"PK\x01\x02"
_MOST_COLUMNS = 60
# As long as Excel lets a format be; each cell that has it reads it.
_LONGEST_FORMAT = 255
# Which parts of an office document hold its words; of Excel what tells how to read them first.
_PARTS = {
    ".docx": (
        r"word/document\.xml", r"word/(?:footnotes|endnotes|comments|header\d+|footer\d+)\.xml",
    ),
    ".xlsx": (
        r"xl/sharedStrings\.xml", r"xl/styles\.xml", r"xl/worksheets/[^/]+\.xml",
        r"xl/comments\d*\.xml",
    ),
    ".pptx": (r"ppt/slides/[^/]+\.xml", r"ppt/notesSlides/[^/]+\.xml"),
    ".odt": (r"content\.xml",), ".ods": (r"content\.xml",), ".odp": (r"content\.xml",),
}  # fmt: skip
ENDINGS = tuple(_PARTS)
# Local names of what ends a line, a row and a cell, and of what is a blank.
_LINES = frozenset({"p", "h", "br", "cr"})
_ROWS, _CELLS = frozenset({"tr", "table-row"}), frozenset({"tc", "table-cell"})
_BLANKS = frozenset({"tab", "s", "line-break"})
# Elements whose text is nobody's words.
_UNSAID = frozenset({"instrText", "delText", "tracked-changes"})


class _RefusedError(Exception):
    """What no office program writes."""


def office_words(content: bytes, ending: str) -> FileWords:
    """Return the words of a document by the ending of its name; never raises."""
    if content.count(PART_MARK) > MOST_PARTS:
        return FileWords("", "too_large")
    reader = _Workbook() if ending == ".xlsx" else _Prose()
    reason = ""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as document:
            for name, part in unpacked(document, _ordered(document, _PARTS[ending])):
                reader.read(name.filename, part)
    except (expat.ExpatError, _RefusedError, zipfile.BadZipFile, zlib.error, KeyError, ValueError,
            OSError, RuntimeError, NotImplementedError, IndexError):  # fmt: skip
        # What was read before the damage counts.
        reason = "damaged"
    text = reader.text()
    return FileWords(text, reason or ("" if text.strip() else "no_words"))


def _ordered(document: zipfile.ZipFile, parts: Iterable[str]) -> Iterator[zipfile.ZipInfo]:
    listed = document.infolist()
    for part in parts:
        yield from (one for one in listed if regex.fullmatch(part, one.filename))


def unpacked(
    archive: zipfile.ZipFile, parts: Iterable[zipfile.ZipInfo]
) -> Iterator[tuple[zipfile.ZipInfo, bytes]]:
    """Yield the parts with their bytes, of all together as much as is looked at of a file."""
    left = MOST_UNPACKED
    for one in parts:
        # There are hardly any other ways of packing; of these Python unpacks all at once.
        if left > 0 and one.compress_type in {ZIP_STORED, ZIP_DEFLATED}:
            with archive.open(one) as file:
                content = file.read(left)
            left -= len(content)
            yield one, content


def _parse(part: bytes, reader: "_Prose | _Workbook") -> None:
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.say
    parser.buffer_text = True
    parser.Parse(part, len(part) < MOST_UNPACKED)


def _refuse(*_: object) -> None:
    raise _RefusedError


def _local(name: str) -> str:
    return name.rpartition(":")[2]


class _Prose:
    """Paragraphs, one a line, and the rows of tables, whose cells are parted as in HTML mail."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._cells = 0
        self._unsaid = 0

    def read(self, _: str, part: bytes) -> None:
        self._cells = self._unsaid = 0
        _parse(part, self)
        self._said.append("\n")

    def text(self) -> str:
        lines = "".join(self._said).split("\n")
        rows = (CELL.join(cell.strip() for cell in line.split(CELL)) for line in lines)
        return "\n".join(row.rstrip(" |") for row in rows).strip()

    def start(self, name: str, _: dict[str, str]) -> None:
        local = _local(name)
        self._cells += local in _CELLS
        self._unsaid += local in _UNSAID
        if local in _BLANKS:
            self._said.append(" ")

    def end(self, name: str) -> None:
        local = _local(name)
        self._unsaid -= local in _UNSAID
        if local in _CELLS:
            self._cells -= 1
            self._said.append(CELL)
        elif local in _ROWS or local in _LINES:
            self._said.append(" " if self._cells else "\n")

    def say(self, text: str) -> None:
        if not self._unsaid:
            self._said.append(text if text.strip() or "\n" not in text else "")


# The numbers of formats that are dates, and of those that are a time (ECMA-376 18.8.30).
_DATES, _TIMES = frozenset({14, 15, 16, 17, 22}), frozenset({18, 19, 20, 21})
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 (a day in a cell is in no zone)
_LAST_DAY = 200_000


class _Workbook:
    """The rows of the sheets, with strings and dates as a person sees them."""

    def __init__(self) -> None:
        self._strings: list[str] = []
        self._own_formats: dict[int, str] = {}
        self._formats: list[int] = []
        self._rows: list[str] = []
        self._row: list[str] = []
        self._value: list[str] = []
        self._cell: dict[str, str] = {}
        self._path: list[str] = []
        # Many cells may show one long string: all together no more is shown than was unpacked.
        self._left = MOST_UNPACKED

    def read(self, _: str, part: bytes) -> None:
        self._path, self._row, self._value = [], [], []
        _parse(part, self)

    def text(self) -> str:
        # A book of nothing but strings has been seen; they are its words.
        return "\n".join(self._rows or self._strings)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        local = _local(name)
        self._path.append(local)
        if local == "row":
            self._row = []
        elif local in {"c", "si", "comment"}:
            self._cell, self._value = attributes, []
        elif local == "numFmt":
            code = attributes["formatCode"][:_LONGEST_FORMAT]
            self._own_formats[int(attributes["numFmtId"])] = code
        elif local == "xf" and "cellXfs" in self._path:
            self._formats.append(int(attributes.get("numFmtId", 0)))

    def end(self, name: str) -> None:
        local = _local(name)
        if self._path:
            self._path.pop()
        if local == "si":
            self._strings.append("".join(self._value))
        elif local == "comment":
            self._rows.append("".join(self._value))
        elif local == "c":
            self._place()
        elif local == "row" and any(self._row):
            self._rows.append(CELL.join(self._row).rstrip(" |"))

    def say(self, text: str) -> None:
        if self._path and self._path[-1] in {"v", "t"}:
            self._value.append(text)

    def _place(self) -> None:
        letters = regex.match(r"[A-Z]{1,3}", self._cell.get("r", ""))
        column = len(self._row)
        if letters:
            column = 0
            for letter in letters[0]:
                column = column * 26 + ord(letter) - 64
            column -= 1
        if column < _MOST_COLUMNS:
            shown = self._shown()[: self._left]
            self._left -= len(shown)
            self._row += [""] * (column - len(self._row)) + [shown]

    def _shown(self) -> str:
        value, kind = "".join(self._value).strip(), self._cell.get("t", "n")
        if kind == "s":
            at = int(value or -1)
            return self._strings[at] if 0 <= at < len(self._strings) else ""
        if kind not in {"n", ""}:
            return value
        style = int(self._cell.get("s", 0))
        number = self._formats[style] if style < len(self._formats) else 0
        return _as_number(value, number, self._own_formats.get(number, ""))


def _as_number(value: str, number: int, code: str) -> str:
    """Return a number of a cell as its format shows it: a date, an amount, or as it is."""
    try:
        read = float(value)
    except ValueError:
        return value
    bare = regex.sub(r'"[^"]*"|\\.|\[[^\]]*\]', "", code.lower())
    if (number in _DATES or regex.search(r"[dy]", bare)) and 0 < read < _LAST_DAY:
        moment = _EPOCH + timedelta(days=read)
        return moment.strftime("%Y-%m-%d" if read == int(read) else "%Y-%m-%d %H:%M")
    if number in _TIMES and 0 <= read < 1:
        return (_EPOCH + timedelta(days=read)).strftime("%H:%M")
    sign = regex.search(r"[€$£]|EUR|USD|GBP|CHF|zł|kr", code)
    if number in {2, 4, 7, 8, 39, 40, 44} or "0.00" in bare:
        return f"{read:,.2f}{' ' + sign[0] if sign else ''}"
    return f"{read:.10g}"
