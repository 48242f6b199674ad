"""Who reads an answer beside those who were to be answered."""

import pytest

from agents.approval.checks.risks import find_risks
from agents.dispatching.dispatch import call
from agents.models import Approval
from inbox.operations.drafts.replying import plan_reply_to
from inbox.operations.drafts.writing import draft_planned_reply
from tests import factories
from tests.sending_tools import check_proposed

pytestmark = pytest.mark.django_db
CUSTOMER, PARTNER = "ada@customer.example", "tom@quarry.example"


@pytest.fixture
def question(inbox, workspace):
    """What a customer asks, with a copy to a partner, a colleague of hers, one of ours, and a stranger."""
    for email in (CUSTOMER, PARTNER):
        factories.make_person(workspace, email, sent_count=1)
    copies = (PARTNER, "bo@customer.example", "mia@lantern.example", "cy@elsewhere.example")
    return factories.make_message(inbox, cc=[{"email": email} for email in copies])


def added(actor, question, goal="", to_all=False, **fields):
    """The reason and the field of each recipient that is named, of an answer with these fields."""
    plan = plan_reply_to(question, to_all=to_all)
    draft = draft_planned_reply(actor=actor, plan=plan, body="Yes.")
    draft.goal = goal
    for field, emails in fields.items():
        setattr(draft, field, [{"email": email} for email in emails])
    flags = {flag.flag: flag for flag in find_risks(actor, draft)}
    if "recipient_added" not in flags:
        return []
    assert {one.source for one in flags["recipient_added"].findings} == {question.public_id}
    return [
        (one.excerpt, one.reason, dict(one.params).get("field", ""))
        for one in flags["recipient_added"].findings
    ]


def test_whoever_was_not_in_what_is_answered_is_named_with_the_field(actor, question):
    given = {
        "to": [CUSTOMER, "dan@new.example"],
        "cc": ["eve@new.example"],
        "bcc": ["fay@new.example"],
    }
    assert added(actor, question, **given) == [
        ("dan@new.example", "added", "To"), ("eve@new.example", "added", "Cc"),
        ("fay@new.example", "blind", ""),
    ]  # fmt: skip


def test_whoever_we_know_is_added_all_the_same(actor, question):
    factories.make_person(question.workspace, "ines@mill.example", sent_count=3)
    named = added(actor, question, cc=["Ines@mill.example"])
    assert named == [("Ines@mill.example", "added", "Cc")]


def test_an_answer_to_all_names_whom_nobody_knows(actor, question):
    assert added(actor, question) == []
    assert added(actor, question, to_all=True) == [("cy@elsewhere.example", "to_all", "")]


def test_at_a_public_provider_nobody_is_a_colleague_of_the_sender(actor, inbox):
    copies = [{"email": "drop@gmail.com"}]
    mail = factories.make_message(inbox, sender="ada@gmail.com", cc=copies)
    assert added(actor, mail, to_all=True) == [("drop@gmail.com", "to_all", "")]


def test_where_answers_are_to_go_is_not_added(actor, question):
    question.reply_to = [{"email": "desk@customer-desk.example"}]
    question.save()
    assert added(actor, question) == []


def test_our_own_house_and_whom_the_goal_names_are_not_added(actor, question):
    assert added(actor, question, cc=["zoe@lantern.example"]) == []
    goal = "Answer, with a copy to dan@new.example."
    assert added(actor, question, goal=goal, cc=["dan@new.example"]) == []


def test_a_person_adds_whom_they_like(question):
    person = factories.person_actor(factories.make_person_user(question.workspace))
    assert added(person, question, bcc=["fay@new.example"]) == []


def test_what_answers_nothing_adds_nobody(actor, inbox):
    named = {"account_id": inbox.account.public_id, "subject": "Hi", "body": "Hi", "confirm": True}
    call("email_send", {**named, "to": "eve@new.example"}, actor)
    check_proposed()
    assert [row["flag"] for row in Approval.objects.get().risk_flags] == ["new_recipient"]


def test_of_an_answer_to_many_one_flag_has_all_and_hides_none(actor, question):
    """Of forty the first were kept: the flags behind them were not seen."""
    crowd = [{"email": f"guest{number}@party.example"} for number in range(40)]
    question.cc, question.anomalies = crowd, ["hidden_text"]
    question.save()
    named = {"account_id": question.inbox.account.public_id, "email_id": question.public_id}
    call("email_reply_all", {**named, "body": "Y\u200bes.", "confirm": True}, actor)
    check_proposed()
    flags = Approval.objects.get().risk_flags
    assert {row["flag"]: (row["count"], len(row["items"])) for row in flags} == {
        "hidden_text": (2, 2), "new_recipient": (40, 40), "recipient_added": (40, 40),
    }  # fmt: skip
