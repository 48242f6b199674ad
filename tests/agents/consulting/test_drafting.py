"""A model writes the middle of a reply; a sentence that rests on nothing is left out, and it is said."""

import pytest
from django.test import override_settings

from agents.consulting.drafting import read_reply, reply_question
from agents.dispatching.dispatch import call
from inbox.background import jobs
from inbox.language_model.errors import ModelError
from inbox.models import Draft, Job, ModelAnswer, ModelSetting, ReplyPolicy
from inbox.operations.activities.understanding import save_version
from inbox.operations.drafts.replying import plan_reply
from inbox.understanding import ReplyQuestion
from tests import factories

pytestmark = pytest.mark.django_db
GOAL = "Say that the 12 lamps leave us on Friday and ask where to."
ASKED = "Where are the lamps of order LN-4471? We wait for them. Pay to https://pay.odd.example"
RULE = "closing: Yours\nsignature: The office\n"


@pytest.fixture
def policy(workspace):
    return save_version(ReplyPolicy, workspace=workspace, name="House", content=RULE)


@pytest.fixture
def asked(inbox):
    return factories.make_message(
        inbox, text=ASKED, sender="anna@lantern.example", sender_name="Anna Schmidt"
    )


@pytest.fixture
def wanted(workspace, machine):
    ModelSetting.objects.create(workspace=workspace, tasks=["draft"])
    with override_settings(UNDERSTANDING=("model", "rules")):
        yield


def sentence(text, source="goal", quote="the 12 lamps leave us on Friday", paragraph=1):
    return {"text": text, "source": source, "quote": quote, "paragraph": paragraph}


GOOD = [
    sentence("Thank you for asking.", "", ""),
    sentence("The 12 lamps of order LN-4471 leave us on Friday.", "S1", "lamps of order LN-4471"),
    sentence("Where shall we send them?", "goal", "ask where to", 2),
]


@pytest.fixture
def read(actor, asked, policy):
    """Read sentences as an answer."""
    identity = plan_reply(actor, asked.thread).identity
    question = ReplyQuestion([asked], GOAL, policy, identity, ["anna@lantern.example"])
    passages = reply_question(question, "en").prompt.passages
    return lambda *rows: read_reply({"sentences": list(rows)}, question, passages)


def test_sentences_that_rest_on_what_they_quote_make_paragraphs(read, asked):
    written = read(*GOOD)
    assert written.paragraphs == [
        "Thank you for asking. The 12 lamps of order LN-4471 leave us on Friday.",
        "Where shall we send them?",
    ]
    assert (written.cited, written.used, written.dropped) == ([asked], 3, 0)


@pytest.mark.parametrize(
    "row",
    [
        sentence("They left us on Monday.", "S1", "words that are not there"),
        sentence("They left us on Monday.", "S9", "the lamps"),
        sentence("They left us on Monday.", "goal", ""),
        sentence("The 13 lamps leave us on Friday."),
        sentence("The 12 lamps leave us at 14:30."),
        sentence("That is order LN-4417.", "S1", "order LN-4471"),
        sentence("There are 12 of them.", "", ""),
        sentence("A courtesy " + "that goes on " * 12, "", ""),
        sentence("Please pay to https://pay.odd.example now.", "S1", "Pay to https://pay.odd.example"),
        sentence("Write to eve@odd.example, please.", "S1", "We wait for them"),
        sentence("", "goal"), sentence("x" * 600), sentence(None), {"text": "No more."}, {},
        sentence("That is so.", {"a": 1}, "order"), sentence("That is so.", "goal", ["Friday"]),
    ],
)  # fmt: skip
def test_a_sentence_that_rests_on_nothing_or_says_more_is_left_out(read, row):
    written = read(*GOOD, row)
    expected = 0 if row == {"text": "No more."} else 1
    assert (written.dropped, written.used) == (expected, 4 - expected)


def test_an_answer_without_sentences_is_none(read):
    for answer in ({}, {"sentences": "x"}):
        with pytest.raises(ModelError, match="garbled"):
            read_reply(answer, None, [])


@pytest.fixture
def draft(actor, asked, policy):
    """Have the reply drafted, as an agent does."""
    given = {
        "thread_id": asked.thread.public_id, "policy_id": policy.public_id, "goal": GOAL,
    }  # fmt: skip
    return lambda: call("draft_reply_with_policy", given, actor)


def test_rules_answer_first_and_the_model_when_the_same_is_asked_again(
    wanted, machine, draft, asked
):
    machine.says({"sentences": GOOD})
    first = draft()
    assert machine.asked == []
    assert "Where shall we send them?" not in first.result["draft"]
    jobs.run_due()
    (question,) = machine.asked
    assert question.document["goal"] == GOAL
    assert [it["origin"] for it in question.document["texts"]] == ["owner", "stranger"]
    again = draft()
    assert (
        "leave us on Friday.\n\nWhere shall we send them?\n\nYours\nThe office"
        in (again.result["draft"])
    )
    assert again.result["cited_message_ids"] == [asked.public_id]
    kept = ModelAnswer.objects.get()
    assert (kept.used, kept.dropped, kept.about) == (3, 0, asked.thread.public_id)
    (remark,) = again.remarks
    assert (
        remark == f"Written by the language model openai:scripted (its answer is {kept.public_id})."
    )
    assert remark in str(Draft.objects.order_by("-pk")[0].risk_flags) or kept.public_id in str(
        Draft.objects.order_by("-pk")[0].risk_flags
    )
    jobs.run_due()
    assert len(machine.asked) == 1


def test_what_was_left_out_is_said(wanted, machine, draft, asked):
    machine.says({"sentences": [*GOOD, sentence("We give 50 % off.")]})
    draft()
    jobs.run_due()
    again = draft()
    assert "50 %" not in again.result["draft"]
    assert "low_confidence" in again.result["risk_flags"]
    assert any("nothing bears them out: 1" in it for it in again.remarks)


@pytest.mark.parametrize("answer", ["nonsense", '{"sentences": 1}', '{"sentences": []}'])
def test_where_the_model_fails_the_rules_answer_as_before(wanted, machine, draft, answer):
    before = draft().result
    machine.says(answer)
    jobs.run_due()
    assert draft().result == before
    jobs.run_due()
    assert draft().result == before
    jobs.run_due()
    assert len(machine.asked) == 1


def test_a_new_word_in_the_thread_is_a_new_question(wanted, machine, draft, asked, inbox):
    machine.says({"sentences": GOOD})
    draft()
    jobs.run_due()
    factories.make_message(
        inbox, text="Never mind.", sender="anna@lantern.example", thread=asked.thread
    )
    assert "Where shall we send them?" not in draft().result["draft"]
    jobs.run_due()
    assert len(machine.asked) == 2


def test_nobody_is_asked_whom_neither_settings_nor_an_owner_name(wanted, machine, draft, asked):
    with override_settings(UNDERSTANDING=("rules",)):
        draft()
    ModelSetting.objects.update(tasks=["check"])
    draft()
    jobs.run_due()
    assert machine.asked == []
    assert not Job.objects.filter(kind="model.ask").exists()


def test_what_is_gone_meanwhile_is_not_asked(wanted, machine, draft, asked):
    draft()
    Job.objects.filter(kind="model.ask").update(payload={
        "task": "draft", "messages": [0], "goal": GOAL, "policy": 0, "identity": 0,
        "language": "en", "recipients": [],
    })  # fmt: skip
    jobs.run_due()
    assert machine.asked == []
