"""What files say, and what is made of files that say something else than they are."""

import zipfile

import pytest

from inbox.files.file_text import LONGEST_TEXT, extract_text, read_words
from inbox.files.office_text import MOST_UNPACKED, office_words
from tests.cases import in_one_test
from tests.documents import docx_of, pdf_of, zipped

W = '<w:document xmlns:w="w">{}</w:document>'
BOOK = {
    "xl/sharedStrings.xml": "<sst><si><t>Item</t></si><si><r><t>Desk </t></r><r><t>lamp</t></r></si></sst>",
    "xl/styles.xml": (
        '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/>'
        '<numFmt numFmtId="165" formatCode="#,##0.00 &quot;€&quot;"/></numFmts><cellXfs><xf numFmtId="0"/>'
        '<xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/></cellXfs></styleSheet>'
    ),
    "xl/worksheets/sheet1.xml": (
        '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Due</t></is></c></row>'
        '<row><c r="A2" t="s"><v>1</v></c><c r="B2" s="3"><v>1249.5</v></c><c r="C2" s="1"><v>46115</v></c>'
        '<c r="D2" s="2"><v>46115.5</v></c><c r="E2" s="4"><v>0.5</v></c><c r="F2"><v>2</v></c></row>'
        '<row><c r="A3"/></row></sheetData></worksheet>'
    ),
}  # fmt: skip


