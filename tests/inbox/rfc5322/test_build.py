"""Outgoing messages: exactly what was meant, and nothing that was not."""

import random
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from email import message_from_bytes

import pytest

from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.build import OutgoingAttachment, OutgoingMessage, build_message
from inbox.rfc5322.parse import parse_message
from inbox.rfc5322.text.unicode_text import clean
from tests.cases import in_one_test

DATE = datetime(2026, 3, 2, 10, 0, tzinfo=timezone(timedelta(hours=1)))
BREAKS = ("\r\n", "\n", "\r", "\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\x00", "\x1b", "\t")


def outgoing(**changes: object) -> OutgoingMessage:
    fields: dict[str, object] = {
        "from_": Address("office@lantern.example", "Lantern Office"),
        "to": (Address("ann@brook.example"),),
        "subject": "Your order",
        "body": "Hello Ann,\n\nit is on its way.\n",
        "message_id": "<1@lantern.example>",
        "date": DATE,
        **changes,
    }
    return OutgoingMessage(**fields)  # type: ignore[arg-type]


def test_a_plain_letter_is_as_plain_on_the_wire():
    assert build_message(outgoing()).decode("ascii") == (
        "From: Lantern Office <office@lantern.example>\r\n"
        "To: ann@brook.example\r\n"
        "Subject: Your order\r\n"
        "Date: Mon, 02 Mar 2026 10:00:00 +0100\r\n"
        "Message-ID: <1@lantern.example>\r\n"
        "MIME-Version: 1.0\r\n"
        "Content-Type: text/plain; charset=us-ascii\r\n"
        "Content-Transfer-Encoding: 7bit\r\n"
        "\r\n"
        "Hello Ann,\r\n\r\nit is on its way.\r\n"
    )


@in_one_test("mark", BREAKS)
@in_one_test("field", ["subject", "to", "cc", "bcc", "from", "filename"])
def test_a_line_break_in_a_header_is_refused_by_name(field: str, mark: str):
    text = f"x{mark}Bcc: evil@hill.example"
    changes: dict[str, object] = {
        "subject": {"subject": text},
        "to": {"to": (Address("ann@brook.example", text),)},
        "cc": {"cc": (Address(text),)},
        "bcc": {"bcc": (Address("ann@brook.example", text),)},
        "from": {"from_": Address("a@lantern.example", text)},
        "filename": {"attachments": (OutgoingAttachment(text, "text/csv", b"x"),)},
    }[field]
    with pytest.raises(ValueError, match=f"^{field}: "):
        build_message(outgoing(**changes))


@in_one_test("identifier", ["x", "<a@b>\r\nBcc: c@d", "<a b@c>", "<a@b", "", "<ü@b>"])
def test_a_malformed_message_id_is_refused(identifier: str):
    with pytest.raises(ValueError, match=r"^message_id: "):
        build_message(outgoing(message_id=identifier))
    with pytest.raises(ValueError, match=r"^references: "):
        build_message(outgoing(references=(identifier,)))


@in_one_test(
    "email", ["a@b.example, c@d.example", "a b@c.example", "<a@b.example>", "a", "a@b@c", "a@b;c"]
)
def test_an_address_that_is_not_one_is_refused(email: str):
    with pytest.raises(ValueError, match=r"^to: "):
        build_message(outgoing(to=(Address(email),)))


def test_text_that_looks_encoded_arrives_as_it_was_written():
    subject = "=?utf-8?q?x=0D=0ABcc=3A_evil=40hill=2Eexample?="
    raw = build_message(outgoing(subject=subject))
    assert parse_message(raw).subject == subject
    assert message_from_bytes(raw)["Bcc"] is None


def test_bcc_recipients_stand_in_no_header():
    raw = build_message(outgoing(bcc=(Address("secret@hill.example", "Secret"),)))
    assert b"ecret" not in raw


def test_at_least_one_recipient_is_needed():
    with pytest.raises(ValueError, match=r"^to: "):
        build_message(outgoing(to=()))


def test_a_naive_date_is_refused():
    with pytest.raises(ValueError, match=r"^date: "):
        build_message(outgoing(date=datetime(2026, 3, 2)))  # noqa: DTZ001


@pytest.mark.parametrize("body", ["a\x00b", "a\ud800b"])
def test_a_body_that_cannot_be_stored_is_refused(body: str):
    with pytest.raises(ValueError, match=r"^body: "):
        build_message(outgoing(body=body))


