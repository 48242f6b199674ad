"""Each value that is given stands somewhere in the message, and it is said where."""

from datetime import UTC, datetime

import pytest

from inbox.extract import extract_from
from inbox.extract.document import document_of
from inbox.understanding.port import Span
from inbox.understanding.rules import RulesBackend
from tests.factories import make_message

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
SCHEMA = {
    "type": "object",
    "properties": {
        "invoice_number": TEXT, "total": NUMBER, "due_date": {"type": "string", "format": "date"},
        "name": TEXT, "email": {"type": "string", "format": "email"}, "phone": TEXT,
        "status": {"enum": ["paid", "unpaid"]}, "is_urgent": {"type": "boolean"}, "has_attachments": {"type": "boolean"},
        "supplier": {"type": "object", "properties": {"company": TEXT}},
        "price": {"type": "object", "properties": {"amount": NUMBER, "currency": TEXT}},
        "items": {"type": "array", "items": {"type": "object", "properties": {"description": TEXT, "quantity": {"type": "integer"}}}},
        "topics": {"type": "array", "items": {"enum": ["paper", "lamps"]}},
        "version": {"const": 1}, "first_name": TEXT,
    },
    "required": ["version"],
}  # fmt: skip
OWN = (
    "Hello,\n\nyour invoice HL-9 over 120.00 GBP, due by 1 October 2026, is unpaid. It is urgent.\n\n"
    "2 x Paper roll @ 12.50\n\nKind regards,\nHannah Whit\n"
)
SIGNATURE = "--\nHarrow Lane Ltd\nTel. +44 113 496 0123\n"


def test_every_value_has_one_confidence_and_one_span():
    document = document_of(
        subject="Invoice", new_text=OWN, text=OWN + SIGNATURE, attached=["Total: 120.00 GBP"],
        sender=("Whit, Hannah", "hannah@harrow.example"), recipient=("Ada", "ada@lantern.example"),
        own_emails=frozenset(), sent_at=datetime(2026, 9, 14, tzinfo=UTC), language="en",
        attachment_names=("a.pdf",),
    )  # fmt: skip
    found = extract_from(document, SCHEMA)
    # All but what the schema says itself.
    assert {path.partition("/")[0] for path in found.places} == set(found.data) - {"version"}
    assert all(
        0.3 <= it.sure <= 0.99 or it.span.source == "attachments" for it in found.places.values()
    )
    layers = dict(zip(("text", "signature", "quoted"), document.layers, strict=True))
    for path, it in found.places.items():
        if it.span.source in layers:
            stretch = layers[it.span.source][it.span.start : it.span.end]
            assert it.span.excerpt == stretch[:200], path
    places = {path: (it.span.source, it.span.excerpt) for path, it in found.places.items()}
    assert places["invoice_number"] == ("text", "HL-9")
    assert places["due_date"] == ("text", "1 October 2026")
    assert places["email"] == ("from", "hannah@harrow.example")
    assert places["phone"] == ("signature", "+44 113 496 0123")
    assert places["supplier/company"] == ("signature", "Harrow Lane Ltd")
    assert places["items/0"] == ("text", "2 x Paper roll @ 12.50")
    assert places["topics/0"] == ("text", "Paper")
    assert (places["name"], places["first_name"]) == (("text", "Hannah Whit"), ("text", "Hannah"))
    assert (places["status"], places["is_urgent"]) == (("text", "unpaid"), ("text", "urgent"))
    assert places["price/currency"] == places["price/amount"] == ("text", "120.00 GBP")
    assert places["has_attachments"] == ("attachments", "a.pdf")


@pytest.mark.django_db
def test_the_rules_answer_with_what_their_values_rest_on(inbox):
    text = "The invoice INV-31 is over 120.00 GBP."
    message = make_message(inbox, subject="Invoice", text=text)
    asked = {"properties": {"invoice_number": TEXT, "total": NUMBER}}
    answer = RulesBackend().extract(message, {**SCHEMA, **asked})
    assert set(answer.evidence) == {
        Span("text", 12, 18, "INV-31"), Span("text", 27, 37, "120.00 GBP"),
    }  # fmt: skip
