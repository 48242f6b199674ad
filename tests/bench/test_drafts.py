"""Goals as agents write them: what their drafts say, and that the checker sees what is wrong."""

from pathlib import Path

import pytest

from bench.understanding.drafts import goals as goals_of
from bench.understanding.drafts.checking import strange_facts, words_of_instruction
from bench.understanding.drafts.goals import Goal, read_goals, thread_of
from bench.understanding.drafts.trying import Tried, try_goal
from bench.understanding.halves import HALVES

FOLDER = Path(goals_of.__file__).parent


def _goal(on: str, text: str, says: tuple[str, ...] = (), never: tuple[str, ...] = ()) -> Goal:
    thread, us = thread_of(on, FOLDER / "mails.yaml")
    return Goal(on, text, says, never, thread, us, "English")


@pytest.fixture(scope="module")
def tried() -> list[Tried]:
    """Return the drafts for every fourth goal of the half that may be read."""
    goals = [it for it in read_goals(FOLDER / "goals.yaml") if it.half == "tuning"]
    return [try_goal(goal) for goal in goals[::4]]


def test_no_draft_is_false_without_saying_so(tried):
    assert [it.goal.text for it in tried if it.is_false] == []


def test_most_drafts_can_be_sent(tried):
    assert sum(it.is_sendable for it in tried) >= 0.7 * len(tried)


def test_either_half_has_goals_of_each_kind():
    goals = list(read_goals(FOLDER / "goals.yaml"))
    counts = {(it.half, it.kind) for it in goals}
    assert len(counts) == 6
    assert len(goals) >= 300
    assert min(sum(it.half == half for it in goals) for half in HALVES) > 140


@pytest.mark.parametrize(
    ("draft", "wrong"),
    [
        ("I can confirm your refund of 139.99 EUR.", ["the number 139.99"]),
        ("It will be there on Sunday.", ["the day sunday"]),
        ("We have told Margaret.", ["the name Margaret"]),
        ("I can confirm your refund of 129.99 EUR for your order 48213.", []),
    ],
)  # fmt: skip
def test_facts_that_neither_goal_nor_thread_has_are_found(draft, wrong):
    found = strange_facts(draft, _goal("lamp", "confirm the refund"))
    assert [it.replace("13999", "139.99") for it in found] == wrong


@pytest.mark.parametrize(
    ("draft", "is_left"),
    [
        ("Schlage Freitag 14 Uhr vor.", True),
        ("Tell her that the lamp is ready.", True),
        ("The lamp is ready for her.", True),
        ("Could you tell us when it broke? Thank you for the photo.", False),
    ],
)
def test_words_of_the_instruction_are_found(draft, is_left):
    assert bool(words_of_instruction(draft, _goal("lamp", "say that it is ready"))) is is_left


def test_a_point_that_is_left_out_makes_a_draft_false_unless_it_says_so():
    goal = _goal("lamp", "confirm the refund and thank her", ("refund", "thank"))
    assert Tried(goal, "Hi,\n\nI can confirm the refund.\n\nBest\nUs", ()).is_false
    assert not Tried(goal, "Hi,\n\nI can confirm the refund.\n\nBest\nUs", ("left out",)).is_false
    assert Tried(goal, "Hi,\n\nThank you. I confirm the refund.\n\nBest\nUs", ()).is_sendable
