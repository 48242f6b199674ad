"""What is risky about an attachment, and which bytes are a picture to look at."""

import struct

import pytest

from inbox.files.attachment_risks import risks_of
from inbox.files.images import LARGEST, Picture, read_picture
from tests.cases import in_one_test

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF" + b"\x00" * 10


@in_one_test(
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


@in_one_test(
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


FRAME = b"\xff\xc0\x00\x11\x08"
SMALL, HUGE = struct.pack(">HHB", 30, 40, 3), struct.pack(">HHB", 65_000, 65_000, 3)


@pytest.mark.parametrize(
    "before",
    [
        # To whoever takes the filling, or a marker that stands alone, for a segment, it is small.
        b"\xff\xff",
        b"\xff\xd0",
        b"\xff\x01",
    ],
)
def test_a_huge_jpeg_does_not_pass_for_a_small_one(before):
    decoy = (b"\x00" * (0xFFC0 - len(FRAME) - len(HUGE)) + FRAME + SMALL) * 2
    assert read_picture(JPEG + before + FRAME + HUGE + decoy) is None


def test_a_jpeg_may_be_filled_between_its_segments():
    assert read_picture(JPEG + b"\xff\xff" + FRAME + SMALL) == Picture("image/jpeg", 40, 30)


def test_a_gif_is_as_large_as_its_largest_frame():
    screen = b"GIF89a" + struct.pack("<HH", 3, 4) + b"\x80\x00\x00" + b"\x00" * 6
    extension, pixels = b"!\xf9\x04\x00\x00\x00\x00\x00", b"\x02\x01\x00\x00"
    small = b"," + struct.pack("<4HB", 1, 0, 2, 4, 0) + pixels
    wide = b"," + struct.pack("<4HB", 0, 0, 60_000, 4, 0x81) + b"\x00" * 12 + pixels
    assert read_picture(screen + extension + small + b";") == Picture("image/gif", 3, 4)
    assert read_picture(screen + small + extension + wide + b";") is None
    assert read_picture(screen + small + b";" + wide) == Picture("image/gif", 3, 4)
