"""Memories are asked by phrases and operators as mail is searched."""

from datetime import UTC, datetime

import pytest

from agents.models import Memory
from agents.operations.sharing.memories import save_memory
from agents.recall.contradicting import find_contradicting
from agents.recall.questions import keep_memories
from agents.recall.searching import search_memories
from inbox.errors import DomainError

pytestmark = pytest.mark.django_db

SEAT, OIL, GAS = "Ada wants a window seat.", "The lamp burns oil.", "The stove burns gas."
JANA = "Jana Müller wohnt in der Schloßstraße."


@pytest.fixture
def ask(actor):
    for year, content in enumerate((SEAT, OIL, GAS, JANA), 2021):
        memory, _ = save_memory(actor=actor, content=content)
        Memory.objects.filter(pk=memory.pk).update(created_at=datetime(year, 6, 1, tzinfo=UTC))

    def ask(query, **more):
        found = search_memories(actor=actor, query=query, limit=10, **more)
        return [one.memory.content for one in found]

    return ask


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("burns", [GAS, OIL]),
        ("burns -gas", [OIL]),
        ('burns -"burns gas"', [OIL]),
        ('burns -"gas burns"', [GAS, OIL]),
        ("what burns about:lamps", [OIL]),
        ("about:burning", [GAS, OIL]),
        ("about:mueller", [JANA]),
        ("burns before:2023", [OIL]),
        ("burns after:2023", [GAS]),
        ("after:2023", [JANA, GAS]),
        ("after:2022 before:2024", [GAS, OIL]),
        ("seat OR stove", [GAS, SEAT]),
        ("mueller", [JANA]),
        ("muller schlossstrasse", [JANA]),
        ("Schloßstraße", [JANA]),
        ("about:seat OR about:stove", [GAS, SEAT]),
        ("about:nothing", []),
        ("before:1999 lamp", []),
        ("about:x", []),
        ("burns -x", [GAS, OIL]),
        ('burns "x y"', [GAS, OIL]),
    ],
)
def test_what_is_typed_finds(ask, query, found):
    assert sorted(ask(query)) == sorted(found)


def test_what_has_the_phrase_comes_first(ask, actor):
    save_memory(actor=actor, content="Oil burns, oil burns, and so does the lamp.")
    assert ask('"lamp burns oil"')[0] == OIL
    assert len(ask('"lamp burns oil"')) > 1


@pytest.mark.parametrize("query", ["before:soon", "about:--", "lamp after:2026-99"])
def test_a_value_that_an_operator_does_not_take_is_named(ask, query):
    with pytest.raises(DomainError, match=r"after:|before:|about:"):
        ask(query)


def test_in_a_text_no_operator_has_a_meaning(ask, actor):
    assert ask("before:soon lamp", is_text=True) == [OIL]
    save_memory(actor=actor, content="Room before:noon is number 12 upstairs.")
    assert find_contradicting(actor, "Room before:noon is number 14 upstairs.") is not None


def test_what_is_saved_beside_a_hit_must_fulfil_the_conditions_too(ask):
    assert OIL not in ask("stove -lamp")
    assert ask("burns stove after:2023-01") == [GAS]


def test_what_waits_for_review_is_found_by_no_operator(ask):
    Memory.objects.filter(content=GAS).update(waits=True)
    assert ask("after:2023 before:2024") == ask("about:stove") == []


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("burn", {OIL, GAS}),
        ("burns -gas", {OIL}),
        ("urns oi", {OIL}),
        ('"window seat"', {SEAT}),
        ('"seat window"', set()),
        ("seat OR stove", {SEAT, GAS}),
        ("mueller", {JANA}),
        ("about:lamp after:2020", {OIL}),
    ],
)
def test_a_list_keeps_what_has_every_word(ask, actor, query, found):
    rows = Memory.objects.visible_to(actor)
    assert {row.content for row in keep_memories(actor, rows, query)} == found


def test_a_list_is_told_where_there_is_no_word(actor):
    with pytest.raises(DomainError, match="no word"):
        keep_memories(actor, Memory.objects.all(), "%%")
