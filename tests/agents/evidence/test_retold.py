"""What is confidential and told in other words."""

import pytest

from agents.approval.checks.disguises.finding import Kept
from agents.evidence.retold import find_retold
from tests.cases import in_one_test

PLAN = Kept(
    "fil_1",
    "CONFIDENTIAL. Roadmap of the board.\n\nThe northern harbour terminal will be closed in autumn. "
    "Its dock workers move to the container yard at Ashford. Lunch is at noon as always.",
)


def retold(said, *read):
    return [(one.reason, one.source) for one in find_retold(said, [PLAN], list(read))]


@in_one_test(
    "said",
    [
        "Between us: in autumn they close the terminal in the northern harbour.",
        "The harbour loses its northern terminal. It closes once autumn comes, I hear.",
        "The dock's workers are moved to Ashford, to the yard for containers.",
        "Hello Bo,\n\nThanks for the tea.\n\nAshford gets the dock workers for its container yard.",
    ],
)
def test_a_confidence_in_other_words_is_told(said):
    assert retold(said) == [("retold", "fil_1")]


@in_one_test(
    "said",
    [
        "Lunch is at noon, as always.",
        "The harbour is beautiful in autumn.",
        "Could you move the container to the yard?",
        "The terminal is closed today. Come back tomorrow. The board meets at Ashford.",
        "",
    ],
)
def test_a_word_here_and_there_retells_nothing(said):
    assert retold(said) == []


def test_what_its_readers_know_already_is_theirs():
    said = "So in autumn they close the terminal in the northern harbour?"
    assert retold(said)
    assert retold(said, "We heard that the northern terminal of the harbour closes.") == []


def test_the_words_that_retell_it_are_named_once():
    said = "Hi Bo.\nIn autumn the northern harbour terminal closes. Yes, in autumn the terminal closes."
    [one] = find_retold(said, [PLAN], [])
    assert one.excerpt in said
    assert "northern harbour" in one.excerpt + said[said.index(one.excerpt) + len(one.excerpt) :]


@pytest.mark.parametrize("times", [1, 40])
def test_long_texts_are_compared_in_bounds(times):
    many = [PLAN] * times
    assert len(list(find_retold("All is well. " * 5000, many, []))) == 0
