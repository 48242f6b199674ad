"""Messages that came back, in the forms in which mail servers write them."""

from pathlib import Path

import pytest

from inbox.returned.facts import MOST_RECIPIENTS, Returned
from inbox.returned.parsing import MOST_IDS, may_be_returned, read_returned
from inbox.rfc5322.parse import parse_message
from tests.cases import in_one_test
from tests.growth import assert_linear

OURS = "<0123456789abcdef0123456789abcdef@lantern.example>"
MAIL = Path(__file__).parent / "mail"


def read(name: str) -> Returned | None:
    raw = (MAIL / f"{name}.eml").read_bytes()
    parsed = parse_message(raw)
    found = read_returned(raw, parsed.sender.email)
    # What is looked at first must never leave out what would have been read.
    assert found is None or may_be_returned(parsed.sender.email, parsed.signals)
    return found


def said(name: str) -> list[tuple[str, str, str, str]]:
    found = read(name)
    assert found is not None
    assert OURS in found.message_ids
    return [(one.kind, one.address, one.status, one.words) for one in found.recipients]


def test_the_standards_form_says_what_became_of_each_recipient():
    gone, late = said("standard")
    assert gone[:3] == ("failed", "ada@customer.example", "5.1.1")
    assert gone[3].endswith("Recipient address rejected: User unknown")
    assert late[:3] == ("delayed", "ben@customer.example", "4.4.1")
    assert "Connection timed out" in late[3]


def test_a_report_with_its_fields_in_one_group_is_read():
    [(kind, address, status, words)] = said("whole_message_returned")
    assert (kind, address, status) == ("failed", "ada@customer.example", "5.1.1")
    assert words.startswith("550-5.1.1 The account")


def test_the_envelope_id_that_we_gave_names_the_message():
    assert said("envelope_id_only") == [("relayed", "ada+x@customer.example", "2.0.0", "")]


def test_addresses_beyond_ascii_are_read():
    [(_, address, status, words)] = said("international")
    assert (address, status) == ("jürgen@customer.example", "5.6.7")
    assert words == "553 kein Postfach für jürgen"


def test_exims_words_are_read_for_each_address():
    ada, ben = said("in_words_exim")
    assert ada[:3] == ("failed", "ada@customer.example", "5.1.1")
    assert (ben[:3], ben[3]) == (("failed", "ben@customer.example", ""), "mailbox is full")


def test_qmails_words_are_read_and_not_what_it_returned():
    [(kind, address, status, words)] = said("in_words_qmail")
    assert (kind, address, status) == ("failed", "ada@customer.example", "5.7.1")
    assert "does not like recipient" in words


def test_a_delay_in_words_is_no_failure():
    [(kind, address, _, words)] = said("in_words_delayed")
    assert (kind, address, words) == (
        "delayed", "ada@customer.example", "Delay reason: connection timed out",
    )  # fmt: skip


def test_a_bounce_that_names_nobody_is_still_one():
    [(kind, address, _, words)] = said("in_words_german")
    assert (kind, address) == ("failed", "")
    assert words.endswith("den Empfänger nicht erreicht.")


@pytest.mark.parametrize(
    ("name", "words"),
    [("away", "I am away until 9 March."), ("away_exchange", "Ich bin bis 9. März im Urlaub.")],
)
def test_an_automatic_answer_is_one(name, words):
    [(kind, address, _, text)] = said(name)
    assert (kind, address) == ("away", "ada@customer.example")
    assert text.startswith(words)


@pytest.mark.parametrize("name", ["person", "receipt"])
def test_a_persons_answer_and_a_receipt_of_reading_are_none(name):
    assert read(name) is None


def report(groups: bytes, head: bytes = b"") -> bytes:
    return (
        b"From: mailer-daemon@x.example\r\nSubject: failure notice\r\n" + head
        + b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n"
        b"Content-Type: message/delivery-status\r\n\r\n" + groups + b"\r\n--b--\r\n"
    )  # fmt: skip


ONE = b"Final-Recipient: rfc822; a%d@x.example\r\nAction: failed\r\n\r\n"


FAILED = b"From: mailer-daemon@x\r\nSubject: failure notice\r\n\r\n"


@in_one_test(
    ("most", "write"),
    [
        (1, lambda _: b""),
        (1, lambda _: b"\r\n"),
        (1, lambda _: report(b"")),
        (1, lambda _: report(b"Action: failed\r\nFinal-Recipient: x\r\nStatus: 9.9.9.9")),
        (100_000, lambda size: report(b"".join(ONE % n for n in range(size)))),
        (
            500_000,
            lambda size: report(
                b"Action: failed\r\nDiagnostic-Code: smtp; " + b"\x1b[31m\xff" * size
            ),
        ),
        (99_000, lambda size: report(b"x", b"References: " + b"<" * size + b"\r\n")),
        (33_000, lambda size: report(b"x", b"References: " + b"<a@" * size + b"\r\n")),
        (1_000_000, lambda size: report(b"\n" * size + b"Action: failed")),
        (500_000, lambda size: report(b" \n" * size)),
        (80_000, lambda size: FAILED + b"Message-ID: <" * size),
        (250_000, lambda size: FAILED + b"a@b " * size),
        (250_000, lambda size: FAILED + b"a@b\n" * size),
        (1_000_000, lambda size: FAILED + b"<" * size),
        (25_000, lambda size: b"X-Failed-Recipients: " + b"a@b," * size + b"\r\n\r\nx"),
    ],
)
def test_hostile_reports_are_read_in_linear_time_and_within_bounds(most, write):
    if most > 1:
        raws = {size: write(size) for size in (most // 4, most)}
        assert_linear(lambda size: read_returned(raws[size], "mailer-daemon@x.example"), most)
    found = read_returned(write(most), "mailer-daemon@x.example")
    if found is not None:
        assert len(found.message_ids) <= MOST_IDS
        assert len(found.recipients) <= MOST_RECIPIENTS + 1
        assert all(len(one.words) <= 1000 and one.words.isprintable() for one in found.recipients)
