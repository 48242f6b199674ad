"""Addresses and rooms that a source says are no more."""

from datetime import date, timedelta

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import Mark, ProposedMessage, Source
from inbox.rfc5322.text.language import detect_language

TODAY = date(2026, 3, 10)


def wrong(body, *texts) -> list[Mark]:
    """Return the marks of a message; the first text is the newest."""
    sources = [
        Source("message", str(days), text, TODAY - timedelta(days), language=detect_language(text))
        for days, text in enumerate(texts)
    ]
    marks = check_claims(ProposedMessage("", body, TODAY, detect_language(body)), sources)
    return [mark for mark in marks if mark.state != "found"]


@pytest.mark.parametrize(
    ("told", "right", "slip"),
    [
        ("We moved: ship to Gate 9, not Gate 3.", "It comes to Gate 9.", "It comes to Gate 3."),
        (
            "Unsere Adresse ist Lindenweg 12. (Bis 31.1.2026: Hafenstraße 7 - nicht mehr angeben.)",
            "Sie finden uns im Lindenweg 12.", "Sie finden uns in der Hafenstraße 7.",
        ),
        (
            "Der Kurs ist in Saal 14, nicht mehr in Saal 11.", "Wir kommen in Saal 14.",
            "Wir kommen in Saal 11.",
        ),
        (
            "La salle est désormais la salle 22 au lieu de la salle 20.",
            "Nous venons en salle 22.", "Nous venons en salle 20.",
        ),
        ("Write to new@pier.example instead of old@pier.example.", "We wrote to new@pier.example.",
         "We wrote to old@pier.example."),
    ],
)  # fmt: skip
def test_what_was_replaced_differs(told, right, slip):
    assert wrong(right, told) == []
    assert [it.state for it in wrong(slip, told)] == ["differs"]


def test_what_a_later_text_gives_holds_again():
    told = "Ship to Gate 9, not Gate 3."
    earlier = "Please ship to Gate 3."
    assert [it.state for it in wrong("It comes to Gate 3.", told, earlier)] == ["differs"]
    assert wrong("It comes to Gate 3.", earlier, told) == []


def test_a_message_that_says_itself_what_was_replaced_is_right():
    assert wrong("It comes to Gate 9, not Gate 3.", "Ship to Gate 9, not Gate 3.") == []
