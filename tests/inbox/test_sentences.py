"""Stored sentences in the reader's language: those that are made, those of strangers, and slow ones."""

import re

import pytest
from django.utils import translation

from inbox.classify.rules import load_rules
from inbox.sentences import retell
from inbox.sentences.codes import CODES
from inbox.sentences.held import CLAUSES, DRIFT, REFUSALS, SENTENCES
from inbox.sentences.rules import ACTIONS, KINDS, OPTIONS, SIGNS

NAMES = ("Ada Byron", "“Where is it?”", "17")
NAME = re.compile(r"%\(\w+\)s")


@pytest.fixture(autouse=True)
def german():
    with translation.override("de"):
        yield


def as_written(text: str) -> str:
    return re.sub(r"\{(\w+)\}", r"%(\1)s", text.replace("%", "%%"))


def test_all_that_the_rules_say_is_known():
    rules = load_rules()
    assert {as_written(kind.says) for kind in rules.kinds} <= set(KINDS)
    assert {as_written(kind.options) for kind in rules.kinds if kind.options} <= set(OPTIONS)
    assert {as_written(signal.says) for signal in rules.signals.values()} <= set(SIGNS)
    assert {as_written(one) for kind in rules.kinds for one in kind.actions} <= set(ACTIONS)


def test_all_that_points_are_added_to_has_a_name():
    subjects = {subject for signal in load_rules().signals.values() for subject in signal.adds}
    assert {subject.replace("_", " ") for subject in subjects} <= set(CODES)


def test_nothing_is_known_that_the_rules_do_not_say():
    rules = load_rules()
    said = {as_written(signal.says) for signal in rules.signals.values()}
    assert set(SIGNS) - said == {"no signal of any kind"}
    assert set(ACTIONS) == {as_written(one) for kind in rules.kinds for one in kind.actions}
    assert set(KINDS) == {as_written(kind.says) for kind in rules.kinds}
    assert set(OPTIONS) == {as_written(kind.options) for kind in rules.kinds if kind.options}


@pytest.mark.parametrize(
    "template", [*SENTENCES, *CLAUSES, *DRIFT, *REFUSALS, *SIGNS, *OPTIONS, *ACTIONS, *KINDS]
)
def test_each_is_told_with_what_stands_in_it(template):
    names = iter(NAMES)
    told = retell(NAME.sub(lambda _: next(names), template).replace("%%", "%"))
    used = len(NAMES) - len(list(names))
    assert all(name in told for name in NAMES[:used])
    english = [part for part in NAME.split(template) if len(part.strip(' "().:;,')) > 2]
    assert not [part for part in english if part in told]


def test_sentences_follow_each_other():
    one, other = "What leaves waits for a person.", "Agents propose this, and people decide on it."
    assert retell(f"{one} {other}") == f"{retell(one)} {retell(other)}"
    assert retell(one) != one


def test_a_code_is_told_by_its_name():
    said = (
        "It lowers attention: moves from needs_review to archived; leaves quarantine for surfaced."
    )
    told = retell(said)
    assert not [code for code in ("needs", "archived", "surfaced") if code in told]


def test_what_changed_is_told_part_by_part():
    said = "Void: changed in the draft: subject, text; the thread has a newer message, from a@x.example"
    assert retell(said) == (
        "Hinfällig: im Entwurf geändert: Betreff, Text; "
        "das Gespräch hat eine neuere Nachricht, von a@x.example"
    )


def test_a_reasoning_is_told_sign_by_sign():
    said = 'A complaint: complaint ("still; nothing"); starts at 2026-03-03 09:00; asks a question.'
    assert retell(said) == (
        "Eine Beschwerde: Beschwerde („still; nothing“); beginnt um 2026-03-03 09:00; stellt eine Frage."
    )


@pytest.mark.parametrize(
    "text",
    ["", "Ask your bank. It reaches evil.example.", "100 % (sicher) %(what)s", "It reaches"],
)
def test_what_is_none_of_ours_stays_as_it_is(text):
    assert retell(text) == text


def test_from_what_is_not_known_the_rest_stays_as_it_is():
    known = "What leaves waits for a person."
    assert retell(f"{known} Ask. {known}") == f"{retell(known)} Ask. {known}"


def test_an_english_reader_reads_what_is_stored():
    with translation.override("en"):
        assert retell("What leaves waits for a person.") == "What leaves waits for a person."


@pytest.mark.parametrize(
    "text", ["a asks: " * 490, "An invoice from " * 240, "x" * 5000, " and more, " * 300]
)
def test_a_text_made_to_be_slow_stays_as_it_is(text):
    assert retell(text) == text
