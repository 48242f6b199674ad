"""Files that nobody can look into are told from those that one can."""

import io
import struct
import zipfile

from inbox.files.closed_archives import MOST_FILES, MOST_UNPACKED, why_closed

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def zipped(*names: str, content: bytes = b"words") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, content)
    return file.getvalue()


def with_field(content: bytes, at: int, value: bytes) -> bytes:
    """Change a field of the first entry of the archive's list (APPNOTE 4.3.12)."""
    place = content.index(b"PK\x01\x02") + at
    return content[:place] + value + content[place + len(value) :]


def test_an_archive_that_can_be_opened_is_none_of_them():
    assert why_closed(zipped("a.txt", "b.txt"), "offer.zip") == ""
    assert why_closed(zipped(), "empty.zip") == ""
    assert why_closed(zipped("word/document.xml"), "offer.docx") == ""


def test_an_encrypted_archive_is_known_by_its_list_whatever_it_is_called():
    encrypted = with_field(zipped("a.txt"), 8, struct.pack("<H", 1))
    assert why_closed(encrypted, "offer.zip") == "encrypted"
    assert why_closed(encrypted, "offer.dat") == "encrypted"


def test_an_archive_with_more_in_it_than_one_can_look_at_is_told():
    assert why_closed(zipped("a").replace(b"PK\x01\x02", b"PK\x01\x02" * (MOST_FILES + 1)), "")
    huge = with_field(zipped("a.txt"), 24, struct.pack("<I", MOST_UNPACKED + 1))
    assert why_closed(huge, "offer.zip") == "archive"


def test_what_is_cut_off_or_only_called_an_archive_is_damaged():
    whole = zipped("a.txt", "b.txt")
    assert why_closed(whole[:40], "offer.zip") == "damaged"
    assert why_closed(whole[:40], "offer.dat") == "damaged"
    assert why_closed(b"no archive", "offer.ZIP") == "damaged"


def test_an_office_document_with_a_password_is_encrypted_and_an_old_one_is_not():
    stream = "EncryptedPackage".encode("utf-16-le")
    assert why_closed(COMPOUND + stream, "offer.docx") == "encrypted"
    assert why_closed(COMPOUND, "offer.doc") == ""


def test_any_other_file_is_left_alone():
    assert [why_closed(one, "offer.pdf") for one in (b"", b"%PDF-1.7", b"\x00" * 99)] == [""] * 3
