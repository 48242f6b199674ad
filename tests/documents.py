"""PDF files and office documents as tests make them: small, whole, and written by nobody's program."""

import io
import zipfile
import zlib
from collections.abc import Sequence

import pypdf

Placed = tuple[float, float, str]


def pdf_of(*pages: Sequence[Placed] | str, packed: bool = True) -> bytes:
    """Return a PDF (ISO 32000-1) whose pages show texts at places, or a text line by line.

    Places are in points from the lower left corner of a page of A4; it has one plain font.
    """
    codes = _codes("".join(one[2] for page in pages for one in _placed(page)))
    numbers = [5 + 2 * index for index in range(len(pages))]
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding"
        b" /ToUnicode 4 0 R >>",
        stream_of(_to_unicode(codes)),
    ]
    for number, page in zip(numbers, pages, strict=True):
        drawn = b"\n".join(_shown(codes, *one) for one in _placed(page))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (number + 1)
        )
        objects.append(stream_of(drawn, packed=packed))
    return pdf_file(objects)


def stream_of(content: bytes, *, packed: bool = True) -> bytes:
    """Return a stream of a PDF with its dictionary."""
    filtered = b" /Filter /FlateDecode" if packed else b""
    body = zlib.compress(content) if packed else content
    return b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(body), filtered, body)


def pdf_file(objects: Sequence[bytes]) -> bytes:
    """Return a file of numbered objects, of which the first is the catalogue, with its table."""
    written = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return written + trailer % (len(objects) + 1, table)


def encrypted_pdf(password: str, algorithm: str = "AES-256") -> bytes:
    """Return a PDF that opens with the password; with "" everybody may read it."""
    writer = pypdf.PdfWriter(io.BytesIO(pdf_of("One")))
    writer.encrypt(password, "owner", algorithm=algorithm)
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def _lines(text: str) -> list[Placed]:
    return [(50, 790 - 14 * row, line) for row, line in enumerate(text.split("\n")) if line]


def _placed(page: Sequence[Placed] | str) -> Sequence[Placed]:
    return _lines(page) if isinstance(page, str) else page


def _codes(text: str) -> dict[str, int]:
    """Return a byte for each letter: its own in ASCII, else one that is free."""
    others = sorted({letter for letter in text if not letter.isascii()})
    assert len(others) < 120, "a font of one byte has no room for more"
    return {letter: ord(letter) for letter in text if letter.isascii()} | {
        letter: 0x80 + number for number, letter in enumerate(others)
    }


def _to_unicode(codes: dict[str, int]) -> bytes:
    """Return the table that says which letters the codes are (ISO 32000-1 9.10.3)."""
    rows = [f"<{code:02X}> <{ord(letter):04X}>" for letter, code in codes.items()]
    parts = [rows[at : at + 100] for at in range(0, len(rows), 100)]
    told = "\n".join(f"{len(it)} beginbfchar\n{chr(10).join(it)}\nendbfchar" for it in parts)
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange\n{told}\nendcmap end end"
    ).encode()


def _shown(codes: dict[str, int], x: float, y: float, text: str) -> bytes:
    escaped = bytes(codes[letter] for letter in text)
    for mark in (b"\\", b"(", b")"):
        escaped = escaped.replace(mark, b"\\" + mark)
    return b"BT /F1 10 Tf 1 0 0 1 %d %d Tm (%s) Tj ET" % (x, y, escaped)


def zipped(parts: dict[str, str | bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive of these files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as document:
        for name, content in parts.items():
            document.writestr(name, content)
    return packed.getvalue()


def docx_of(*blocks: str | Sequence[Sequence[str]]) -> bytes:
    """Return a Word document of paragraphs and tables."""
    body = "".join(_paragraph(it) if isinstance(it, str) else _table(it) for it in blocks)
    return zipped(
        {"word/document.xml": f'<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>'}
    )


def _paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{_escaped(text)}</w:t></w:r></w:p>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    cells = ("".join(f"<w:tc>{_paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
