"""What rules do not find a model may, where its quote stands in the message and says the value."""

from datetime import UTC, datetime

import pytest
from django.test import override_settings

from agents.consulting.extracting import read_extraction, wanted_fields
from agents.consulting.stating import states
from agents.dispatching.dispatch import call
from inbox.background import jobs
from inbox.extract import Extraction
from inbox.extract.document import Document
from inbox.extract.fields import fields_of
from inbox.language_model.errors import ModelError
from inbox.models import ExtractionSchema, ModelAnswer, ModelSetting
from tests import factories

TEXT = (
    "For the party please reckon with three dozen guests, 36 in all, on 5 March 2027. "
    "The mood should be “Venetian”. It costs 1.234,50 EUR. Vegan: yes."
)
SCHEMA = {
    "type": "object",
    "required": ["motto"],
    "properties": {
        "motto": {"type": "string", "maxLength": 20},
        "heads": {"type": "integer", "minimum": 1},
        "feast": {"type": "string", "format": "date"},
        "toll": {"type": "number"},
        "greens": {"type": "boolean"},
        "size": {"enum": ["small", "large"]},
        "host": {"type": "object", "properties": {"nick": {"type": "string"}}},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
DOCUMENT = Document((TEXT, "", ""), sent_at=datetime(2026, 11, 24, tzinfo=UTC))
BASE = Extraction({}, 0.0, ("motto",), ())


def row(path, value, quote, source="S1"):
    return {"path": path, "value": value, "quote": quote, "source": source}


MOTTO = row("/motto", "Venetian", "The mood should be “Venetian”")


def read(*rows, base=BASE):
    wanted = wanted_fields(SCHEMA, base.data)
    return read_extraction({"fields": list(rows)}, base, SCHEMA, wanted, DOCUMENT)


def test_values_that_their_quotes_say_are_added_with_the_words_that_say_them():
    found = read(
        MOTTO, row("/heads", 36, "36 in all"), row("/feast", "2027-03-05", "on 5 March 2027"),
        row("/toll", 1234.5, "1.234,50 EUR"), row("/greens", True, "Vegan: yes"),
        row("/size", "large", "three dozen guests"), row("/host/nick", "party", "For the party"),
    )  # fmt: skip
    assert found.extraction.data == {
        "motto": "Venetian", "heads": 36, "feast": "2027-03-05", "toll": 1234.5, "greens": True,
        "size": "large", "host": {"nick": "party"},
    }  # fmt: skip
    assert (found.extraction.missing_fields, found.extraction.validation_errors) == ((), ())
    assert (found.added, found.dropped) == (7, 0)
    span = found.extraction.places["host/nick"].span
    assert (span.source, span.start, span.end, span.excerpt) == ("text", 0, 13, "For the party")
    assert 0 < found.extraction.confidence < 1


@pytest.mark.parametrize(
    "wrong",
    [
        row("/motto", "Roman", "The mood should be “Venetian”"),
        row("/motto", "Venetian", "The mood is “Venetian”"),
        row("/motto", "Venetian", "“Venetian”", "S2"), row("/motto", "Venetian", ""),
        row("/motto", None, "“Venetian”"), row("/motto", ["Venetian"], "“Venetian”"),
        row("/motto", "guests, 36 in all, on 5 March", "guests, 36 in all, on 5 March 2027"),
        row("/heads", 37, "36 in all"), row("/heads", "36", "36 in all"),
        row("/heads", 36.5, "36 in all"), row("/heads", True, "36 in all"),
        row("/feast", "2027-03-06", "on 5 March 2027"),
        row("/feast", "2026-03-05", "on 5 March 2027"), row("/feast", "soon", "on 5 March 2027"),
        row("/toll", 1234.6, "1.234,50 EUR"), row("/size", "huge", "three dozen guests"),
        row("/greens", "yes", "Vegan: yes"), row("/nowhere", "x", "Vegan"), row(None, "x", "Vegan"),
        row("/tags", ["party"], "party"), row("/host", {"nick": "x"}, "party"), {},
    ],
)  # fmt: skip
def test_a_value_that_its_quote_does_not_say_is_dropped(wrong):
    found = read(wrong)
    assert (found.extraction.data, found.dropped) == ({}, 1)
    assert found.extraction.missing_fields == ("motto",)


def test_what_rules_found_stays_whatever_the_model_says():
    base = Extraction({"motto": "Roman", "host": {"nick": "Ada"}}, 0.8, (), ())
    found = read(MOTTO, row("/host/nick", "party", "For the party"), base=base)
    assert found.extraction.data == base.data
    assert found.dropped == 2
    assert base.data == {"motto": "Roman", "host": {"nick": "Ada"}}


def test_the_first_of_two_values_counts():
    found = read(MOTTO, row("/motto", "party", "For the party"))
    assert (found.extraction.data["motto"], found.dropped) == ("Venetian", 1)


ORDER = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array", "maxItems": 3,
            "items": {
                "type": "object", "required": ["what"],
                "properties": {
                    "what": {"type": "string"}, "count": {"type": "integer"},
                    "price": {"type": "number"}, "gift": {"type": "boolean"},
                },
            },
        },
        "codes": {"type": "array", "items": {"type": "string"}, "minItems": 2},
        "deep": {"type": "array", "items": {"type": "object", "properties": {"more": {"type": "array"}}}},
    },
}  # fmt: skip
LIST = "We took seven (7) of the brass lamps at 49,00 and the oak desk. Codes are K17 and K18."


