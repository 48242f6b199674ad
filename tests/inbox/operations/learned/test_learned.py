"""Learning from what people decide: watched, turned on by a person, off by itself, guarded."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.contracts import REGISTRY
from inbox.classify import Facts, judge
from inbox.errors import DomainError
from inbox.learning.features import words_of
from inbox.learning.training import FORMAT, Classifier, Decision, learn
from inbox.models import (
    Activity,
    Correction,
    CorrectionOffer,
    Job,
    LearnedModel,
    LearnedOpinion,
    Mailbox,
    MessageMailbox,
    Taxonomy,
)
from inbox.operations.activities.activities import update_activities
from inbox.operations.activities.corrections import take_offer
from inbox.operations.activities.history import undo_change
from inbox.operations.learned.backend import judge_by, learned_backends
from inbox.operations.learned.decisions import label_of, read_decisions, read_filings
from inbox.operations.learned.offers import dismiss_offer, offer_corrections
from inbox.operations.learned.switching import switch_off, switch_on, turn_off_what_got_worse
from inbox.operations.learned.training import intents_of, train_where_decided, train_workspace
from inbox.understanding import JudgeQuestion, understanding_of, understanding_of_each
from tests import factories
from tests.factories import activities_from_messages, agent_actor, make_agent, make_message

pytestmark = pytest.mark.django_db

GOODS = ("watches", "pills", "loans", "casino chips", "vouchers", "miracle creams")
THINGS = ("report", "contract", "schedule", "floor plan", "budget", "draft")
PITCH = "Could you afford to miss these {}? Order {} today, the stock of our warehouse is limited."
ASKED = "Could you please send me the {} and the {} of the harbour project by Friday?"
DIGEST = "Could you please look at our circular of gardening on {}, with roses and a {} of seeds?"
PROVEN = {"authentication": "pass"}


def proven(sender: str) -> dict[str, Any]:
    domain = sender.rpartition("@")[2]
    return PROVEN | {"authentication_results": {"dkim": "pass", "dkim.header.d": domain}}


def came(inbox, text: str, sender: str, **fields: Any) -> Activity:
    """The activity that a message becomes."""
    message = make_message(inbox, text=text, sender=sender, sender_name="", **fields)
    (made,) = activities_from_messages([message.pk])
    return made


def decided(inbox, actor) -> None:
    """Eighteen decisions of each kind by a person, of as many senders."""
    kinds = (
        ("quarantined", "sale", PITCH, GOODS), ("surfaced", "work", ASKED, THINGS),
        ("archived", "club", DIGEST, THINGS),
    )  # fmt: skip
    for status, name, text, words in kinds:
        for at in range(18):
            pair = words[at % 6], words[at // 6]
            sender = f"{name}@{name}{at}.example"
            made = came(inbox, text.format(*pair), sender, subject="", **proven(sender))
            update_activities(actor=actor, activities=[made], status=status)


@pytest.fixture(scope="module")
def made_once(make_once):
    def make() -> dict[str, Any]:
        workspace = factories.make_workspace("lantern")
        inbox = factories.make_inbox(workspace, "office@lantern.example")
        by = factories.make_person_user(workspace, name="rhea")
        actor = factories.person_actor(by)
        decided(inbox, actor)
        train_workspace({"workspace_id": workspace.pk})
        model = LearnedModel.objects.get()
        return {"workspace": workspace, "inbox": inbox, "by": by, "person": actor, "model": model}

    return make_once(make)


@pytest.fixture
def by(own_rows):
    return own_rows["by"]


@pytest.fixture
def person(own_rows):
    return own_rows["person"]


@pytest.fixture
def model(own_rows):
    return own_rows["model"]


@pytest.fixture
def on(model, by):
    switch_on(model=model, by=by)
    return model


SALE = PITCH.format("watches", "vouchers")
FISHES = "Verify your password at http://192.0.2.7/login or your account will be closed."
NEWS = DIGEST.format("tulips", "budget")


# -- what is learned from --------------------------------------------------------------------------
def test_a_version_is_trained_from_decisions_and_watched_first(model):
    assert (model.version, model.state, model.about) == (1, "shadow", "judge")
    assert model.figures["decisions"] == {"aside": 18, "unwanted": 18, "wanted": 18}
    assert model.figures["accuracy"] > 0.9
    assert model.figures["measured_on"] == 54
    assert sum(count for count, _, _ in model.figures["bins"]) == 54


def test_what_a_change_says_of_an_item():
    for before, after, label in (
        ("needs_review", "quarantined", "unwanted"), ("quarantined", "archived", "unwanted"),
        ("needs_review", "archived", "aside"), ("quarantined", "processed", "aside"),
        ("needs_review", "processed", "wanted"), ("quarantined", "surfaced", "wanted"),
        ("needs_review", "pending", ""),
    ):  # fmt: skip
        assert label_of({"status": before}, {"status": after}) == label
    assert label_of({"urgency": "low"}, {"urgency": "high"}) == ""


def test_agents_teach_nothing_and_neither_does_what_was_undone(workspace, inbox, person):
    before = len(read_decisions(workspace.pk))
    clerk = agent_actor(make_agent(workspace, "Clerk", (inbox,)))
    for actor in (clerk, person):
        made = came(inbox, SALE, "sale@more.example")
        update_activities(actor=actor, activities=[made], status="quarantined")
    assert len(read_decisions(workspace.pk)) == before + 1
    undo_change(actor=person, change=made.changes.get())
    assert len(read_decisions(workspace.pk)) == before


def test_junk_and_answers_are_decisions_too(workspace, inbox):
    before = [one.label for one in read_decisions(workspace.pk)]
    junk = Mailbox.objects.get(inbox=inbox, role="junk")
    spam = make_message(inbox, text=SALE, sender="sale@junk.example")
    MessageMailbox.objects.create(message=spam, mailbox=junk)
    asked = came(inbox, ASKED, "work@more.example").message
    make_message(
        inbox, thread=asked.thread, sender=inbox.address, direction="outbound",
        to=[{"email": asked.from_email}],
    )  # fmt: skip
    after = [one.label for one in read_decisions(workspace.pk)]
    assert sorted(after) == sorted([*before, "unwanted", "wanted"])


def test_a_day_with_many_decisions_is_learned_from_by_itself(workspace):
    assert train_where_decided() == 1
    assert train_where_decided() == 1
    assert Job.objects.filter(kind="learned.train", workspace_id=workspace.pk).count() == 1


# -- watched, and turned on ------------------------------------------------------------------------
def test_a_watched_version_changes_nothing_and_its_differences_are_kept(inbox, model):
    made = came(inbox, SALE, "sale@more.example")
    assert made.status == "needs_review"
    opinion = LearnedOpinion.objects.get()
    assert (opinion.said, opinion.by_rules, opinion.would, opinion.was_followed) == (
        "unwanted", "needs_review", "quarantined", False,
    )  # fmt: skip
    assert opinion.confidence >= 0.9
    assert any(name.startswith(("w/", "b/")) for name, _ in opinion.weights)
    assert learned_backends([made.workspace_id]) == {}


def test_a_version_that_is_on_is_followed_and_says_why(inbox, on):
    made = came(inbox, SALE, "sale@more.example")
    assert made.status == "quarantined"
    assert made.reasoning.startswith("Learned from decisions (version 1): people put mail like")
    assert "“" in made.reasoning
    assert LearnedOpinion.objects.get().was_followed


def test_the_version_that_is_followed_is_asked_once_of_a_message(inbox, on, monkeypatch):
    asked = []
    best = Classifier.best

    def count(self, features):
        asked.append(len(features))
        return best(self, features)

    monkeypatch.setattr(Classifier, "best", count)
    assert came(inbox, SALE, "sale@more.example").status == "quarantined"
    assert LearnedOpinion.objects.get().was_followed
    assert len(asked) == 1


def test_who_is_asked_is_read_with_as_many_queries_for_one_workspace_as_for_three(workspace, on):
    others = [factories.make_workspace(name).pk for name in ("quay", "mill")]
    with CaptureQueriesContext(connection) as one:
        understanding_of_each([workspace.pk])
    with CaptureQueriesContext(connection) as three:
        each = understanding_of_each([workspace.pk, *others])
    assert len(one) == len(three) == 1
    assert [len(each[key].backends) for key in (workspace.pk, *others)] == [2, 1, 1]


def test_no_tool_turns_a_version_on():
    """Agents have no way to it: nothing that they can call names what is learned."""
    assert [tool.name for tool in REGISTRY if "learn" in tool.name] == []


def test_a_version_goes_on_in_place_of_another_and_off_again(workspace, by, model):
    switch_on(model=model, by=by)
    with pytest.raises(DomainError, match="already on"):
        switch_on(model=model, by=by)
    train_workspace({"workspace_id": workspace.pk})
    newer = LearnedModel.objects.get(version=2)
    assert newer.state == "shadow"
    switch_on(model=newer, by=by)
    states = dict(LearnedModel.objects.values_list("version", "state"))
    assert states == {1: "off", 2: "on"}
    newer.refresh_from_db()
    assert newer.switched_by_name == "rhea"
    assert switch_off(model=newer, by=by)
    assert not switch_off(model=newer, by=by)
    assert LearnedModel.objects.get(version=2).state == "shadow"


# -- what it may not -------------------------------------------------------------------------------
def test_less_attention_takes_a_proven_sender(inbox, on):
    forged = came(inbox, NEWS, "club@more.example")
    assert forged.status == "needs_review"
    shown = came(inbox, NEWS, "club@more.example", **proven("club@more.example"))
    assert shown.status == "processed"


def test_guarded_mail_stays_where_the_rules_put_it(inbox, on):
    text = f"{NEWS} {FISHES}"
    made = came(inbox, text, "club@more.example", **proven("club@more.example"))
    assert made.status == "quarantined"


def test_of_what_is_guarded_it_says_nothing(model):
    def said(text: str) -> object:
        facts = Facts(content=text, sender_email="sale@more.example")
        return judge_by(model, JudgeQuestion(facts, judge(facts)))

    assert said(SALE) is not None
    assert said(f"{SALE} {FISHES}") is None


def test_whom_we_wrote_to_is_not_put_away_by_what_others_wrote(workspace, inbox, on):
    factories.make_person(workspace, "sale@friend.example", sent_count=1)
    assert came(inbox, SALE, "sale@friend.example").status == "needs_review"


def test_a_correction_goes_before_what_was_learned(workspace, inbox, on):
    Correction.objects.create(
        workspace=workspace, scope="sender", value="sale@more.example", route="surface",
        created_by_name="rhea",
    )  # fmt: skip
    fields = proven("sale@more.example")
    made = came(inbox, SALE, "sale@more.example", **fields)
    assert made.status == "surfaced"
    assert not LearnedOpinion.objects.get().was_followed


# -- off by itself ---------------------------------------------------------------------------------
def test_it_goes_off_by_itself_where_people_decide_otherwise(inbox, on, person):
    made = [came(inbox, SALE, f"sale@again{n}.example") for n in range(10)]
    assert {one.status for one in made} == {"quarantined"}
    assert turn_off_what_got_worse() == 0
    update_activities(actor=person, activities=made[:3], status="surfaced")
    assert turn_off_what_got_worse() == 0
    update_activities(actor=person, activities=made[3:], status="archived")
    assert turn_off_what_got_worse() == 1
    on.refresh_from_db()
    assert (on.state, on.switched_by_name) == ("off", "")
    assert on.reason == "Of 10 items that it moved and people decided, they decided 3 otherwise."
    note = Activity.objects.get(source="note")
    assert note.status == "surfaced"
    assert "turned itself off" in note.reasoning
    assert came(inbox, SALE, "sale@later.example").status == "needs_review"
    assert turn_off_what_got_worse() == 0


def test_it_stays_on_where_people_agree(inbox, on, person):
    made = [came(inbox, SALE, f"sale@again{n}.example") for n in range(10)]
    update_activities(actor=person, activities=made, status="archived")
    assert turn_off_what_got_worse() == 0


# -- intents ---------------------------------------------------------------------------------------
TAXONOMY = """
intents:
  - {name: Roses, route: garden, phrases: [rose]}
  - {name: Boats, route: quay, phrases: [boat]}
