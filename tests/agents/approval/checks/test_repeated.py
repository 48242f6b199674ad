"""The same text to the same people, which waits already or left within a day."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.approval import lifecycle
from agents.approval.checks.risks import find_risks
from agents.dispatching.dispatch import call
from agents.models import Approval
from inbox.models import Direction, Message, Submission
from inbox.operations.drafts.replying import plan_reply_to
from inbox.operations.drafts.writing import draft_planned_reply
from tests import factories

pytestmark = pytest.mark.django_db
TEXT = "Dear Ada,\n\nThe offer holds until Friday."


@pytest.fixture
def said(inbox):
    """Return how a text from another agent of ours to the same person was said already."""
    other = factories.make_agent(inbox.workspace, "Mole", (inbox,))
    mail = factories.make_message(inbox, subject="Another question")

    def said(text=TEXT, **fields):
        plan = plan_reply_to(mail)
        draft = draft_planned_reply(actor=factories.agent_actor(other), plan=plan, body=text)
        for field, emails in fields.items():
            setattr(draft, field, [{"email": email} for email in emails])
        flags = {flag.flag: flag for flag in find_risks(factories.agent_actor(other), draft)}
        found = flags["same_as"].findings if "same_as" in flags else ()
        return [(one.reason, one.source) for one in found]

    return said


def test_what_waits_already_is_named_whoever_proposed_it(propose, said):
    waiting = propose(TEXT)
    assert said() == [("waits", waiting.public_id)]


def test_case_blanks_and_punctuation_make_no_other_text(propose, said):
    waiting = propose(TEXT)
    assert said("dear ada \n\n THE OFFER holds until friday!") == [("waits", waiting.public_id)]
    assert said("Dear Ada,\n\nThe offer holds until Monday.") == []


def test_other_people_are_told_it_for_the_first_time(propose, said):
    propose(TEXT)
    assert said(to=["bo@customer.example"]) == []
    assert said(cc=["bo@customer.example"]) == []


def test_what_left_within_a_day_is_named_and_what_left_before_is_not(propose, approve, said):
    sent = propose(TEXT)
    approve(sent)
    assert said() == [("left", sent.public_id)]
    Submission.objects.update(proposed_at=timezone.now() - timedelta(hours=25))
    assert said() == []


@pytest.mark.parametrize("ended", ["rejected", "sent back"])
def test_what_a_person_refused_is_said_anew_without_a_flag(propose, reviewer, said, ended):
    waiting = propose(TEXT)
    if ended == "rejected":
        lifecycle.reject(approval=waiting, by=reviewer, reason="No.")
    else:
        lifecycle.send_back(approval=waiting, by=reviewer, feedback="Shorter.")
    assert said() == []


def test_another_file_makes_another_message(propose, said, inbox):
    waiting = propose(TEXT)
    Submission.objects.update(attachments=[["offer.pdf", "application/pdf", "a" * 64]])
    assert said() == []
    Submission.objects.update(attachments=[])
    assert said() == [("waits", waiting.public_id)]


def test_an_edit_of_the_same_message_is_not_said_twice(propose, reviewer):
    waiting = propose(TEXT)
    draft = waiting.submission.draft
    edited = lifecycle.edit_and_approve(
        approval=waiting, by=reviewer, subject="Another subject", body=draft.body, to=draft.to,
        cc=[], bcc=[],
    )  # fmt: skip
    assert "same_as" not in [flag["flag"] for flag in edited.risk_flags]


def test_what_a_person_wrote_from_another_program_counts_as_well(inbox, actor):
    mail = factories.make_message(inbox)
    ours = factories.make_message(inbox, subject="Re: A question", sender="office@lantern.example")
    Message.objects.filter(pk=ours.pk).update(
        direction=Direction.OUTBOUND, thread=mail.thread, text=TEXT, new_text=TEXT,
        received_at=timezone.now(), to=[{"email": mail.from_email}],
    )  # fmt: skip
    draft = draft_planned_reply(actor=actor, plan=plan_reply_to(mail), body=TEXT)
    [flag] = [flag for flag in find_risks(actor, draft) if flag.flag == "same_as"]
    assert [(one.reason, one.source) for one in flag.findings] == [("left", ours.public_id)]


def test_two_messages_to_two_people_with_one_text_are_two_proposals_without_it(inbox, actor):
    for n, email in enumerate(("ada@customer.example", "bo@customer.example")):
        mail = factories.make_message(inbox, sender=email)
        given = {"thread_id": mail.thread.public_id, "body_or_draft_id": TEXT}
        call("send_reply", {**given, "idempotency_key": f"k{n}"}, actor)
    flags = {flag["flag"] for one in Approval.objects.all() for flag in one.risk_flags}
    assert "same_as" not in flags
