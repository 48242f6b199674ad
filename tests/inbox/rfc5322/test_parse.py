"""Whole messages, as they arrive."""

import random
from datetime import UTC, datetime

from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.parse import ParsedMessage, parse_message, snippet_of
from tests.cases import in_one_test

LETTER = b"""\
Received: from mx.lantern.example by mail.lantern.example; Mon, 2 Mar 2026 09:00:05 +0000
Authentication-Results: mail.lantern.example; dmarc=pass header.from=brook.example
From: "Ann Brook" <Ann@Brook.Example>
To: office@lantern.example, "Lee, Kim" <kim@lantern.example>
Cc: =?utf-8?q?J=C3=B6rg?= <joerg@lantern.example>
Reply-To: sales@brook.example
Subject: =?utf-8?b?UsO8Y2tmcmFnZSB6dXI=?=
 =?utf-8?q?_Bestellung?=
Date: Mon, 2 Mar 2026 10:00:00 +0100
Message-ID: <a1@brook.example>
In-Reply-To: <z9@lantern.example>
References: <y8@lantern.example>
 <z9@lantern.example>
List-Id: Orders <orders.brook.example>
Precedence: list
Content-Type: text/plain; charset=utf-8

Hello Kim,

when will it arrive?

On Sun, 1 Mar 2026 at 12:00, Kim Lee <kim@lantern.example> wrote:
> Your order is on its way.

--\x20
Ann Brook
"""


def message(*lines: str) -> ParsedMessage:
    return parse_message("\r\n".join(lines).encode())


def test_every_field_of_an_ordinary_letter_is_read():
    letter = parse_message(LETTER)
    assert letter.sender == Address("Ann@brook.example", "Ann Brook")
    assert letter.from_all == (letter.sender,)
    assert letter.to == (
        Address("office@lantern.example"),
        Address("kim@lantern.example", "Lee, Kim"),
    )
    assert letter.cc == (Address("joerg@lantern.example", "Jörg"),)
    assert letter.reply_to == (Address("sales@brook.example"),)
    assert letter.subject == "Rückfrage zur Bestellung"
    assert letter.message_id == "<a1@brook.example>"
    assert letter.in_reply_to == "<z9@lantern.example>"
    assert letter.references == ("<y8@lantern.example>", "<z9@lantern.example>")
    assert letter.sent_at == datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
    assert letter.received_at == datetime(2026, 3, 2, 9, 0, 5, tzinfo=UTC)


def test_the_new_text_has_neither_history_nor_signature():
    letter = parse_message(LETTER)
    assert letter.new_text == "Hello Kim,\n\nwhen will it arrive?"
    assert letter.snippet == "Hello Kim, when will it arrive?"
    assert "> Your order is on its way." in letter.text


def test_what_the_rules_look_at_is_kept_apart():
    letter = parse_message(LETTER)
    assert letter.list_id == "orders.brook.example"
    assert letter.signals == {"list-id": "Orders <orders.brook.example>", "precedence": "list"}
    assert letter.authentication_headers == (
        "mail.lantern.example; dmarc=pass header.from=brook.example",
    )
    assert letter.anomalies == ()
    assert letter.language == "en"


def test_what_is_missing_is_said():
    bare = parse_message(b"\nhello")
    assert bare.text == "hello"
    assert bare.anomalies == ("missing_date", "missing_from", "missing_message_id", "missing_to")
    assert bare.sender == Address("")


@in_one_test(
    "raw",
    [
        b"",
        b"\x00",
        b"\n",
        b"\r\n\r\n",
        b":",
        b"From",
        b"\xff\xfe\xfd",
        b"From: \xff\xfe <\x00@\x80>\n\n\x00",
        b"Content-Type: multipart/mixed\n\n--",
        b"Content-Type: multipart/mixed; boundary=\n\n--\n--",
        b"Content-Type: ;;;;=\n\n",
        b"Content-Type: text/plain; charset=punycode\n\n\xff",
        b"Content-Type: text/plain; charset=unicode_escape\n\n\\ud800",
        b"Content-Type: text/plain; charset=utf-7\n\n+2AA-",
        b"Subject: =?utf-7?q?+2AA-?=\n\n",
        b"Content-Transfer-Encoding: base64\n\n=",
        b"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 \n\nend",
        b"Date: Fri, 31 Dec 9999 23:59:59 -2400\n\n",
        b"References: <<<>>><>\n\n",
        b'To: ((("\n\n',
    ],
)
def test_no_bytes_stop_it(raw: bytes):
    assert "unreadable" not in parse_message(raw).anomalies


