"""What differs between two forms of one message."""

import base64

import pytest

from inbox.formats.message_differences import Differing, differences

PLAIN = (
    b"From: a@lantern.example\r\nTo: b@x.example\r\nSubject: The\r\n offer\r\n"
    b"Message-ID: <1@lantern.example>\r\n\r\nDear Ada,\r\nbye.\r\n"
)
MIXED = (
    b"From: a@lantern.example\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n'
    b"--x\r\nContent-Type: text/plain\r\n\r\nHello\r\n"
    b"--x\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>\r\n"
    b"--x\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n--x--\r\n"
)


@pytest.mark.parametrize(
    ("sealed", "old", "new", "found"),
    [
        (PLAIN, b"", b"", []),
        (PLAIN, b"The\r\n offer", b"The offer", [("layout",)]),
        (PLAIN, b"\r\n", b"\n", [("layout",)]),
        (PLAIN, b"From", b"X-One: 1\r\nX-Two: 2\r\nFrom", [("field_added", "x-one", "x-two")]),
        (PLAIN, b"<1@", b"<2@", [("field_changed", "message-id")]),
        (PLAIN, b"To: b@x.example\r\n", b"", [("field_missing", "to")]),
        (PLAIN, b"bye", b"Bye", [("text",)]),
        (MIXED, b"application/pdf", b"image/png", [("parts",)]),
        (MIXED, b"application/pdf", b"application/pdf; name=a.pdf", [("attachment",)]),
        (MIXED, b"<p>Hello", b"<p>Hullo", [("html",)]),
        (MIXED, b"%PDF", b"%PDG", [("attachment",)]),
        (MIXED, b"From: a", b"From: b", [("field_changed", "from")]),
    ],
)  # fmt: skip
def test_each_difference_is_named(sealed, old, new, found):
    copy = sealed.replace(old, new) if old else sealed
    assert [(it.kind, *it.names) for it in differences(sealed, copy)] == found


def test_a_text_in_another_charset_is_the_same():
    sealed = PLAIN.replace(b"bye", "Grüße".encode())
    kind = b"Content-Type: text/plain; charset=latin-1\r\n"
    assert differences(sealed, kind + PLAIN.replace(b"bye", "Grüße".encode("latin-1"))) == [
        Differing("layout")
    ]


def test_another_boundary_or_encoding_is_only_layout():
    assert differences(MIXED, MIXED.replace(b"--x", b"--y").replace(b'"x"', b'"y"')) == [
        Differing("layout")
    ]
    head, body = PLAIN.split(b"\r\n\r\n", 1)
    encoded = b"%s\r\nContent-Transfer-Encoding: base64\r\n\r\n%s\r\n" % (
        head, base64.b64encode(body),
    )  # fmt: skip
    assert differences(PLAIN, encoded) == [Differing("layout")]


@pytest.mark.parametrize("copy", [b"", b"\0", b"\r\n" * 9, b"--x" * 9999, b"A: b\n" * 6000])
def test_whatever_a_copy_is_something_is_said_of_it(copy):
    found = differences(MIXED, copy)
    assert found
    assert all(len(one.names) <= 20 for one in found)
