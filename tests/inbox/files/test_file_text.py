"""What files say, and what is made of files that say something else than they are."""

import io
import zipfile
import zlib

import pytest

from inbox.files.file_text import LONGEST_TEXT, extract_text
from tests.cases import in_one_test


def office(part, xml, packing=zipfile.ZIP_DEFLATED, others=0):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as document:
        document.writestr(part, xml)
        for number in range(others):
            document.writestr(f"{number}", b"")
    return packed.getvalue()


def pdf(page, *, packed=True):
    stream = zlib.compress(page) if packed else page
    return b"%PDF-1.4\n4 0 obj<<>>stream\n" + stream + b"\nendstream endobj\n%%EOF"


@in_one_test(
    ("name", "content_type", "content", "said"),
    [
        ("a.txt", "text/plain", "Grüße".encode(), "Grüße"),
        ("a.txt", "text/plain", "Grüße".encode("cp1252"), "Grüße"),
        ("a.txt", "text/plain", "Grüße".encode("utf-16"), "Grüße"),
        ("a.md", "application/octet-stream", b"# Title", "# Title"),
        ("a.json", "application/json", b'{"a": 1}', '{"a": 1}'),
        ("a.html", "text/html", b"<p>One</p><script>two</script>", "One"),
        ("a.eml", "message/rfc822", b"Subject: One\r\n\r\nTwo\r\n", "One\nTwo"),
        ("a.docx", "application/zip", office("word/document.xml", "<w:p><w:t>One &amp;</w:t></w:p><w:p>two</w:p>"), "One &\ntwo"),
        ("a.xlsx", "", office("xl/sharedStrings.xml", "<si><t>One</t></si><si><t>two</t></si>"), "One\ntwo"),
        ("a.xlsx", "", office("xl/worksheets/sheet1.xml", "<c><v>1</v></c><c><v>2</v></c>"), "1\n2"),
        ("a.pptx", "", office("ppt/slides/slide1.xml", "<a:p><a:t>One</a:t></a:p>"), "One"),
        ("a.zip", "application/zip", office("b.txt", "One"), "b.txt\nOne"),
        ("a.zip", "", office("b.zip", office("c.txt", "One")), "b.zip\nc.txt\nOne"),
        ("a.pdf", "application/pdf", pdf(b"BT (One \\(two\\)) Tj T* [(thr) -20 (ee)] TJ ET"), "One (two)\nthree"),
        ("a.pdf", "", pdf(b"BT <4f6e65> Tj ET", packed=False), "One"),
        ("a.pdf", "", pdf(b"q 1 0 0 1 (drawn) cm Q"), ""),
        ("a.pdf", "", b"%PDF-1.4 stream\nx", ""),
        ("a.png", "image/png", b"\x89PNG\r\n\x1a\n", ""),
        ("a.txt", "text/plain", b"\x7fELF\x00\x00\x00", ""),
        ("a.docx", "application/zip", b"PK\x03\x04 no zip", ""),
        ("a.docx", "application/zip", office("other.xml", "x"), ""),
    ],
)  # fmt: skip
def test_a_file_says_what_it_holds(name, content_type, content, said):
    assert extract_text(content, name, content_type).strip() == said


def test_no_more_is_unpacked_than_is_looked_at():
    bomb = office("word/document.xml", "<w:t>" + "a" * 50_000_000)
    assert len(extract_text(bomb, "a.docx", "")) == LONGEST_TEXT


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_would_be_unpacked_all_at_once_is_not_unpacked(packing):
    assert extract_text(office("word/document.xml", "<w:t>a", packing), "a.docx", "") == ""


def test_a_document_of_very_many_parts_is_not_opened():
    assert extract_text(office("content.xml", "<text:p>a", others=20), "a.odt", "") == "a"
    assert extract_text(office("content.xml", "<text:p>a", others=5000), "a.odt", "") == ""


def test_of_html_the_beginning_is_read():
    page = b"<p>one</p>" + b"<!-- -->" * 100_000 + b"<p>two</p>"
    assert extract_text(page, "a.html", "text/html").strip() == "one"


def test_a_text_is_cut_and_holds_no_nul():
    assert len(extract_text(b"word " * 100_000, "a.txt", "text/plain")) == LONGEST_TEXT
    assert "\x00" not in extract_text(b"a" * 5000 + b"\x00b", "a.txt", "text/plain")


def test_of_archives_within_archives_two_are_opened():
    packed = office("secret.txt", "One")
    for name in ("c.zip", "b.zip"):
        packed = office(name, packed)
    assert "One" in extract_text(packed, "a.zip", "")
    assert "One" not in extract_text(office("z.zip", packed), "a.zip", "")


def test_of_an_archive_no_more_is_unpacked_than_is_looked_at():
    assert len(extract_text(office("b.txt", "a" * 50_000_000), "a.zip", "")) == LONGEST_TEXT
    assert "packed twice" not in extract_text(
        office("a", "packed twice", zipfile.ZIP_LZMA), "a.zip", ""
    )


def test_of_a_pdf_no_more_is_unpacked_than_is_looked_at():
    assert (
        len(extract_text(pdf(b"(" + b"a" * 3000 + b") Tj " * 50_000), "a.pdf", "")) <= LONGEST_TEXT
    )
    assert extract_text(pdf(b"(" * 500_000 + b" Tj"), "a.pdf", "") == ""
