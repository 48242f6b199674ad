"""What was saved just before or after something that answers is found with it."""

from datetime import timedelta

import pytest

from agents.models import Memory
from agents.operations.sharing.memories import save_memory
from agents.recall.saved_together import SHARES, find_beside
from agents.recall.searching import search_memories
from tests import factories
from tests.agents.recall.saved import save_many

pytestmark = pytest.mark.django_db

ASKED = "Elif: What did you paint for the harbour café, Sven?"
ANSWERED = "Sven: Two herons in fog, on old sailcloth."
# Each has as much of the question as the answer has, and there are more of them than are asked for.
OTHERS = [f"Sven: {it}." for it in ("Yes", "Fine", "Till then", "Sure", "Good night", "I see")]
QUESTION = "What did Sven paint for the café?"


def found(actor, limit=3):
    return [one.memory.content for one in search_memories(actor=actor, query=QUESTION, limit=limit)]


def move(content, **back):
    """Make a memory one that was saved so long ago."""
    row = Memory.objects.get(content=content)
    Memory.objects.filter(pk=row.pk).update(created_at=row.created_at - timedelta(**back))


def test_an_answer_is_found_by_the_question_that_was_saved_before_it(actor):
    save_many(actor, [ASKED, ANSWERED, "Elif: Lovely.", "Elif: How is Noor?", *OTHERS])
    assert found(actor)[:2] == [ASKED, ANSWERED]


def test_what_was_saved_an_hour_later_has_nothing_to_do_with_it(actor):
    save_many(actor, [ASKED, ANSWERED, "Elif: Lovely.", "Elif: How is Noor?", *OTHERS])
    move(ASKED, hours=1)
    assert ANSWERED not in found(actor)


def test_what_shares_no_word_with_the_question_is_not_found_by_its_place(actor):
    save_many(actor, ["Rain all week", ASKED, "Two herons in fog", "Thursday at nine"])
    assert found(actor, limit=9) == [ASKED]


def test_what_other_agents_saved_meanwhile_does_not_part_them(actor, workspace):
    scout = factories.agent_actor(factories.make_agent(workspace, "Scout"))
    for number, content in enumerate(
        [ASKED, ANSWERED, "Elif: Lovely.", "Elif: And Noor?", *OTHERS]
    ):
        save_memory(actor=actor, content=content)
        save_many(scout, [f"Sven: {number} {it}" for it in range(3)])
    assert found(actor)[:2] == [ASKED, ANSWERED]
    assert set(found(actor, limit=50)) == {ASKED, ANSWERED, *OTHERS}


def test_a_whole_answer_is_never_outdone_by_a_part_of_one_beside_it(actor):
    whole = "Sven: For the café I paint what I did see."
    save_many(actor, [ASKED, ANSWERED, "Elif: Lovely.", *OTHERS, whole])
    assert set(found(actor)[:2]) == {ASKED, whole}


def test_what_is_beside_is_named_by_its_place_and_only_so_far_away(actor, workspace):
    save_many(actor, ["one", "two", "three", "four", "five"])
    one, two, three, four, five = Memory.objects.order_by("pk").values_list("pk", flat=True)
    beside = find_beside(actor, [one, three])
    assert list(SHARES) == [1, 2, -1, -2]
    assert beside == {one: (two, three, None, None), three: (four, five, two, one)}
    Memory.objects.filter(pk=five).update(id=five + 500)
    assert find_beside(actor, [four]) == {four: (None, None, three, two)}
