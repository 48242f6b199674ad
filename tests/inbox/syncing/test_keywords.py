"""Keywords on both sides of a mirror: what is told, what is news, and that neither echoes."""

import random

from inbox.syncing.keywords import changed_here, merged, shared
from tests.cases import in_one_test

WORDS = ["$seen", "$flagged", "$answered", "work", "travel"]


def test_what_was_marked_here_is_told():
    told = changed_here(["$seen", "Work"], known=["$flagged"])
    assert (told.add, told.remove) == ({"$seen", "work"}, {"$flagged"})


def test_what_both_sides_have_is_not_told_again():
    assert changed_here(["$seen", "Work"], known=["$seen", "work"]) == (frozenset(), frozenset())


def test_a_mark_for_the_next_expunge_is_left_alone():
    assert changed_here([], known=["$deleted"]) == (frozenset(), frozenset())
    assert merged(["$seen"], known=["$seen"], heard=["$seen", "$deleted"]) == ["$seen"]


@in_one_test("word", ["two words", "café", 'a"b', "x" * 51, "a]b", "50%", "a\r\nb"])
def test_a_category_that_no_server_could_keep_stays_here(word):
    assert shared([word]) == frozenset()
    assert merged([word], known=[], heard=[]) == [word]


def test_where_no_new_keywords_are_kept_only_the_system_s_are_told():
    told = changed_here(["$seen", "work"], known=[], takes_free=False)
    assert told.add == {"$seen"}


def test_what_was_changed_here_survives_the_news_of_something_else():
    assert merged(["$seen", "Work"], known=[], heard=["$flagged"]) == ["$flagged", "$seen", "Work"]


def test_a_category_that_somebody_took_away_there_goes_here_whatever_its_case():
    assert merged(["Work"], known=["work"], heard=[]) == []


def test_both_sides_agree_after_a_round_whatever_each_did():
    chance = random.Random(7)
    for _ in range(300):
        known, ours, heard = ([word for word in WORDS if chance.random() < 0.5] for _ in range(3))
        told = changed_here(ours, known=known)
        server = (set(heard) | told.add) - told.remove
        # We write down what we told, and then hear what is there.
        written = (set(known) | told.add) - told.remove
        here = merged(ours, known=written, heard=server)
        assert set(here) == server
        assert changed_here(here, known=server) == (frozenset(), frozenset())


def test_what_a_provider_cannot_be_told_stays_as_it_is_on_each_side():
    told = changed_here(
        ["$answered", "Two words"], known=["$draft", "old one"], takes=lambda word: word[0] != "$"
    )
    assert (told.add, told.remove) == ({"two words"}, {"old one"})


def test_a_category_of_several_words_that_a_server_has_is_ours_too():
    assert merged(["Mine"], known=["old one"], heard=["two words"]) == ["Mine", "two words"]
