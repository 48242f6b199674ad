"""PDFs are read in a process of their own, and one that is made to do harm ends only that."""

import re
import subprocess
import sys
import time

import pytest

from inbox.files import pdf_text
from inbox.files.file_text import LONGEST_TEXT, read_words
from tests.documents import encrypted_pdf, pdf_file, pdf_of, stream_of


def words(content):
    return read_words(content, "a.pdf", "application/pdf")


CATALOGUE = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGE = b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 9 9] /Resources << >> >>"


def test_a_file_that_is_encrypted_says_so_unless_everybody_may_read_it():
    assert words(encrypted_pdf("secret")).reason == "encrypted"
    for algorithm in ("AES-256", "RC4-128"):
        assert words(encrypted_pdf("", algorithm)).text.strip() == "One"


@pytest.mark.parametrize(
    ("name", "encoding", "text"),
    [
        ("GBK-EUC-H", "gbk", "合同"),
        ("GBK2K-H", "gb18030", "合同"),
        ("ETen-B5-H", "cp950", "合約"),
        ("UniGB-UTF16-H", "utf-16-be", "合同"),
    ],
)
def test_words_in_what_a_font_names_are_read_where_no_codec_can_be_loaded_any_more(
    name, encoding, text
):
    font = (
        f"<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /{name} /DescendantFonts ["
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo "
        "<< /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>] >>"
    ).encode()
    drawn = b"BT /F1 12 Tf 50 700 Td <%s> Tj ET" % text.encode(encoding).hex().encode()
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
        b" /Resources << /Font << /F1 4 0 R >> >> >>"
    )
    pages = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
    file = pdf_file([CATALOGUE, pages, page, font, stream_of(drawn)])
    assert words(file).text.strip() == text


@pytest.mark.parametrize("note", [b"<4100>", b"<0041>", b"<feff0041>", b"<fffe4100>"])
def test_a_string_in_utf_16_hides_no_page(note):
    page = b"/MediaBox [0 0 595 842]"
    noted = pdf_of("One").replace(page, page + b" /Note " + note)
    moved = re.sub(rb"startxref\n\d+", b"startxref\n400", noted)
    assert words(moved).text.strip() == "One"


def test_a_scan_says_that_it_has_no_words():
    assert words(pdf_of([])).reason == "no_words"


def test_what_is_no_pdf_inside_is_damaged():
    whole = pdf_of("One")
    assert words(b"%PDF-1.4 stream\nx").reason == "damaged"
    assert words(whole[: len(whole) // 3]).reason in {"damaged", "no_words"}
    # Where its table is not where it says the objects are looked for.
    moved = re.sub(rb"startxref\n\d+", b"startxref\n400", whole)
    assert words(moved).text.strip() == "One"


def test_a_bomb_ends_in_time_and_says_why():
    # 300 MB of text in 300 kB.
    text = stream_of(b"BT /F1 9 Tf " + b"(a) Tj " * 45_000_000)
    pages = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
    began = time.monotonic()
    found = words(pdf_file([CATALOGUE, pages, PAGE, text]))
    assert (found.text, found.reason) != ("", "")
    assert time.monotonic() - began < 25


def test_pages_that_hold_themselves_end():
    loop = b"<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>"
    assert words(pdf_file([CATALOGUE, loop])).text == ""
    again = pdf_of("One").replace(b"trailer\n<<", b"trailer\n<< /Prev 15")
    assert words(again).text.strip() in {"", "One"}


def test_of_very_many_pages_the_first_are_read():
    kids = b"3 0 R " * 100_000
    pages = b"<< /Type /Pages /Count 100000 /Kids [%s] >>" % kids
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    page = PAGE.replace(b"<< >> >>", b"<< /Font << /F1 5 0 R >> >> >>")
    text = stream_of(b"BT /F1 9 Tf (word) Tj ET")
    found = words(pdf_file([CATALOGUE, pages, page, text, font]))
    assert 0 < found.text.count("word") <= 60
    assert len(words(pdf_of(*["many words\n" * 50] * 3)).text) <= LONGEST_TEXT


def test_what_is_too_large_is_not_read(monkeypatch):
    monkeypatch.setattr(pdf_text, "LARGEST", 10)
    assert words(pdf_of("One larger than that")).reason == "too_large"


def test_the_process_can_open_nothing_and_start_nothing():
    """What it gives up is tried in a process that gives it up in the same way."""
    program = (
        "import runpy, socket, sys\n"
        f"given = runpy.run_path({str(pdf_text._PROGRAM)!r}, run_name='x')\n"
        "given['_give_up'](2**29, 5)\n"
        "import builtins, os, resource\n"
        "for attempt in (lambda: socket.socket(), lambda: open('/etc/passwd'),\n"
        "                lambda: bytearray(2**30), lambda: os.pipe()):\n"
        "    try:\n        attempt()\n"
        "    except (OSError, MemoryError):\n        print('refused')\n"
        "print(resource.getrlimit(resource.RLIMIT_CPU)[0])\n"
    )
    command = [sys.executable, "-I", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["refused"] * 4 + ["5"], done.stderr


def test_what_takes_too_long_is_ended_and_keeps_what_was_read(monkeypatch, tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text("import sys, time\nprint('One', flush=True)\ntime.sleep(60)\n")
    monkeypatch.setattr(pdf_text, "_PROGRAM", slow)
    monkeypatch.setattr(pdf_text, "_WAIT", 1.5)
    began = time.monotonic()
    found = words(pdf_of("a file that is read slowly"))
    assert (found.text.strip(), found.reason) == ("One", "too_slow")
    assert time.monotonic() - began < 10


def test_a_file_is_read_once_for_several_who_ask(monkeypatch):
    content = pdf_of("a file that several ask for")
    assert words(content).text.strip() == "a file that several ask for"
    monkeypatch.setattr(pdf_text, "_run", pytest.fail)
    assert words(content).text.strip() == "a file that several ask for"


def test_what_a_page_draws_as_a_form_is_read_as_rows():
    resources = b"<< /XObject << /X1 5 0 R >> >>"
    page = PAGE.replace(b"/Resources << >>", b"/Resources " + resources)
    font = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    drawn = b"BT /F1 9 Tf 10 700 Td (Invoice no.) Tj 200 0 Td (INV-7) Tj ET"
    form = b"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources " + font
    form += b" /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn)
    pages = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
    content = pdf_file([CATALOGUE, pages, page, stream_of(b"/X1 Do"), form])
    assert read_words(content, "a.pdf", "application/pdf", cells=True).text == "Invoice no. | INV-7"
    # A form that draws itself ends.
    loop = form.replace(font, font[:-2] + b" /XObject << /X1 5 0 R >> >>")
    again = pdf_file([CATALOGUE, pages, page, stream_of(b"/X1 Do"), loop])
    assert "INV-7" in read_words(again, "b.pdf", "application/pdf", cells=True).text
