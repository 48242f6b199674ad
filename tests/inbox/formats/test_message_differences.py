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
FILES = MIXED.replace(
    b"--x--",
    b"--x\r\nContent-Type: text/plain; name=list.txt\r\n\r\none\r\n"
    b"--x\r\nContent-Type: text/calendar; method=reply\r\n\r\nBEGIN:VCALENDAR\r\n--x--",
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
        (FILES, b"list.txt", b"other.txt", [("attachment",)]),
        (FILES, b"one", b"two", [("attachment",)]),
        (FILES, b"method=reply", b"method=request", [("attachment",)]),
        (FILES, b"method=reply", b"METHOD=REPLY; charset=utf-8", [("layout",)]),
        (FILES, b"--x\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n", b"", [("parts",)]),
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


def test_the_same_parts_in_another_order_are_no_others():
    pdf = b"--x\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n"
    moved = FILES.replace(pdf, b"").replace(b"--x--", pdf + b"--x--")
    assert differences(FILES, moved) == [Differing("order")]


def test_of_many_fields_those_that_name_people_are_named_first():
    more = b"".join(b"A-%d: x\r\n" % number for number in range(30))
    [added] = differences(PLAIN.replace(b"To: b@x.example\r\n", b""), more + PLAIN)
    assert (added.names[0], len(added.names)) == ("to", 20)


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


def _field(name, value):
    return name.encode() + b": " + value.encode() + b"\r\n\r\nHello\r\n"


@pytest.mark.parametrize(
    ("name", "sealed", "copy"),
    [
        ("Subject", "=?utf-8?q?Gr=C3=BC=C3=9Fe_von_Ada?=", "=?UTF-8?B?R3LDvMOfZSB2b24gQWRh?="),
        ("Subject", "=?iso-8859-1?q?Gr=FC=DFe?=", "=?utf-8?q?Gr=C3=BC?= =?utf-8?q?=C3=9Fe?="),
        ("Subject", "Grüße", "=?utf-8?q?Gr=C3=BC=C3=9Fe?="),
        ("X-Note", "=?utf-8?q?two__words?=", "two words"),
        ("To", "Ada <a@X.example>, b@x.example", '"Ada" <a@x.example>,\r\n <b@x.example>'),
        ("To", "=?utf-8?q?M=C3=BCller=2C_Ada?= <a@x.example>",
         "=?utf-8?b?TcO8bGxlciwgQWRh?= <a@x.example>"),
        ("Cc", '"Doe, John" <j@x.example>', "=?us-ascii?q?Doe=2C_John?= <j@x.example>"),
        ("From", "a@x.example", '"a@x.example" <a@x.example>'),
        ("Bcc", "Team: a@x.example, b@x.example;", "Team:<a@x.example>,<b@x.example>;"),
    ],
)  # fmt: skip
def test_what_is_only_encoded_otherwise_is_layout(name, sealed, copy):
    assert differences(_field(name, sealed), _field(name, copy)) == [Differing("layout")]


@pytest.mark.parametrize(
    ("name", "sealed", "copy"),
    [
        ("Subject", "=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "=?utf-8?q?Gr=C3=BC=C3=9Fen?="),
        ("Subject", "Pay 100", "=?utf-8?q?Pay=E2=80=8B_100?="),
        ("Subject", "Pay 100", "=?utf-8?q?Pay_1=E2=80=AE00?="),
        ("Subject", "=?x-none?q?a?=", "=?x-none?q?b?="),
        ("Subject", "one\x1b$B", "one"),
        ("Message-ID", "<a@x.example>", "=?utf-8?q?=3Ca=40x.example=3E?="),
        ("To", "a@x.example, b@x.example", "b@x.example, a@x.example"),
        ("To", "a@x.example", "a@x.example, b@x.example"),
        ("To", "a@x.example", "A@x.example"),
        ("To", "Ada <a@x.example>", "Bo <a@x.example>"),
        ("To", "Ada <a@x.example>", "a@x.example"),
        ("To", "a@x.example", "Team: a@x.example;"),
        ("To", "a@x.example", "a@x.example (Ada)"),
        ("To", "Ada <a@x.example>", '"<b@x.example>" <a@x.example>'),
        ("To", "=?utf-8?q?b=40x.example=2C?= <a@x.example>", "b@x.example, <a@x.example>"),
        ("To", "<a@x.example>", "<@b.example:a@x.example>"),
        ("To", '"a b"@x.example', "a b@x.example"),
        ("To", 'a@x.example, "b', 'a@x.example, "c'),
        ("To", "a@x.example" + ", a@x.example" * 30_000, "a@x.example" + ",a@x.example" * 30_000),
    ],
)  # fmt: skip
def test_what_says_something_else_is_told(name, sealed, copy):
    found = differences(_field(name, sealed), _field(name, copy))
    assert found == [Differing("field_changed", (name.lower(),))]
