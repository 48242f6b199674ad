"""A thread told by a model: sentences that quote a message, and none of them with other figures."""

import pytest

from agents.consulting.sentences import has_its_facts
from agents.consulting.summarising import read_summary
from agents.resources.mail.threads import OneThread, read_thread_summary
from inbox.background import jobs
from inbox.compose.summary import LONGEST
from inbox.language_model.errors import ModelError
from inbox.language_model.prompts import Passage
from inbox.models import ModelAnswer, ModelSetting
from tests import factories

TEXT = "Can you send 12 lamps by 3 May? Pay at https://pay.odd.example or ask eve@odd.example."
PASSAGES = [Passage("S1", TEXT, "stranger", "message", "msg_1")]


def sentence(text, quote="Can you send 12 lamps by 3 May?", source="S1"):
    return {"text": text, "source": source, "quote": quote}


GOOD = sentence("She asks for 12 lamps by 3 May.")


@pytest.mark.parametrize(
    ("text", "sources", "is_so"),
    [
        ("It is 12.", "12 lamps", True), ("It is 12.", "No 4712", False),
        ("It is 12.", "12.50 EUR", False), ("It is 50.", "12,50", False),
        ("It is 12,50.", "12,50 EUR", True), ("It is A-12.", "A-12/B", True),
        ("It is “12”.", "«12»", True), ("It is so.", "", True), ("On 3.5.2026.", "3.5.2026", True),
    ],
)  # fmt: skip
def test_a_number_has_to_stand_there_whole(text, sources, is_so):
    assert has_its_facts(text, sources, "") is is_so


@pytest.mark.parametrize(
    "row",
    [
        sentence("She asks for 13 lamps."), sentence("It is settled.", "All is settled."),
        sentence("It is settled.", source="S2"), sentence("It is settled.", ""), sentence(""),
        sentence("Pay at https://pay.odd.example now."), sentence("Ask eve@odd.example."), {},
        sentence("So " * 300), sentence(7),
    ],
)  # fmt: skip
def test_a_sentence_that_rests_on_nothing_or_leads_somewhere_is_left_out(row):
    assert read_summary({"sentences": [GOOD, row]}, PASSAGES) == ([GOOD["text"]], 1)


def test_an_answer_without_sentences_is_none():
    with pytest.raises(ModelError, match="garbled"):
        read_summary({}, PASSAGES)


@pytest.fixture
def asked(inbox):
    return factories.make_message(inbox, text=TEXT, subject="Lamps")


@pytest.fixture
def told(actor, asked):
    """Read the summary, as an agent does."""
    return lambda: read_thread_summary(actor, OneThread(thread_id=asked.thread.public_id)).summary


@pytest.mark.django_db
def test_rules_tell_it_first_and_the_model_from_then_on(workspace, machine, told, asked):
    by_rules = told()
    ModelSetting.objects.create(workspace=workspace, tasks=["summarise"])
    machine.says({"sentences": [GOOD, sentence("She offers 10 % more."), GOOD]})
    assert told() == by_rules
    jobs.run_due()
    begins, _, rest = told().partition("). ")
    assert begins.startswith("Lamps (1 message, ")
    assert rest == f"{GOOD['text']} {GOOD['text']}"
    kept = ModelAnswer.objects.get()
    assert (kept.about, kept.used, kept.dropped) == (asked.thread.public_id, 2, 1)
    (question,) = machine.asked
    assert [it["origin"] for it in question.document["texts"]] == ["stranger"]


@pytest.mark.django_db
def test_a_long_one_ends_with_a_whole_sentence(workspace, machine, told):
    ModelSetting.objects.create(workspace=workspace, tasks=["summarise"])
    long = sentence("She says again and again " + "that it is urgent, " * 12 + "and waits.")
    machine.says({"sentences": [long] * 6})
    told()
    jobs.run_due()
    assert len(told()) <= LONGEST
    assert told().endswith("and waits.")


@pytest.mark.django_db
@pytest.mark.parametrize("answer", ["nonsense", '{"sentences": []}', '{"sentences": 5}'])
def test_where_it_fails_rules_tell_it(workspace, machine, told, answer):
    ModelSetting.objects.create(workspace=workspace, tasks=["summarise"])
    machine.says(answer)
    by_rules = told()
    jobs.run_due()
    assert told() == by_rules
    jobs.run_due()
    assert len(machine.asked) == 1