@in_one_test(
    ("name", "content_type", "content", "said"),
    [
        ("a.txt", "text/plain", "Grüße".encode(), "Grüße"),
        ("a.txt", "text/plain", "Grüße".encode("cp1252"), "Grüße"),
        ("a.txt", "text/plain", "Grüße".encode("utf-16"), "Grüße"),
        ("a.md", "application/octet-stream", b"# Title", "# Title"),
        ("a.json", "application/json", b'{"a": 1}', '{"a": 1}'),
        ("a.csv", "text/csv", b"a;b\n1;2", "a;b\n1;2"),
        ("a.html", "text/html", b"<p>One</p><script>two</script>", "One"),
        ("a.html", "text/html; charset=utf-8", b"<p>One</p>", "One"),
        ("a.eml", "message/rfc822", b"Subject: One\r\n\r\nTwo\r\n", "One\nTwo"),
        ("a.docx", "application/zip", docx_of("One &", "two"), "One &\ntwo"),
        ("a.docx", "", docx_of("One", [["Total", "5 €"], ["VAT", "1 €"]]), "One\nTotal | 5 €\nVAT | 1 €"),
        ("a.docx", "", zipped({"word/document.xml": W.format(
            "<w:p><w:t>One</w:t><w:tab/><w:t>two</w:t><w:instrText>DATE</w:instrText></w:p>")}), "One two"),
        ("", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", docx_of("One"), "One"),
        ("a.xlsx", "", zipped(BOOK),
         "Item |  | Due\nDesk lamp | 1,249.50 € | 2026-04-03 | 2026-04-03 12:00 | 12:00 | 2"),
        ("a.xlsx", "", zipped({"xl/sharedStrings.xml": BOOK["xl/sharedStrings.xml"]}), "Item\nDesk lamp"),
        ("a.pptx", "", zipped({"ppt/slides/slide1.xml": '<p xmlns:a="a"><a:p><a:t>One</a:t></a:p></p>'}), "One"),
        ("a.odt", "", zipped({"content.xml": '<o xmlns:text="t"><text:p>a<text:s/>b</text:p></o>'}), "a b"),
        ("a.zip", "application/zip", zipped({"b.txt": "One"}), "b.txt\nOne"),
        ("a.zip", "", zipped({"b.zip": zipped({"c.txt": "One"})}), "b.zip\nc.txt\nOne"),
        ("a.pdf", "application/pdf", pdf_of("One (two)\nthree", "four"), "One (two)\nthree\nfour"),
        ("what", "", pdf_of("Grüße für 5 €", packed=False), "Grüße für 5 €"),
        ("a.png", "image/png", b"\x89PNG\r\n\x1a\n", ""),
        ("a.txt", "text/plain", b"\x7fELF\x00\x00\x00", ""),
        ("a.docx", "application/zip", b"PK\x03\x04 no zip", ""),
        ("a.docx", "application/zip", zipped({"other.xml": "x"}), ""),
    ],
)  # fmt: skip
def test_a_file_says_what_it_holds(name, content_type, content, said):
    assert extract_text(content, name, content_type).strip() == said


@in_one_test(
    ("name", "content", "said"),
    [
        ("a.csv", b"number;total\nRE-1;\"1.200,00\n EUR\"\n", "number | total\nRE-1 | 1.200,00 EUR"),
        ("a.tsv", b"a\tb\n1\t\n", "a | b\n1"),
        ("a.txt", b"a;b", "a;b"),
        ("a.pdf", pdf_of([(50, 700, "Item"), (250, 700, "Qty"), (450, 700, "Total"),
                          (50, 680, "Desk lamp"), (450, 680, "98,00 EUR"), (50, 640, "Thank you")]),
         "Item | Qty | Total\nDesk lamp |  | 98,00 EUR\nThank you"),
        # Words that are set one by one, and a text that blanks move into columns.
        ("a.pdf", pdf_of([(50, 700, "Rechnung"), (98, 700, "Nr."), (116, 700, "471102"), (300, 700, "5. März 2026"),
                          (50, 680, "Total      98,00 EUR")]),
         "Rechnung Nr. 471102 | 5. März 2026\nTotal | 98,00 EUR"),
    ],
)  # fmt: skip
def test_what_stands_in_columns_can_be_had_as_rows_of_cells(name, content, said):
    assert read_words(content, name, "", cells=True).text.strip() == said


@in_one_test(
    ("name", "content", "reason"),
    [
        ("a.txt", b"One", ""),
        ("a.txt", b"  \n", "no_words"),
        ("a.txt", b"a\x00b", "no_words"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "unknown_kind"),
        ("a.docx", b"PK\x03\x04 no zip", "damaged"),
        ("a.docx", docx_of(), "no_words"),
        ("a.docx", zipped({"word/document.xml": "<a><b>One</a>"}), "damaged"),
        ("a.zip", b"PK\x03\x04 no zip", "damaged"),
    ],
)
def test_what_cannot_be_read_says_why(name, content, reason):
    assert read_words(content, name, "").reason == reason


def test_a_document_type_is_refused_and_no_entity_is_read():
    bomb = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><d>&b;</d>'
    outside = '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><d>&a;</d>'
    for xml in (bomb, outside):
        found = read_words(zipped({"word/document.xml": xml}), "a.docx", "")
        assert (found.text, found.reason) == ("", "damaged")


def test_no_more_is_unpacked_than_is_looked_at():
    bomb = zipped({"word/document.xml": "<w>" + "a" * 50_000_000})
    assert len(extract_text(bomb, "a.docx", "")) == LONGEST_TEXT


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_would_be_unpacked_all_at_once_is_not_unpacked(packing):
    assert extract_text(zipped({"word/document.xml": "<w>a</w>"}, packing), "a.docx", "") == ""


def test_a_document_of_very_many_parts_is_not_opened():
    text = {"content.xml": "<t><p>a</p></t>"}
    assert extract_text(zipped(text | {str(it): b"" for it in range(20)}), "a.odt", "") == "a"
    many = zipped(text | {str(it): b"" for it in range(5000)})
    assert read_words(many, "a.odt", "").reason == "too_large"


def test_of_html_the_beginning_is_read():
    page = b"<p>one</p>" + b"<!-- -->" * 100_000 + b"<p>two</p>"
    assert extract_text(page, "a.html", "text/html").strip() == "one"


def test_a_text_is_cut_and_holds_no_nul():
    assert len(extract_text(b"word " * 100_000, "a.txt", "text/plain")) == LONGEST_TEXT
    assert "\x00" not in extract_text(b"a" * 5000 + b"\x00b", "a.txt", "text/plain")


def test_of_archives_within_archives_two_are_opened():
    packed = zipped({"secret.txt": "One"})
    for name in ("c.zip", "b.zip"):
        packed = zipped({name: packed})
    assert "One" in extract_text(packed, "a.zip", "")
    assert "One" not in extract_text(zipped({"z.zip": packed}), "a.zip", "")


def test_of_an_archive_no_more_is_unpacked_than_is_looked_at():
    assert len(extract_text(zipped({"b.txt": "a" * 50_000_000}), "a.zip", "")) == LONGEST_TEXT
    assert "packed twice" not in extract_text(
        zipped({"a": "packed twice"}, zipfile.ZIP_LZMA), "a.zip", ""
    )


def test_a_string_that_many_cells_show_fills_no_memory():
    rows = '<row><c t="s"><v>0</v></c></row>' * 1000
    book = {
        "xl/sharedStrings.xml": f"<sst><si><t>{'lamp ' * 40_000}</t></si></sst>",
        "xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{rows}</sheetData></worksheet>",
    }
    words = office_words(zipped(book), ".xlsx")
    assert words.text.startswith("lamp ")
    assert len(words.text) <= MOST_UNPACKED + 2000


def test_of_a_format_without_end_as_much_is_read_as_excel_has():
    long = f"{'0' * 255}yyyy"
    styles = BOOK["xl/styles.xml"].replace("dd/mm/yyyy", long)
    assert (
        "2026-04-03 12:00"
        not in office_words(zipped({**BOOK, "xl/styles.xml": styles}), ".xlsx").text
    )