def test_damaged_letters_are_still_read():
    chance = random.Random(5322)
    for _ in range(300):
        damaged = bytearray(LETTER)
        for _ in range(chance.randint(1, 30)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        cut = bytes(damaged[chance.randrange(60) : chance.randrange(60, len(damaged))])
        parsed = parse_message(cut)
        assert "unreadable" not in parsed.anomalies
        for text in (parsed.text, parsed.subject, parsed.sender.name, parsed.new_text, parsed.html):
            assert "\x00" not in text
            text.encode("utf-8")


def test_twenty_thousand_recipients_are_all_read():
    header = ", ".join(f'"Person {number}, X" <p{number}@hill.example>' for number in range(20_000))
    parsed = message(f"To: {header}", "", "hello")
    assert len(parsed.to) == 20_000
    assert parsed.to[-1] == Address("p19999@hill.example", "Person 19999, X")


def test_lines_that_end_in_bare_carriage_returns_are_lines():
    parsed = parse_message(b"Subject: old\rFrom: a@hill.example\r\rone\rtwo\r")
    assert parsed.subject == "old"
    assert parsed.text == "one\ntwo\n"


def test_an_mbox_line_before_the_headers_is_passed_over():
    parsed = message("From ann@hill.example Mon Mar  2 09:00:00 2026", "Subject: here", "", "text")
    assert (parsed.subject, parsed.text) == ("here", "text")


def test_a_line_that_is_no_field_among_the_headers_is_passed_over():
    parsed = message(
        "Subject: here", "this was put in by somebody", "From: a@hill.example", "", "text"
    )
    assert parsed.sender.email == "a@hill.example"
    assert "broken_header" in parsed.anomalies


def test_a_body_without_the_blank_line_is_not_lost():
    parsed = message("Subject: here", "The body begins at once.", "", "And goes on.")
    assert parsed.text == "The body begins at once.\n\nAnd goes on."


def test_raw_header_bytes_are_read_in_the_charset_of_the_body():
    raw = "Subject: Привет всем\nContent-Type: text/plain; charset=koi8-r\n\nДа".encode("koi8-r")
    parsed = parse_message(raw)
    assert (parsed.subject, parsed.text) == ("Привет всем", "Да")


def test_a_message_id_with_odd_characters_becomes_one_clean_id():
    long = "x" * 5000
    assert parse_message(f"Message-ID: <{long}@a>\n\n".encode()).message_id == f"<{long}@a>"
    assert parse_message(b"Message-ID: <a b\x00 c@d>\n\n").message_id == "<abc@d>"
    assert parse_message("Message-ID: <ü@d>\n\n".encode()).message_id == "<ü@d>"
    assert parse_message(b"Message-ID: naked@d\n\n").message_id == "<naked@d>"


def test_an_unreadable_date_is_no_date():
    for date in ("yesterday", "Fri, 1 Jan 0000 00:00:00 +0000", "Fri, 1 Jan 9999 00:00:00 +0000"):
        parsed = message(f"Date: {date}", "", "x")
        assert parsed.sent_at is None
        assert "bad_date" in parsed.anomalies


def test_unseen_characters_are_removed_and_reported():
    parsed = message(
        "Subject: in\u200bvoice", "Content-Type: text/plain; charset=utf-8", "", "a\u202eb"
    )
    assert (parsed.subject, parsed.text) == ("invoice", "ab")
    assert "invisible_characters" in parsed.anomalies


def test_attachment_names_and_pairs_of_ideographs_can_be_searched():
    parsed = parse_message(
        "Subject: 東京都\nContent-Type: application/pdf; name=offer_2026.pdf\n\nx".encode()
    )
    assert parsed.search_extra == "offer_2026.pdf offer 2026 pdf 東京 京都"


def test_a_snippet_ends_at_a_word():
    snippet = snippet_of("word " * 100)
    assert len(snippet) <= 240
    assert snippet.endswith("word…")
