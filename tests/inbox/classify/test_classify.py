"""The rules as a whole: steady, quick on hostile text, honest in their words."""

import random
import string
from datetime import UTC, datetime

import yaml

from inbox.classify import Facts, MessageFacts, classify
from inbox.classify.gist import gist
from inbox.classify.reading import read_text
from inbox.classify.rules import RULES_FILE, load_rules
from inbox.languages import language, languages
from inbox.reasons.rules import ACTIONS, KINDS, OPTIONS
from tests.cases import in_one_test

NEVER_SAID = (
    "you should",
    "don't forget",
    "do not forget",
    "you haven't",
    "you're behind",
    "you must",
)
TYPES = {"request", "information", "action_required", "fyi", "event"}
HOSTILE = [
    "a" * 100_000,
    "please " * 30_000,
    "could you " * 20_000,
    "let " + "a " * 50_000 + "know",
    "?" * 100_000,
    "http://" * 20_000,
    "[image:" * 20_000,
    "1," * 50_000 + " EUR",
    "€" * 100_000,
    "(" * 50_000 + ")" * 50_000,
    "v.i.a.g.r." * 10_000,
    "請求書" * 30_000,
    "\u0661\u0662\u0663" * 10_000,
    "وال" * 30_000,
    "\x00\ufffd\u202e" * 10_000,
    "by the end of " * 10_000,
    "\n" * 100_000,
    "A B C D E " * 10_000,
    "- " * 50_000,
    "x\u0301" * 50_000,
]  # fmt: skip


def every_template() -> list[str]:
    return [*ACTIONS.values(), *OPTIONS.values(), *KINDS.values()]


@in_one_test("words", every_template())
def test_no_template_orders_a_person_about(words):
    assert not any(never in words.lower() for never in NEVER_SAID)


def test_kinds_are_well_made():
    kinds = load_rules().kinds
    assert len({kind.name for kind in kinds}) == len(kinds)
    for kind in kinds:
        assert kind.activity_type in TYPES
        assert 1 <= len(kind.actions) <= 3
        assert (kind.name in OPTIONS) == (kind.tier >= 3), kind.name
    assert kinds[-1].when == ({},)


def test_subjects_that_kinds_ask_for_are_added_by_a_signal():
    rules = load_rules()
    added = {subject for signal in rules.signals.values() for subject in signal.adds}
    asked = {
        subject for kind in rules.kinds for sums in (*kind.when, *kind.unless) for subject in sums
    }
    assert asked - {"asking"} <= added


@in_one_test(
    "signal",
    ["please", "asks_you", "question_words", "let_me_know", "promises", "proposes_meeting",
     "meeting_words", "deadline", "no_hurry", "urgent", "angry", "unhappy", "legal", "outage",
     "refund", "security", "invoice", "receipt", "newsletter", "away", "bank_change",
     "credentials", "instructs_ai", "family", "thanks"],
)  # fmt: skip
def test_the_signal_is_read_in_the_languages_of_the_demo(signal):
    reading = {it.code for it in languages() if it.classify.signals.get(signal)}
    assert {"en", "de", "ja", "ar"} <= reading


def test_every_signal_of_the_rules_has_words_in_english_and_no_other_has_any():
    page = yaml.load(RULES_FILE.read_text("utf-8"), yaml.BaseLoader)
    assert set(language("en").classify.signals) == set(page["signals"])


@in_one_test("text", HOSTILE)
def test_hostile_text_is_classified_like_any_other(text):
    message = MessageFacts(html_text=text, headers={"precedence": text[:500]})
    found = classify(
        Facts(title=text, content=text, sender_email=text, sender_name=text, message=message)
    )
    assert found.activity_type in TYPES
    assert len(found.reasoning) < 2_000
    assert all(len(action) < 300 for action in found.suggested_actions)


def test_equal_facts_give_equal_answers():
    letters = random.Random(7)
    for _ in range(50):
        text = "".join(letters.choices(string.printable + "あ請求ع ", k=300))
        facts = Facts(title=text[:40], content=text, sender_email="a@b.example")
        assert classify(facts) == classify(facts)


def test_the_name_of_the_sender_cannot_fill_in_a_template():
    found = classify(Facts(content="Could you call me?", sender_name="{what} {when}"))
    assert found.option_framing.startswith("{what} {when} asks: “Could you call me?”.")


def test_what_is_quoted_in_options_is_one_short_line():
    found = classify(Facts(content="Could you " + "very " * 200 + "\nkindly call me?"))
    assert "\n" not in found.option_framing
    assert len(found.option_framing) < 400


def test_a_machine_that_asks_for_nothing_is_silent():
    found = classify(Facts(title="Job done", content="ok", sender_email="noreply@x.example"))
    assert found.autonomy_tier == 1


def test_more_signs_make_it_surer():
    weak = classify(Facts(content="The table?"))
    strong = classify(Facts(content="Could you please send me the table's price by Friday?"))
    assert weak.confidence < strong.confidence < 1


def test_failed_authentication_makes_it_less_sure():
    text = Facts(content="Could you come on Sunday?", message=MessageFacts(sent=1))
    failed = MessageFacts(sent=1, authentication="fail", authentication_results={"spf": "fail"})
    forged = Facts(content=text.content, message=failed)
    assert classify(forged).confidence < classify(text).confidence
    assert "authentication failed (spf)" in classify(forged).reasoning


def test_a_start_is_an_event():
    found = classify(Facts(title="Drawings", starts_at=datetime(2026, 3, 2, 9, tzinfo=UTC)))
    assert found.activity_type == "event"


def test_only_the_beginning_and_the_last_lines_are_looked_at():
    text = "word. " * 5_000 + "This is unacceptable. " + "word. " * 5_000 + "Unsubscribe here."
    found = read_text(text).found
    assert "unsubscribe" in found
    assert "angry" not in found


@in_one_test(
    ("title", "content", "line"),
    [
        ("Oak", "Hello Tom,\n\nthe oak is here. Come and see.", "the oak is here."),
        ("Oak", "Sehr geehrte Damen und Herren,\n\ndie Eiche ist da.", "die Eiche ist da."),
        ("Oak", "佐藤様\n\nお世話になっております。\n\n木材が届きました。", "木材が届きました。"),
        ("Oak", "السلام عليكم\n\nوصل الخشب اليوم.", "وصل الخشب اليوم."),
        ("Oak", "Imogen,\n\nThe oak is here.", "The oak is here."),
        ("Oak", "[image: logo]\n\n", "Oak"),
        ("Oak", "", "Oak"),
        ("", "", ""),
    ],
)
def test_the_gist_is_the_first_sentence_that_says_something(title, content, line):
    assert gist(title, content) == line


def test_the_gist_is_cut_at_a_word():
    line = gist("", "The oak " + "stands " * 60)
    assert len(line) <= 160
    assert line.endswith("stands…")


def test_few_words_of_which_it_is_unsure_whether_they_ask_are_not_put_in_quarantine():
    for title in (
        "Conference call to discuss the roll-out",
        "Call to discuss budget",
        "The slides",
    ):
        judged = classify(
            Facts(title, "calendar", "ada@office.example", "Ada", message=MessageFacts())
        )
        assert judged.confidence >= 0.5, title