@in_one_test(
    "body",
    [
        "hi\r\n.\r\nMAIL FROM:<a@b>\r\n",
        "From here on\nit goes\n",
        "ends in blanks  \n\t\n",
        "x" * 5000 + "\n",
        "Grüße aus Köln\n",
        "こんにちは\n" * 200,
        "a\rb\nc\r\nd",
        "",
        "\n\n",
        "tab\there\x0cform\n",
    ],
)
def test_a_body_arrives_as_it_was_written(body: str):
    raw = build_message(outgoing(body=body))
    lines = raw.split(b"\r\n")
    assert max(map(len, lines)) <= 998
    assert b"\n" not in b"".join(lines)
    assert b"\r" not in b"".join(lines)
    assert raw.isascii()
    received = message_from_bytes(raw).get_payload(decode=True)
    assert isinstance(received, bytes)
    written = body.replace("\r\n", "\n").replace("\r", "\n")
    expected = written if written.endswith("\n") or not written else f"{written}\n"
    assert received.decode().replace("\r\n", "\n") == expected


def test_an_address_in_utf8_makes_its_header_utf8():
    raw = build_message(outgoing(to=(Address("jörg@brook.example", "Jörg"),)))
    assert "To: =?utf-8?b?SsO2cmc=?= <jörg@brook.example>\r\n".encode() in raw


def test_long_references_are_folded():
    references = tuple(f"<{number}.{'x' * 40}@lantern.example>" for number in range(50))
    raw = build_message(outgoing(references=references, in_reply_to=references[-1]))
    assert max(map(len, raw.split(b"\r\n"))) <= 78
    assert parse_message(raw).references == references


def test_attached_messages_travel_as_plain_bytes():
    inner = b"Subject: inner\n\nbare \r and \xff"
    raw = build_message(
        outgoing(attachments=(OutgoingAttachment("a.eml", "message/rfc822", inner),))
    )
    (attachment,) = parse_message(raw).attachments
    assert attachment.content == inner


@in_one_test("content_type", ["text", "text/html\r\nX: y", "a/b; c=d", "", "ü/x"])
def test_a_malformed_media_type_is_refused(content_type: str):
    with pytest.raises(ValueError, match=r"^content_type: "):
        build_message(outgoing(attachments=(OutgoingAttachment("a", content_type, b""),)))


def test_the_same_message_is_the_same_bytes():
    message = outgoing(attachments=(OutgoingAttachment("a.csv", "text/csv", b"x"),))
    assert build_message(message) == build_message(message)


LETTERS = (
    "abcdefghij ABCXYZ 0123 .,;:!?()<>@\"\\'=_-+/|&%$#*~^[]{}"
    "äöüßéèñçøåœ Привет мир こんにちは世界 한국어 سلام שלום ελληνικά 👍🎉 ẞ…—“”"
)


def written(chance: random.Random, most: int) -> str:
    text = "".join(chance.choice(LETTERS) for _ in range(chance.randint(0, most)))
    return clean(unicodedata.normalize("NFC", " ".join(text.split())))[0]


def test_whatever_is_built_is_read_back():
    chance = random.Random(2231)
    for number in range(300):
        attachments = tuple(
            OutgoingAttachment(f"{number}-{index} ü.csv", "text/csv", chance.randbytes(99))
            for index in range(chance.randint(0, 3))
        )
        message = outgoing(
            from_=Address("office@lantern.example", written(chance, 80)),
            to=tuple(
                Address(f"p{index}@brook.example", written(chance, 60))
                for index in range(chance.randint(1, 8))
            ),
            subject=written(chance, 200),
            body="\n".join(written(chance, 120) for _ in range(chance.randint(1, 20))) + "\n",
            message_id=f"<{number}@lantern.example>",
            date=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=chance.randrange(10**7)),
            attachments=attachments,
        )
        raw = build_message(message)
        parsed = parse_message(raw)
        assert parsed.subject == message.subject
        assert parsed.text == message.body
        assert parsed.sent_at == message.date
        assert [one.email for one in parsed.to] == [one.email for one in message.to]
        for address, read in zip(
            (message.from_, *message.to), (parsed.sender, *parsed.to), strict=True
        ):
            assert read.name.strip("'") == address.name.strip("'")
        assert [(one.filename, one.content) for one in parsed.attachments] == [
            (one.filename, one.content) for one in attachments
        ]
        assert max(map(len, raw.split(b"\r\n"))) <= 998
        assert raw.isascii()
