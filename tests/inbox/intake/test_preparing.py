from datetime import UTC, datetime, timedelta

import pytest

from inbox.intake.prepared import Delivery, Recipient
from inbox.intake.preparing import clean, prepare, prepare_parsed
from inbox.intake.sources import TargetMailbox
from inbox.intake.threading import reference_key
from inbox.rfc5322.parse import parse_message
from tests.inbox.letters import MONDAY, letter

OFFICE = Recipient(1, "mx.lantern.example", frozenset({"office@lantern.example"}))


def test_columns_and_keys_are_worked_out():
    prepared = prepare(letter("b", references=["a"], subject="Re: The lamps"), OFFICE)
    assert prepared.columns["direction"] == "inbound"
    assert prepared.columns["message_id_key"] == reference_key("<b@customer.example>")
    assert prepared.keys == tuple(
        map(reference_key, ("<b@customer.example>", "<a@customer.example>"))
    )
    assert prepared.columns["subject_key"].startswith("s")
    assert prepared.place == TargetMailbox(role="inbox")
    assert [person.email for person in prepared.people] == ["ada@customer.example"]


def test_a_bare_reply_has_the_key_of_bare_replies():
    assert prepare(letter(subject="Re: The lamps"), OFFICE).columns["subject_key"].startswith("r")


def test_dmarc_that_passed_for_another_domain_proves_nothing_of_the_sender():
    headers = "Authentication-Results: mx.lantern.example; dmarc=pass header.from=evil.example"
    prepared = prepare(letter(headers=headers), OFFICE)
    assert prepared.columns["authentication"] == "none"
    assert prepared.columns["authentication_results"]["dmarc"] == "pass"
    for domain in ("customer.example", "mail.customer.example", "CUSTOMER.example"):
        ours = letter(headers=headers.replace("evil.example", domain))
        assert prepare(ours, OFFICE).columns["authentication"] == "pass"


def test_what_a_deliverer_knows_wins():
    at = MONDAY + timedelta(days=9)
    delivery = Delivery(
        received_at=at, keywords=["$seen"], place=TargetMailbox("", "Lists"), outbound=True
    )
    prepared = prepare(letter(), OFFICE, delivery)
    assert prepared.columns["received_at"] == at
    assert prepared.columns["direction"] == "outbound"
    assert (prepared.columns["keywords"], prepared.place) == (["$seen"], TargetMailbox("", "Lists"))


@pytest.mark.parametrize(
    "date", ["", "Date: Mon, 02 Mar 2099 09:00:00 +0000\r\n", "Date: soon\r\n"]
)
def test_the_fallback_counts_where_the_message_does_not_say_when(date):
    raw = f"From: ada@customer.example\r\n{date}\r\nHello.\r\n".encode()
    at = datetime(2026, 1, 5, tzinfo=UTC)
    prepared = prepare_parsed(parse_message(raw), ("0" * 64, 1), OFFICE, Delivery(fallback_at=at))
    assert prepared.columns["received_at"] == at


def test_we_are_no_correspondent_of_ourselves():
    raw = letter(
        sender="office@lantern.example",
        to="OFFICE@lantern.example, bo@shop.example, bo@shop.example",
    )
    assert [person.email for person in prepare(raw, OFFICE).people] == ["bo@shop.example"]


def test_text_that_a_database_refuses_is_cleaned():
    assert clean("a\x00b\ud83dc") == "ab?c"
