"""What is risky about an attachment, and which bytes are a picture to look at."""

import struct

import pytest

from inbox.attachment_risks import risks_of
from inbox.images import LARGEST, Picture, read_picture

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF" + b"\x00" * 10


@pytest.mark.parametrize(
    ("name", "content_type", "risks"),
    [
        ("offer.pdf", "application/pdf", ()),
        ("offer.pdf", "application/octet-stream", ()),
        ("offer.pdf", "application/x-msdownload", ("other_type",)),
        ("", "text/calendar", ()),
        ("setup.EXE", "application/octet-stream", ("program",)),
        ("invoice.pdf.exe", "", ("program", "two_endings")),
        ("invoice.pdf .js", "", ("program", "two_endings")),
        ("photo\u202egnp.exe", "", ("program", "turned_name")),
        ("photo.e\u200bxe", "", ("program", "unseen_in_name")),
        ("offer.pdf" + " " * 60 + ".scr", "", ("program", "two_endings", "padded_name")),
        ("run.exe.", "", ("program",)),
        ("plan.xlsm", "", ("macros",)),
        ("login.html", "text/html", ("page",)),
        ("data.tar.gz", "", ("archive",)),
        (".exe", "", ()),
    ],
)
def test_a_name_says_what_it_may_do(name, content_type, risks):
    assert risks_of(name, content_type) == risks


@pytest.mark.parametrize(
    ("content", "picture"),
    [
        (PNG + struct.pack(">II", 640, 480) + b"rest", Picture("image/png", 640, 480)),
        (b"GIF89a" + struct.pack("<HH", 3, 4), Picture("image/gif", 3, 4)),
        (
            JPEG + b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", 30, 40) + b"\x03",
            Picture("image/jpeg", 40, 30),
        ),
        (PNG + struct.pack(">II", 60_000, 60_000), None),
        (PNG + struct.pack(">II", 0, 1), None),
        (PNG, None),
        (JPEG, None),
        (b"\xff\xd8\xff\xe0\x00\x00" + b"\xff" * 20, None),
        (b"<svg onload=alert(1)></svg>", None),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", None),
        (PNG + struct.pack(">II", 1, 1) + b"x" * LARGEST, None),
    ],
)  # fmt: skip
def test_a_picture_is_what_its_bytes_are(content, picture):
    assert read_picture(content) == picture
