"""The port: who is asked, and how far an answer may go."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from inbox.classify import Facts, judge
from inbox.classify.facts import Triage
from inbox.models import Correction, Inbox, Message, Taxonomy
from inbox.operations.activities.activities import classify_messages
from inbox.operations.activities.answers import heed_answer
from inbox.operations.activities.understanding import DEFAULTS
from inbox.reasons import say
from inbox.understanding import (
    Answer,
    JudgeQuestion,
    TriageQuestion,
    Understanding,
    Verdict,
    register_backend,
    understanding_of,
)
from inbox.understanding.backends import _MAKERS
from inbox.understanding.rules import RulesBackend
from tests.factories import make_message

ASKS = Facts(title="Offer", content="Could you send me the offer by Friday?")
FISHES = Facts(
    title="Your account is suspended",
    content="Verify your password at http://1.2.3.4/login or your account will be closed.",
    sender_email="security@paypa1-help.example", sender_name="PayPal",
)  # fmt: skip
LESS = Verdict(1, "low", "fyi", because=say("sign.none"))
MORE = Verdict(4, "high", "action_required")
SPAM = Verdict(1, "low", "fyi", unwanted="spam")
PROVEN = {"dkim": "pass", "dkim.header.d": "shop.example"}


@dataclass
class Backend:
    """A backend that says what it is told to, and nothing else."""

    verdict: Verdict | None = None
    intent: Triage | None = None
    name: str = "other"

    def judge(self, question: JudgeQuestion) -> Answer[Verdict] | None:
        return Answer(self.verdict, 0.9, "other:1") if self.verdict else None

    def triage(self, question: TriageQuestion) -> Answer[Triage] | None:
        return Answer(self.intent, 0.8, "other:1") if self.intent else None

    def extract(self, *_: Any) -> None:
        return None

    def draft(self, _: Any) -> None:
        return None

    def embed(self, text: str) -> Answer[tuple[float, ...]]:
        return Answer((float(len(text)),), 1.0, "other:1")


@pytest.fixture
def other(settings):
    """A backend that is asked before the rules."""
    backend = Backend()
    settings.UNDERSTANDING = ("other", "rules")
    register_backend("other", lambda keys: dict.fromkeys(keys, backend))
    yield backend
    del _MAKERS["other"]


def letter(**fields: Any) -> Message:
    known = {"from_email": "news@shop.example", "authentication_results": PROVEN}
    return Message(**known | {"authentication": "pass"} | fields)


def correct(inbox: Inbox, **says: Any) -> Correction:
    return Correction.objects.create(
        workspace=inbox.workspace, scope="domain", value="shop.example", created_by_name="Ada",
        **says,
    )  # fmt: skip


def heeded(facts: Facts, verdict: Verdict, message: Message | None, *, imitates: bool = False):
    return heed_answer(judge(facts), Answer(verdict, 0.9, "other:1"), message, imitates=imitates)


def test_the_rules_answer_what_others_decline():
    answer = Understanding([Backend(), RulesBackend()]).judge(JudgeQuestion(ASKS, judge(ASKS)))
    assert (answer.by, answer.value.tier) == ("rules", 3)
    assert answer.confidence == judge(ASKS).classification.confidence
    passages = {span.excerpt: span for span in answer.evidence}
    assert passages["by Friday"].part == "text"
    start, end = passages["by Friday"].start, passages["by Friday"].end
    assert ASKS.content[start:end] == "by Friday"


def test_the_first_that_answers_is_taken():
    both = Understanding([Backend(), Backend(MORE), Backend(LESS)])
    answer = both.judge(JudgeQuestion(ASKS, judge(ASKS)))
    assert (answer.by, answer.value) == ("other:1", MORE)


def test_phishing_by_the_rules_is_guarded_and_unwanted():
    verdict = Understanding([RulesBackend()]).judge(JudgeQuestion(FISHES, judge(FISHES))).value
    assert (verdict.unwanted, verdict.guarded) == ("phishing", True)


def test_triage_and_meaning_go_by_the_same_order():
    taxonomy = Taxonomy(source=(DEFAULTS / "taxonomy.yaml").read_text(encoding="utf-8"))
    message = letter(subject="Offer", new_text="Could you send me the offer?")
    rules = Understanding([RulesBackend()]).triage(message, taxonomy)
    assert rules.by == "rules"
    told = Triage("mine", "low", "neutral", 0.8, "desk")
    assert Understanding([Backend(intent=told)]).triage(message, taxonomy).value == told
    assert Understanding([RulesBackend()]).embed("four") is None
    place = Understanding([Backend()]).embed("four")
    assert place is not None
    assert place.value == (4.0,)


def test_more_attention_is_let_for_whoever_wrote():
    heed = heeded(ASKS, MORE, None)
    assert heed.by == "other:1"
    assert heed.judgement.classification.autonomy_tier == 4


def test_less_attention_takes_proof_of_the_sender():
    for message, imitates, why in (
        (None, False, "nothing proves who sent it"),
        (letter(authentication_results={}, authentication="none"), False, "nothing proves that"),
        (letter(authentication="fail"), False, "could not confirm"),
        (letter(anomalies=["many_from"]), False, "imitating"),
        (letter(), True, "imitating"),
    ):
        heed = heeded(ASKS, LESS, message, imitates=imitates)
        assert why in heed.why
        assert heed.judgement == judge(ASKS)
    heed = heeded(ASKS, LESS, letter())
    assert (heed.why, heed.judgement.classification.autonomy_tier) == ("", 1)
    assert heed.judgement.classification.option_framing is None
    assert heed.judgement.classification.reasoning.startswith(str(LESS.because))


def test_nothing_makes_less_of_what_is_guarded():
    for verdict in (LESS, MORE, Verdict(2, "normal", "information")):
        heed = heeded(FISHES, verdict, letter())
        assert heed.judgement.classification == judge(FISHES).classification
        assert heed.why == "it may be meant to deceive"


def test_what_is_unwanted_is_put_in_quarantine_and_stays_guarded():
    heed = heeded(ASKS, SPAM, None)
    assert heed.judgement.classification.confidence < 0.5
    assert heeded(FISHES, SPAM, None).judgement.is_guarded


@pytest.mark.django_db
def test_a_correction_makes_nothing_less_of_what_an_answer_guards(inbox, other):
    correct(inbox, route="note")
    proven = {"authentication": "pass", "authentication_results": PROVEN}
    fields = {"sender": "news@shop.example", "text": "Could you send me the offer?"} | proven
    for verdict, status in (
        (None, "processed"),
        (SPAM, "processed"),
        (Verdict(1, "low", "fyi", unwanted="phishing", guarded=True), "quarantined"),
    ):
        other.verdict = verdict
        (one,) = classify_messages([make_message(inbox, **fields).pk])
        assert one.activity.status == status


@pytest.mark.django_db
def test_what_came_in_is_judged_by_whom_settings_name(inbox, other):
    other.verdict = MORE
    (one,) = classify_messages([make_message(inbox, text="Thanks, all is well.").pk])
    assert (one.activity.status, one.activity.autonomy_tier) == ("surfaced", 4)
    other.verdict = None
    (one,) = classify_messages([make_message(inbox, text="Thanks, all is well.").pk])
    assert one.activity.status == "processed"


def test_settings_that_name_nobody_are_refused(settings):
    settings.UNDERSTANDING = ("elsewhere", "rules")
    with pytest.raises(ImproperlyConfigured, match="elsewhere"):
        understanding_of(1)


def test_a_name_is_taken_once(other):
    for name in ("other", "rules"):
        with pytest.raises(ValueError, match="two backends"):
            register_backend(name, lambda _: {})
    assert understanding_of(1).backends[0] is other
    with pytest.raises(LookupError, match="judge"):
        Understanding([other]).judge(JudgeQuestion(ASKS, judge(ASKS)))