def read_list(*rows, data=None):
    base = Extraction(data or {}, 0.0, (), ())
    document = Document((LIST, "", ""), sent_at=datetime(2026, 11, 24, tzinfo=UTC))
    wanted = wanted_fields(ORDER, base.data)
    return read_extraction({"fields": list(rows)}, base, ORDER, wanted, document)


LAMPS = row(
    "/items", {"what": "brass lamps", "count": 7, "price": 49, "gift": True},
    "seven (7) of the brass lamps at 49,00",
)  # fmt: skip
DESK = row("/items", {"what": "oak desk", "count": 1, "price": 343}, "the oak desk")


def test_entries_of_a_list_are_taken_with_what_their_words_say_of_each():
    found = read_list(LAMPS, DESK, row("/codes", "K17", "K17 and K18"), row("/codes", "K18", "K18"))
    assert found.extraction.data == {
        "items": [{"what": "brass lamps", "count": 7, "price": 49}, {"what": "oak desk"}],
        "codes": ["K17", "K18"],
    }
    assert (found.added, found.dropped) == (4, 0)
    assert found.extraction.places["items/1"].span.excerpt == "the oak desk"


@pytest.mark.parametrize(
    "wrong",
    [
        row("/items", {"what": "pine desk"}, "the oak desk"), row("/items", {}, "the oak desk"),
        row("/items", {"count": 7}, "seven (7)"), row("/items", "oak desk", "the oak desk"),
        row("/items", [{"what": "oak desk"}], "the oak desk"), row("/deep", {"more": []}, "K17"),
        row("/items", {"wh\u0430t": "oak desk"}, "the oak desk"), row("/codes", ["K17"], "K17"),
        row("/codes", "K19", "K17 and K18"), row("/items/0", {"what": "oak desk"}, "the oak desk"),
    ],
)  # fmt: skip
def test_an_entry_that_its_words_do_not_say_is_dropped(wrong):
    found = read_list(wrong)
    assert (found.extraction.data, found.added, found.dropped) == ({}, 0, 1)


def test_a_list_that_the_schema_does_not_take_as_a_whole_is_left_out():
    found = read_list(row("/codes", "K17", "K17 and K18"), LAMPS)
    assert list(found.extraction.data) == ["items"]
    assert (found.added, found.dropped) == (1, 1)
    assert not [it for it in found.extraction.places if it.startswith("codes")]


def test_no_more_entries_are_taken_than_the_schema_takes():
    found = read_list(LAMPS, DESK, LAMPS, DESK)
    assert (len(found.extraction.data["items"]), found.dropped) == (3, 1)


def test_a_list_that_rules_found_stays():
    base = {"items": [{"what": "chair"}]}
    found = read_list(LAMPS, data=base)
    assert (found.extraction.data, found.dropped) == (base, 1)


def test_an_answer_without_fields_is_none():
    with pytest.raises(ModelError, match="garbled"):
        read_extraction({}, BASE, SCHEMA, [], DOCUMENT)


@pytest.mark.parametrize(
    ("value", "said", "is_so"),
    [
        (1234567, "1'234'567", True), (1234.5, "1,234.50", True), (12, "12.", True),
        (1.5, "1,5", True), (15, "1,5", True), (-3, "minus 3", False), (2, "two", False),
    ],
)  # fmt: skip
def test_a_number_is_read_as_any_country_writes_it(value, said, is_so):
    (field,) = fields_of({"type": "object", "properties": {"toll": {"type": "number"}}})
    assert states(value, said, field) is is_so


@pytest.mark.django_db
def test_rules_answer_first_and_the_model_fills_what_they_left_open(
    workspace, inbox, actor, machine
):
    message = factories.make_message(inbox, text=TEXT)
    stored = ExtractionSchema.objects.create(workspace=workspace, name="Party", schema=SCHEMA)
    ModelSetting.objects.create(workspace=workspace, tasks=["extract"])
    machine.says({"fields": [MOTTO, row("/heads", 99, "36 in all")]})
    given = {"message_id": message.public_id, "schema_id": stored.public_id}
    with override_settings(UNDERSTANDING=("model", "rules")):
        first = call("extract_to_schema", given, actor).result
        assert "motto" in first["missing_fields"]
        jobs.run_due()
        again = call("extract_to_schema", given, actor).result
    assert again["data"] == {**first["data"], "motto": "Venetian"}
    assert "missing_fields" not in again or again["missing_fields"] == []
    kept = ModelAnswer.objects.get()
    assert (kept.about, kept.used, kept.dropped) == (message.public_id, 1, 1)
    (asked,) = machine.asked
    assert {"path": "/motto", "schema": SCHEMA["properties"]["motto"]} in asked.document["fields"]
    assert {it["origin"] for it in asked.document["texts"]} == {"stranger"}
