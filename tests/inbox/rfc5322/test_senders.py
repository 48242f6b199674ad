"""The one sender, and what is suspicious about it."""

import pytest

from inbox.rfc5322.addresses import Address
from inbox.rfc5322.headers import read_headers
from inbox.rfc5322.senders import Senders, read_senders


def senders(*lines: str) -> Senders:
    raw = "\r\n".join((*lines, "", "")).encode()
    return read_senders(read_headers(raw, 0, len(raw))[0])


def test_of_two_from_fields_the_first_counts_and_it_is_said():
    found = senders("From: a@hill.example", "From: evil@other.example")
    assert found.sender == Address("a@hill.example")
    assert [one.email for one in found.from_all] == ["a@hill.example", "evil@other.example"]
    assert found.anomalies == {"many_from", "several_authors"}


def test_of_several_authors_the_first_counts_and_it_is_said():
    found = senders("From: a@hill.example, evil@other.example")
    assert found.sender == Address("a@hill.example")
    assert found.anomalies == {"several_authors"}


def test_another_sender_is_said():
    found = senders("From: a@hill.example", "Sender: evil@other.example")
    assert found.sender == Address("a@hill.example")
    assert found.anomalies == {"sender_differs"}


def test_a_mailing_list_may_send_for_its_members():
    found = senders(
        "From: a@hill.example",
        "Sender: chairs-owner@lists.example",
        "List-Id: <chairs.lists.example>",
    )
    assert found.anomalies == frozenset()


def test_without_from_the_sender_is_taken_from_what_there_is():
    assert senders("Sender: s@hill.example").sender == Address("s@hill.example")
    assert senders("Return-Path: <r@hill.example>").sender == Address("r@hill.example")
    assert "missing_from" in senders("Return-Path: <r@hill.example>").anomalies


def test_answers_that_go_elsewhere_are_said():
    found = senders("From: a@hill.example", "Reply-To: a@other.example")
    assert found.anomalies == {"reply_to_differs"}


@pytest.mark.parametrize(
    ("header", "anomaly"),
    [
        ('"ceo@brook.example" <x@other.example>', "deceptive_name"),
        ("=?utf-8?q?ceo=40brook=2Eexample?= <x@other.example>", "deceptive_name"),
        ('"Ann <ann@brook.example>" <x@other.example>', "deceptive_name"),
        ("<ann@brook.example> x@other.example", "deceptive_name"),
        ('"Р\u0430yРal" <x@other.example>', "deceptive_name"),
        ('"CEO\u202emoc.koorb" <x@other.example>', "bidi_in_name"),
        ("=?utf-8?b?Q0VP4oCubW9j?= <x@other.example>", "bidi_in_name"),
        ('"Bank\u200b Support" <x@other.example>', "invisible_in_name"),
        ("Shop <x@br\u043eok.example>", "lookalike_domain"),
        ("Shop <x@xn--brok-4ye.example>", "lookalike_domain"),
        ("Somebody", "bad_address"),
    ],
)
def test_a_deceptive_sender_is_said(header: str, anomaly: str):
    assert anomaly in senders(f"From: {header}").anomalies


@pytest.mark.parametrize(
    "header",
    [
        "Ann Brook <ann@brook.example>",
        '"ann@brook.example" <ann@brook.example>',
        "=?utf-8?b?5p2x5Lqs44Gr44GV44KT?= <t@brook.example>",
        "Анна <anna@brook.example>",
        "Jörg <j@xn--bcher-kva.example>",
    ],
)
def test_an_honest_sender_is_not_suspected(header: str):
    assert senders(f"From: {header}").anomalies == frozenset()
