"""A second reader finds the same in what our builder writes, and refuses what can be read in two
ways.
"""

from datetime import UTC, datetime

import pytest

from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.build import OutgoingAttachment, OutgoingMessage, build_message
from inbox.rfc5322.parse import parse_message, parse_outgoing
from inbox.rfc5322.second_opinion import find_differences
from inbox.rfc5322.second_reader import read_strictly
from inbox.rfc5322.strict_fields import AmbiguousError, read_mailboxes, read_parameters
from tests.cases import in_one_test

CALENDAR = "BEGIN:VCALENDAR\nMETHOD:REQUEST\nEND:VCALENDAR\n"
PDF = OutgoingAttachment("Größe " * 20 + ".pdf", "application/pdf", bytes(range(256)))
MAIL = OutgoingAttachment("old.eml", "message/rfc822", b"Subject: old\n\nwords")
SENT = [
    {"body": "Hello,\n\n>From here on\nbegin 644 x\n#86)C\n`\nend\nFrom there.\n"},
    {"body": "Grüße\n" * 400, "subject": "Grüße  =?utf-8?q?x?= " * 9},
    {"body": "", "calendar": CALENDAR},
    {"body": "価格 🎉", "attachments": (PDF, MAIL), "calendar": CALENDAR},
    {"to": (Address("o'f@Brook.example", "Doe, \"Jörg\""), Address("a@b.example", "'Ann'"))},
    {"attachments": (OutgoingAttachment("offer.pdf;.exe", "application/pdf", b"x"),)},
    {"cc": tuple(Address(f"guest{n}@brook.example", "A guest") for n in range(300))},
    {"body": "x" * 3000 + "\n-- \n.\n..\n=3D\n \n\t\n", "subject": ""},
]  # fmt: skip


def sealed(**changes: object) -> bytes:
    fields: dict[str, object] = {
        "from_": Address("office@lantern.example", "Lantern Office"),
        "to": (Address("ann@brook.example"),), "subject": "Your order", "body": "Hello Ann.\n",
        "message_id": "<1@lantern.example>", "date": datetime(2026, 3, 2, 10, tzinfo=UTC),
        **changes,
    }  # fmt: skip
    return build_message(OutgoingMessage(**fields))  # type: ignore[arg-type]


@in_one_test("changes", SENT)
def test_what_our_builder_writes_is_read_alike_by_both(changes):
    raw = sealed(**changes)
    assert find_differences(raw, parse_outgoing(raw)) == ()


def test_the_second_reader_finds_all_that_stands_in_a_message():
    reading = read_strictly(sealed(**SENT[3]))
    assert reading.sender == ("Lantern Office", "office@lantern.example")
    assert (reading.to, reading.subject) == ((("", "ann@brook.example"),), "Your order")
    assert reading.text == "価格 🎉\n"
    assert [(one.filename[:6], one.content_type) for one in reading.files] == [
        ("", "text/calendar"), ("Größe ", "application/pdf"),
        ("old.em", "application/octet-stream"), ("invite", "application/ics"),
    ]  # fmt: skip
    assert reading.files[1].content == PDF.content