default: {intent: other, route: office}
"""
GREEN = "The thorns of the {} want pruning, and the soil is dry in the {} bed."
BLUE = "The mast of the {} is cracked, and the anchor of the {} ship is lost."


@pytest.fixture
def filed(workspace, inbox):
    """A taxonomy of two intents, and thirty messages of each that somebody filed by them."""
    taxonomy = Taxonomy.objects.create(workspace=workspace, name="Ours", source=TAXONOMY)
    boxes = [
        Mailbox.objects.create(workspace=workspace, inbox=inbox, name=n) for n in ("Roses", "quay")
    ]
    for at in range(60):
        text, words = (GREEN, "big old red") if at % 2 else (BLUE, "grey tall small")
        one, other = words.split()[at % 3], words.split()[at // 20]
        message = make_message(
            inbox, subject="", text=text.format(one, other), sender=f"a@h{at}.example"
        )
        MessageMailbox.objects.create(message=message, mailbox=boxes[0 if at % 2 else 1])
    train_workspace({"workspace_id": workspace.pk})
    return taxonomy


def test_intents_are_learned_from_where_people_filed(workspace, inbox, filed, by):
    model = LearnedModel.objects.get(taxonomy=filed)
    assert model.figures["decisions"] == {"Boats": 30, "Roses": 30}
    message = make_message(inbox, subject="", text="The soil is dry, the thorns need pruning.")
    assert understanding_of(workspace.pk).triage(message, filed).by == "rules"
    switch_on(model=model, by=by)
    answer = understanding_of(workspace.pk).triage(message, filed)
    assert (answer.by, answer.value.intent, answer.value.suggested_route) == (
        "learned:1",
        "Roses",
        "garden",
    )
    words = {span.excerpt for span in answer.evidence}
    assert words & {"thorns", "soil", "pruning", "dry", "soil is", "is dry"}
    Taxonomy.objects.filter(pk=filed.pk).update(source=TAXONOMY.replace("Roses", "Gardens"))
    filed.refresh_from_db()
    assert understanding_of(workspace.pk).triage(message, filed).by == "rules"


def test_a_version_from_before_features_were_weighed_counts_as_it_did(workspace, inbox, filed, by):
    model = LearnedModel.objects.get(taxonomy=filed)
    learned, _ = learn([one for _, one in old_filings(filed)]) or pytest.fail("too few")
    content = learned.as_json()
    del content["format"], content["rarity"]
    LearnedModel.objects.filter(pk=model.pk).update(content=content)
    switch_on(model=model, by=by)
    message = make_message(inbox, subject="", text="The soil is dry, the thorns need pruning.")
    answer = understanding_of(workspace.pk).triage(message, filed)
    likely = learned.best(words_of("", message.new_text))[1]
    assert (answer.by, answer.value.intent) == ("learned:1", "Roses")
    assert answer.confidence == pytest.approx(likely, abs=0.01)
    train_workspace({"workspace_id": workspace.pk})
    newest = LearnedModel.objects.get(taxonomy=filed, version=2)
    assert newest.content["format"] == FORMAT
    assert newest.content["rarity"]


def old_filings(taxonomy) -> list[tuple[Any, Decision]]:
    """What was filed, with its words counted as before."""
    found = read_filings(taxonomy, intents_of(taxonomy))
    return [
        (message, replace(one, features=words_of(message.subject, message.new_text)))
        for message, one in found
    ]


def test_intents_go_off_where_the_rules_name_what_is_filed_better(workspace, inbox, filed, by):
    switch_on(model=LearnedModel.objects.get(taxonomy=filed), by=by)
    quay = Mailbox.objects.get(name="quay")
    for at in range(20):
        text = f"A boat of roses: thorns, soil, pruning, bed {at}."
        message = make_message(inbox, subject="boat", text=text, sender=f"b@h{at}.example")
        type(message).objects.filter(pk=message.pk).update(received_at="2099-01-01T00:00Z")
        MessageMailbox.objects.create(message=message, mailbox=quay)
    train_workspace({"workspace_id": workspace.pk})
    first = LearnedModel.objects.get(taxonomy=filed, version=1)
    assert first.state == "off"
    assert "the rules alone" in first.reason


# -- offers ----------------------------------------------------------------------------------------
def same_decision(inbox, person, status: str = "archived") -> None:
    made = [came(inbox, ASKED, "ads@corner.example") for _ in range(5)]
    for one in made:
        update_activities(actor=person, activities=[one], status=status)


def test_what_people_always_decide_alike_is_offered_once(workspace, inbox, person, by):
    same_decision(inbox, person)
    assert offer_corrections(workspace) == 1
    assert offer_corrections(workspace) == 0
    offer = CorrectionOffer.objects.get()
    assert (offer.scope, offer.value, offer.route, offer.count) == (
        "sender",
        "ads@corner.example",
        "dismiss",
        5,
    )
    made = take_offer(offer=offer, by=by)
    assert (made.scope, made.value, made.route) == ("sender", "ads@corner.example", "dismiss")
    with pytest.raises(DomainError, match="already decided"):
        dismiss_offer(offer=offer, by=by)


def test_an_offer_that_was_dismissed_is_not_made_again(workspace, inbox, person, by):
    same_decision(inbox, person)
    offer_corrections(workspace)
    dismiss_offer(offer=CorrectionOffer.objects.get(), by=by)
    same_decision(inbox, person)
    assert offer_corrections(workspace) == 0
    assert not Correction.objects.exists()


def test_what_is_decided_otherwise_once_or_corrected_already_is_not_offered(
    workspace, inbox, person, by
):
    same_decision(inbox, person)
    other = came(inbox, ASKED, "ads@corner.example")
    update_activities(actor=person, activities=[other], status="surfaced")
    assert offer_corrections(workspace) == 0
    for _ in range(2):
        same_decision(inbox, person)
    Correction.objects.create(
        workspace=workspace, scope="sender", value="ads@corner.example", route="note",
        created_by_name="rhea",
    )  # fmt: skip
    other.changes.all().delete()
    assert offer_corrections(workspace) == 0
