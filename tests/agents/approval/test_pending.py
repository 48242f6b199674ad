"""Calls that wait: what is stored of them, what they answer meanwhile, and once they are over."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.approval import lifecycle
from agents.approval.due import check_due
from agents.dispatching.canonical import canonical, digest
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval, ApprovalState, Receipt
from inbox.models import Activity, ReplyPolicy, Submission
from inbox.operations.activities.understanding import save_version
from inbox.operations.drafts.writing import revise_draft
from tests import factories
from tests.agents.approval.traces import fresh, told
from tests.agents.tools.calendars import ADA, BO, desk

__all__ = ["desk"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def lowering(message):
    """The arguments of a call that waits for a person and sends nothing."""
    activity = Activity.objects.create(
        workspace=message.workspace, source="email", source_id="x", message=message, title="Roof",
        created_at=message.received_at, status="surfaced", autonomy_tier=4,
    )  # fmt: skip
    return {"activity_ids": [activity.public_id], "updates": {"status": "archived", "classification": None}}  # fmt: skip


def refused(tool, arguments, actor, key=None):
    with pytest.raises(ToolError) as caught:
        call(tool, arguments, actor, key)
    return caught.value


def letter(inbox, **changes):
    return {"account_id": inbox.account.public_id, "to": "ada@customer.example", "confirm": True,
            "subject": "Offer", "body": "On Friday.", **changes}  # fmt: skip


# -- what is stored ----------------------------------------------------------------------------------
def test_a_call_that_sends_nothing_waits_by_its_arguments_for_as_long_as_a_letter(
    actor, lowering, settings
):
    settings.APPROVAL_HOURS = 5
    before = timezone.now()
    error = refused("update_activities", lowering, actor)
    approval = Approval.objects.get()
    span = timedelta(hours=5)
    assert before + span <= approval.expires_at <= timezone.now() + span
    assert (approval.place_at, approval.arguments) == (approval.expires_at, lowering)
    assert (approval.sha256, approval.submission) == (digest(canonical(lowering)), None)
    assert (approval.risk_flags, approval.receipt) == ([], Receipt.objects.get())
    assert [one.public_id for one in approval.activities.all()] == lowering["activity_ids"]
    assert approval.reason.startswith("It lowers attention: ")
    assert (error.code, error.message, error.details) == (
        "approval_required", "The call waits for a person; nothing was changed yet",
        {
            "approval_id": approval.public_id, "reason": approval.reason,
            "expires_at": approval.expires_at.isoformat(),
            "review_url": f"{settings.BASE_URL}/admin/review/{approval.public_id}/",
        },
    )  # fmt: skip
    assert told() == [("created", approval.public_id, "waiting")]


def test_a_call_that_sends_nothing_is_refused_without_a_letter_to_end(actor, lowering, reviewer):
    refused("update_activities", lowering, actor)
    approval = Approval.objects.get()
    lifecycle.reject(approval=approval, by=reviewer, reason="Leave it.")
    assert (approval.state, approval.note) == ("rejected", "Leave it.")


def test_what_the_policy_blocks_is_not_even_stored(actor, inbox, workspace):
    rules = "recipients:\n  block: [customer.example]\n"
    save_version(ReplyPolicy, workspace=workspace, name="House", content=rules)
    error = refused("email_send", letter(inbox), actor)
    (flag,) = error.details["risk_flags"]
    assert (error.code, flag["flag"]) == ("policy_blocked", "policy_blocked")
    assert error.message == flag["reason"]
    assert not Approval.objects.exists()
    assert not Submission.objects.exists()


def test_a_letter_waits_by_its_bytes_until_it_expires_with_its_flags(propose):
    approval = propose()
    submission = approval.submission
    assert (approval.sha256, approval.expires_at, approval.place_at) == (
        submission.sha256, submission.expires_at, submission.expires_at,
    )  # fmt: skip
    assert (approval.risk_flags, approval.checks_due) == ([], True)
    check_due([approval])
    assert [flag["flag"] for flag in approval.risk_flags] == ["new_recipient"]
    assert approval.agent_id is not None
    assert approval.receipt.tool == "send_reply"


def test_the_letters_of_other_agents_do_not_fill_ones_own_queue(settings, workspace, inbox, actor):
    settings.APPROVALS_PER_AGENT = 1
    other = factories.agent_actor(factories.make_agent(workspace, "Other", (inbox,)))
    call("email_send", letter(inbox), other)
    call("email_send", letter(inbox), actor)
    error = refused("email_send", letter(inbox, body="On Monday."), actor)
    assert (error.code, error.message, error.details) == (
        "conflict", "1 proposals of this agent wait for a person already",
        {"accepted": "another proposal once some of them were decided"},
    )  # fmt: skip
    Approval.objects.filter(agent_id=actor.id).update(state="rejected")
    assert call("email_send", letter(inbox, body="On Monday."), actor).approval.state == "waiting"


def test_each_further_letter_of_a_call_waits_for_itself_with_a_receipt_of_its_own(desk):
    desk.create(attendees=[ADA, BO])
    desk.leave()
    (event,) = desk.inbox.account.calendars.get().events.all()
    desk.update(event.public_id, attendees=[ADA])
    stays, goes = desk.waiting()
    assert (goes.submission.envelope_to, stays.submission.envelope_to) == ([BO], [ADA])
    assert (goes.receipt.outcome, goes.receipt.decision, goes.receipt.approval) == (
        "held", "hold", goes.public_id,
    )  # fmt: skip
    assert (goes.receipt.tool, goes.receipt.reason) == ("calendar_update_event", stays.reason)
    assert goes.receipt != stays.receipt
    assert goes.receipt.arguments == stays.receipt.arguments
    assert (goes.arguments, goes.reason) == (stays.arguments, stays.reason)
    assert goes.proposal_sha256 not in {"", stays.proposal_sha256}


def test_a_further_letter_makes_way_for_its_newer_version_and_says_why(desk):
    desk.create(attendees=[ADA, BO])
    desk.leave()
    (event,) = desk.inbox.account.calendars.get().events.all()
    desk.update(event.public_id, attendees=[ADA])
    stays, goes = desk.waiting()
    lifecycle.reject(approval=stays, by=desk.reviewer, reason="Not yet.")
    desk.update(event.public_id, attendees=[ADA])
    assert fresh(goes).note == "a newer proposal of the same replaced it"
    lifecycle.reject(approval=desk.waiting()[0], by=desk.reviewer, reason="Not yet either.")
    desk.update(event.public_id, attendees=[ADA])
    # What has ended is not ended once more.
    assert Receipt.objects.filter(tool="void", approval=goes.public_id).count() == 1


# -- what is answered once it is over ----------------------------------------------------------------
@pytest.mark.parametrize(
    ("state", "note", "message"),
    [
        ("rejected", "No.", "A person rejected it: No."),
        ("rejected", "", "A person rejected it"),
        ("returned", "Shorter.", "A person sent it back: Shorter."),
        ("expired", "", "Nobody decided in time"),
        ("voided", "", "What it was about has changed"),
        ("canceled", "", "A person took it back before it left"),
    ],
)
def test_a_call_that_will_never_run_says_what_became_of_it(actor, inbox, state, note, message):
    approval = call("email_send", letter(inbox), actor, "k").approval
    Approval.objects.update(state=state, note=note)
    error = refused("email_send", letter(inbox), actor, "k")
    assert (error.code, error.message, error.details) == (
        "conflict", message,
        {"approval_id": approval.public_id, "state": state, "note": note},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("states", "outcome", "says"),
    [
        (["sending", "failed"], "550 no such user", ("provider_error", "550 no such user")),
        (["canceled"], "", ("conflict", "The mail was not sent")),
        (["voided"], "It has changed.", ("conflict", "It has changed.")),
    ],
)
def test_a_letter_that_will_never_leave_is_neither_queued_nor_sent(
    inbox, approve, states, outcome, says
):
    actor = factories.agent_actor(factories.make_agent(inbox.workspace, "Clerk", (inbox,)))
    approval = approve(call("email_send", letter(inbox), actor, "k").approval)
    for state in states:
        Submission.objects.update(state=state, outcome=outcome)
    error = refused("email_send", letter(inbox), actor, "k")
    submission = Submission.objects.get()
    assert ((error.code, error.message), error.details) == (
        says,
        {
            "approval_id": approval.public_id, "message_id": submission.message_public_id,
            "state": states[-1],
        },
    )  # fmt: skip


def test_a_change_that_was_approved_is_answered_with_what_it_did(actor, lowering, inbox, approve):
    other = factories.activities_from_messages([factories.make_message(inbox).pk])[0]
    Activity.objects.update(status="surfaced", autonomy_tier=4)
    for key, ids in (("o", [other.public_id]), ("k", lowering["activity_ids"])):
        refused("update_activities", {**lowering, "activity_ids": ids}, actor, key)
        approve(Approval.objects.latest("pk"))
    for _ in range(3):
        again = call("update_activities", lowering, actor, "k")
        assert again.result == {"updated_count": 1, "activity_ids": lowering["activity_ids"]}
        assert (again.approval, again.replayed) == (Approval.objects.latest("pk"), True)


# -- what answers what was sent back -----------------------------------------------------------------
def sent_back(actor, inbox, reviewer, key, **changes):
    approval = call("email_send", letter(inbox, **changes), actor, key).approval
    lifecycle.send_back(approval=approval, by=reviewer, feedback="Shorter.")
    Approval.objects.filter(pk=approval.pk).update(place_at=factories.NOON)
    return approval


def test_of_several_that_were_sent_back_the_newest_is_answered_and_once(actor, inbox, reviewer):
    first = sent_back(actor, inbox, reviewer, "k1", body="One.")
    second = sent_back(actor, inbox, reviewer, "k2", body="Two.")
    # The second answered the first.
    assert fresh(first).replaced_by == second
    third = call("email_send", letter(inbox, body="Three."), actor, "k3").approval
    assert fresh(second).replaced_by == third
    assert third.place_at == fresh(third).place_at == factories.NOON
    fourth = call("email_send", letter(inbox, body="Four."), actor, "k4").approval
    assert fourth.place_at == fourth.expires_at


def test_a_revised_draft_answers_what_was_said_of_itself_and_another_what_came_last(
    propose, reviewer, actor, inbox
):
    waiting = [propose(f"It is {key}.", key) for key in ("k1", "k2", "k3")]
    for one in waiting:
        lifecycle.send_back(approval=one, by=reviewer, feedback="Shorter.")
    elsewhere = {"thread_id": factories.make_message(inbox).thread.public_id,
                 "body_or_draft_id": "Elsewhere.", "idempotency_key": "k4"}  # fmt: skip
    call("send_reply", elsewhere, actor)
    assert [fresh(one).replaced_by for one in waiting] == [None, None, None]
    other = propose("It is another.", "k5")
    assert [fresh(one).replaced_by for one in waiting] == [None, None, other]
    draft = revise_draft(
        draft=waiting[0].submission.draft, author_key=actor.key, author_name=actor.name,
        body="Better.",
    )  # fmt: skip
    revised = propose(draft.public_id, "k6")
    assert [fresh(one).replaced_by for one in waiting] == [revised, None, other]


def test_what_another_agent_or_account_was_sent_back_is_not_answered(
    actor, inbox, reviewer, workspace, agent
):
    back = sent_back(actor, inbox, reviewer, "k1")
    other = factories.agent_actor(factories.make_agent(workspace, "Other", (inbox,)))
    call("email_send", letter(inbox), other)
    second = factories.make_inbox(workspace, "second@lantern.example")
    agent.grants.create(account=second.account)
    call("email_send", letter(second), factories.agent_actor(agent))
    assert fresh(back).replaced_by is None


@pytest.mark.parametrize("changes", [{"to": "bo@customer.example"}, {"subject": "Another"}])
def test_a_letter_to_others_or_about_something_else_is_no_answer(actor, inbox, reviewer, changes):
    back = sent_back(actor, inbox, reviewer, "k1")
    call("email_send", letter(inbox, **changes), actor, "k2")
    assert fresh(back).replaced_by is None


def test_what_was_rejected_is_answered_by_no_other(actor, inbox, reviewer):
    approval = call("email_send", letter(inbox), actor, "k1").approval
    lifecycle.reject(approval=approval, by=reviewer, reason="No.")
    new = call("email_send", letter(inbox), actor, "k2").approval
    assert (fresh(approval).replaced_by, new.place_at) == (None, new.expires_at)
    assert new.state == ApprovalState.WAITING
