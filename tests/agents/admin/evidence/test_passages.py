"""The passages that a letter took over from messages."""

import time

from agents.admin.evidence.passages import find_passages
from tests.patience import LONG

NINE = "the bridge over the river is closed until noon"


def shared(letter, *sources):
    return [
        (one.source, letter[slice(*one.in_message)], sources[one.source][slice(*one.in_source)])
        for one in find_passages(letter, sources)
    ]


def test_eight_words_running_are_a_passage_and_seven_are_none():
    eight = "one two three four five six seven eight"
    assert shared(f"So: {eight}.", f"He wrote {eight}, and more") == [(0, eight, eight)]
    assert shared("one two three four five six seven", f"{eight}") == []


def test_a_passage_is_as_long_as_it_can_be_in_both_texts_whatever_case_and_signs():
    written = "The bridge, over the river, IS closed until noon"
    assert shared(f"Well, {NINE}!", f"Hello. {written}; bye") == [(0, NINE, written)]


def test_two_passages_of_one_message_are_two():
    other = "we shall pay the whole sum on the first of May"
    found = shared(f"{NINE}. And then {other}.", f"{other}; but {NINE}")
    assert [words for _, words, _ in found] == [NINE, other]


def test_words_that_two_messages_have_count_for_the_first():
    assert [one[0] for one in shared(NINE, NINE, NINE)] == [0]


def test_what_a_letter_quotes_is_no_passage():
    assert shared(f"Fine.\n> {NINE}\n", NINE) == []


def test_passages_that_overlap_are_both_found():
    words = [f"w{number}" for number in range(14)]
    letter = " ".join(words)
    found = shared(letter, f"{' '.join(words[:9])} x {' '.join(words[5:])}")
    assert [one[1] for one in found] == [" ".join(words[:9]), " ".join(words[5:])]


def test_hostile_texts_are_searched_in_bounded_time():
    began = time.monotonic()
    find_passages("a " * 50_000, ["a " * 50_000, "a b " * 50_000] * 6)
    assert time.monotonic() - began < LONG
