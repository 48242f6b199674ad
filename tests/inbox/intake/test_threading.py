from datetime import timedelta

import pytest

from inbox.intake.threading import (
    MOST_REFERENCES,
    DisjointSets,
    ThreadingFacts,
    answers,
    base_subject,
    is_reply_subject,
    message_keys,
    reference_key,
    subject_key,
)
from tests.cases import in_one_test
from tests.inbox.letters import MONDAY

OWN = frozenset({"office@lantern.example"})


def test_an_id_has_one_key_with_or_without_brackets_and_folding():
    keys = {
        reference_key(text)
        for text in (
            "<a.1@x.example>",
            "a.1@x.example",
            " <a.1@x.example> ",
            "<a.1@\r\n x.example>",
        )
    }
    assert len(keys) == 1
    assert len(keys.pop()) == 32


def test_no_id_has_no_key():
    assert reference_key("") == reference_key("<>") == reference_key("  ") == ""


def test_ids_that_differ_in_case_differ():
    assert reference_key("<A@x.example>") != reference_key("<a@x.example>")


def test_an_id_that_is_no_unicode_has_a_key():
    assert len(reference_key("<\udce4@x.example>")) == 32


def test_keys_come_own_first_and_each_once():
    keys = message_keys("<c@x>", "<b@x>", ["<a@x>", "<b@x>", "<c@x>"])
    assert keys == tuple(map(reference_key, ("<c@x>", "<a@x>", "<b@x>")))


def test_of_very_many_references_the_oldest_and_the_newest_count():
    named = [f"<{number}@x>" for number in range(20_000)]
    keys = message_keys("<own@x>", "", named)
    assert len(keys) == MOST_REFERENCES + 1
    assert reference_key("<0@x>") in keys
    assert reference_key("<19999@x>") in keys


@pytest.mark.parametrize(
    "header",
    [
        '"Ada <ada@x.example>" of Monday <b@x.example>',
        "Ada's message <b@x.example>",
        "<b@x.example>",
    ],
)
def test_an_in_reply_to_in_words_names_its_last_id(header):
    assert message_keys("", header) == (reference_key("<b@x.example>"),)


@in_one_test(
    "subject",
    [
        "Re: The lamps", "RE: Re: the  lamps", "AW: The Lamps", "Re[2]: The lamps", "Re^3: The lamps",
        "Fwd: The lamps", "[shop] Re: [shop] The lamps", "回复：The lamps", "SV: VS: The lamps",
        "  re : The lamps ", "Re(4): The lamps",
    ],
)  # fmt: skip
def test_prefixes_and_list_tags_are_no_part_of_the_subject(subject):
    assert base_subject(subject) == "the lamps"


@in_one_test("subject", ["Refund", "Reply: x", "The lamps: re", "Iron: a question"])
def test_words_that_merely_begin_like_a_prefix_stay(subject):
    assert base_subject(subject) == subject.casefold()
    assert not is_reply_subject(subject)


def test_a_subject_of_brackets_only_stays():
    assert base_subject("[offer]") == "[offer]"


def test_a_forward_is_no_reply():
    assert is_reply_subject("Re: The lamps")
    assert not is_reply_subject("Fwd: The lamps")
    assert not is_reply_subject("Fwd: Re: The lamps")
    assert is_reply_subject("Re: Fwd: The lamps")


def test_a_very_long_subject_is_read_in_no_time():
    assert base_subject("Re: " * 100_000) == ""


def test_the_subject_key_tells_bare_replies_from_others():
    bare = subject_key("Re: The lamps", names_others=False)
    other = subject_key("The lamps", names_others=False)
    naming = subject_key("Re: The lamps", names_others=True)
    assert bare.startswith("r")
    assert naming == other
    assert other == "s" + bare[1:]
    assert subject_key("Re:", names_others=False) == ""


def make_letter(
    subject="The lamps", day=0.0, sender="ada@customer.example", to=("office@lantern.example",)
):
    return ThreadingFacts(
        subject_key(subject, names_others=False),
        MONDAY + timedelta(days=day),
        sender,
        frozenset(to),
    )


ASKED = make_letter()
ANSWER = make_letter("Re: The lamps", 1, "office@lantern.example", ("ada@customer.example",))


def test_a_bare_reply_belongs_to_what_it_answers():
    assert answers(ANSWER, ASKED, OWN)


def test_what_is_no_bare_reply_answers_nothing():
    assert not answers(ASKED, ANSWER, OWN)


def test_another_subject_is_another_conversation():
    assert not answers(ANSWER, make_letter("The oil"), OWN)


@pytest.mark.parametrize("day", [-31, 3])
def test_what_was_written_long_before_or_after_is_not_answered(day):
    assert not answers(ANSWER, make_letter(day=day), OWN)


def test_a_stranger_with_the_same_subject_is_not_of_the_conversation():
    stranger = make_letter("Re: The lamps", 1, "eve@thief.example")
    assert not answers(stranger, ASKED, OWN)


def test_a_list_that_both_went_to_joins_nothing():
    asked = make_letter(to=("list@shop.example",))
    reply = make_letter("Re: The lamps", 1, "carol@other.example", ("list@shop.example",))
    assert not answers(reply, asked, OWN)


def test_sets_grow_together_whatever_the_order():
    sets: DisjointSets[int] = DisjointSets()
    for one, other in [(1, 2), (3, 4), (2, 3), (5, 5), (4, 1)]:
        sets.join(one, other)
    assert sorted(map(sorted, sets.groups())) == [[1, 2, 3, 4], [5]]


def test_a_long_chain_is_one_set():
    sets: DisjointSets[int] = DisjointSets()
    for number in range(100_000):
        sets.join(number, number + 1)
    assert len(sets.groups()) == 1