PLAIN = sealed()
MIXED = sealed(attachments=(PDF,))
HEAD = b"From: a@b.example\r\nTo: c@d.example\r\nSubject: x\r\n"
TEXT = b"Content-Type: text/plain; charset=utf-8\r\n"
# What is odd, and what the second reader calls it.
ODD = [
    (PLAIN.replace(b"\r\n", b"\n", 1), "structure"),
    (PLAIN.replace(b"Hello", b"He\x00llo"), "structure"),
    (PLAIN.replace(b"Subject:", b"Subject: one\r\nSubject:"), "structure"),
    (PLAIN.replace(b"Subject:", b"Subject :"), "structure"),
    (PLAIN.replace(b"Subject:", b"Reply-To: x@evil.example\r\nSubject:"), "field"),
    (PLAIN.replace(b"Your order", b"=?utf-8?q?Your?= order"), "subject"),
    (PLAIN.replace(b"Your order", b"=?iso-8859-1?q?Your?="), "subject"),
    (PLAIN.replace(b"Your order", b"=?utf-8?b?4pi?= =?utf-8?b?gw==?="), "subject"),
    (PLAIN.replace(b"Your order", b"Gr\xc3\xbc\xc3\x9fe =?utf-8?q?x?="), "structure"),
    (PLAIN.replace(b"Your order", b"Gr\xfc\xdfe"), "structure"),
    (PLAIN.replace(b"<office@", b"<boss@lantern.example>, <office@"), "sender"),
    (PLAIN.replace(b"To: ann@", b"To: team: ann@"), "recipients"),
    (PLAIN.replace(b"To: ann@", b"To: (bo@brook.example) ann@"), "recipients"),
    (PLAIN.replace(b"To: ann@", b"To: ann@brook.example bo@"), "recipients"),
    (PLAIN.replace(b"To: ann@", b'To: "=?utf-8?q?x?=" <ann@').replace(b"e\r\nS", b"e>\r\nS"),
     "recipients"),
    (PLAIN.replace(b"us-ascii", b"utf-7"), "text"),
    (PLAIN.replace(b"us-ascii", b"us-ascii; format=flowed"), "text"),
    (PLAIN.replace(b"us-ascii", b"us-ascii; charset=utf-8"), "structure"),
    (PLAIN.replace(b"7bit", b"7bit (really base64)"), "encoding"),
    (PLAIN.replace(b"7bit", b"base64"), "encoding"),
    (PLAIN.replace(b"7bit", b"quoted-printable").replace(b"Hello", b"=ZZ"), "encoding"),
    (PLAIN.replace(b"Hello", b"Gr\xc3\xbc\xc3\x9fe"), "encoding"),
    (HEAD + TEXT + b"Content-Transfer-Encoding: base64\r\n\r\naGk=aGk=\r\n", "encoding"),
    (HEAD + TEXT + b"Content-Transfer-Encoding: base64\r\n\r\naGl=\r\n", "encoding"),
    (HEAD + TEXT + b"Content-Disposition: form-data\r\n\r\nhi\r\n", "files"),
    (HEAD + b'Content-Type: text/plain; name="a.txt"\r\n\r\nhi\r\n', "files"),
    (HEAD + b'Content-Type: text/html; name="a.html"\r\n\r\nhi\r\n', "files"),
    (HEAD + b'Content-Type: image/png; name="a.png;.exe"\r\n\r\nhi\r\n', "structure"),
    (HEAD + b"Content-Type: message/external-body; access-type=url\r\n\r\nhi\r\n", "files"),
    (HEAD + b"Content-Type: text\r\n\r\nhi\r\n", "structure"),
    (HEAD + b"Content-Type: multipart/signed; boundary=b\r\n\r\n--b\r\n\r\n--b--\r\n", "structure"),
    (MIXED.replace(b"\r\n\r\n--=_", b"\r\n\r\nbefore\r\n--=_", 1), "structure"),
    (MIXED + b"after\r\n", "structure"),
    (MIXED.replace(b"--\r\n", b"\r\n"), "structure"),
    (MIXED.replace(b"\r\n--=_", b"\r\n --=_", 1), "structure"),
    (MIXED.replace(b"attachment;", b"attachment; filename=other.exe;"), "structure"),
    (MIXED.replace(b"*1*", b"*9*"), "structure"),
]  # fmt: skip


@in_one_test(("raw", "what"), ODD)
def test_what_can_be_read_in_two_ways_is_refused(raw, what):
    assert raw not in (PLAIN, MIXED)
    with pytest.raises(AmbiguousError) as refused:
        read_strictly(raw)
    assert refused.value.what == what
    assert [one.what for one in find_differences(raw, parse_outgoing(raw))] == [what]


def test_the_field_that_is_not_shown_is_named():
    raw = PLAIN.replace(b"Subject:", b"Disposition-Notification-To: x@evil.example\r\nSubject:")
    [difference] = find_differences(raw, parse_outgoing(raw))
    assert difference == ("field", "Disposition-Notification-To")


def test_each_difference_between_the_readers_is_told_by_what_it_is_about():
    other = parse_outgoing(
        sealed(
            from_=Address("boss@lantern.example"), to=(Address("bo@brook.example"),),
            subject="Other", body="Other.", attachments=(PDF,),
        )
    )  # fmt: skip
    assert [one.what for one in find_differences(PLAIN, other)] == [
        "sender", "recipients", "subject", "text", "files",
    ]  # fmt: skip


def test_control_characters_that_the_page_leaves_out_are_a_difference():
    raw = sealed(body="Hello\x1b[2J Ann.")
    assert [one.what for one in find_differences(raw, parse_outgoing(raw))] == ["text"]


def test_what_leaves_is_shown_as_it_stands_and_mail_that_came_in_as_its_writer_meant_it():
    raw = sealed(body="Hello,\n\n>From here on\nbegin 644 x\n#86)C\n`\nend\n")
    assert parse_outgoing(raw).text == "Hello,\n\n>From here on\nbegin 644 x\n#86)C\n`\nend\n"
    assert parse_outgoing(raw).attachments == ()
    came_in = parse_message(raw)
    assert came_in.text.startswith("Hello,\n\nFrom here on")
    assert [one.filename for one in came_in.attachments] == ["x"]


def test_a_text_that_is_empty_is_shown_empty_beside_an_invitation():
    raw = sealed(**SENT[2])
    assert parse_outgoing(raw).text == ""
    assert "VCALENDAR" in parse_message(raw).text


@in_one_test(
    "value", ['"' + "\\" * 40_001, " " * 80_000, "a," * 40_000, "(" * 80_000, "<" * 80_000]
)
def test_no_field_takes_long_to_be_refused(value):
    with pytest.raises(AmbiguousError):
        read_mailboxes("recipients", value)
    with pytest.raises(AmbiguousError):
        read_parameters(f"text/plain; {value}")
