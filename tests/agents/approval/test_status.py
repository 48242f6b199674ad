"""What ends by itself and what is refused leaves behind: the row, a receipt, and what others hear."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from agents.approval import expiring, lifecycle
from agents.approval.due import check_due
from agents.approval.lifecycle import ApprovalError, Batch
from agents.models import Approval, Receipt
from inbox.background.jobs import run_due
from inbox.models import Draft, Role, Submission
from inbox.operations.sending.after_restore import hold_again
from inbox.operations.sending.submissions import close_submission, propose_submission
from inbox.reasons import say
from tests import factories
from tests.agents.approval.traces import BY_ITSELF, fresh, receipt, told
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db


def test_what_expires_is_written_down_as_nobodys_deed(propose):
    approval = propose()
    assert expiring.expire_due(approval.expires_at - timedelta(seconds=1)) == 0
    assert expiring.expire_due(approval.expires_at) == 1
    now = fresh(approval)
    assert (now.state, now.note, now.decided_by) == (
        "expired",
        "It expired without a decision.",
        None,
    )
    assert now.submission.outcome == "It expired without a decision."
    assert receipt("expire") == {
        **BY_ITSELF, "approval": approval.public_id, "reason": "It expired without a decision.",
        "arguments": {"approval_id": approval.public_id},
    }  # fmt: skip
    assert told()[1:] == [("expired", approval.public_id, "expired")]


def test_what_has_changed_is_written_down_and_told_to_who_wanted_to_approve_it(
    propose, approve, message, reviewer
):
    approval = propose()
    factories.make_message(message.inbox, thread=message.thread, text="Never mind.")
    with pytest.raises(ApprovalError) as caught:
        approve(approval)
    (change,) = caught.value.details["changes"]
    assert (caught.value.code, caught.value.message) == ("voided", f"No longer valid: {change}")
    assert (approval.state, approval.note) == ("voided", change)
    assert approval.submission.outcome == change
    assert receipt("void") == {
        **BY_ITSELF, "approval": approval.public_id, "reason": change,
        "arguments": {"approval_id": approval.public_id},
    }  # fmt: skip
    assert told()[1:] == [("voided", approval.public_id, "voided")]
    with pytest.raises(ApprovalError) as caught:
        lifecycle.reject(approval=approval, by=reviewer, reason="No.")
    assert (caught.value.details, caught.value.message) == (
        {"state": "voided"}, "It is already voided",
    )  # fmt: skip


def test_what_a_restored_backup_takes_back_is_written_down(propose, approve, reviewer):
    batch, approval, other = Batch(uuid4(), 0), propose(), propose("Another.", "k2")
    lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256, batch=batch)
    hold_again(submission=approval.submission, why="A backup was restored.")
    run_due()
    assert fresh(other).note == ""
    now = fresh(approval)
    assert (now.state, now.note, now.decided_by, now.decided_at, now.batch) == (
        "waiting", "A backup was restored.", None, None, None,
    )  # fmt: skip
    assert now.expires_at == now.submission.expires_at
    assert receipt("hold_again") == {
        **BY_ITSELF, "approval": approval.public_id, "reason": "A backup was restored.",
        "arguments": {"approval_id": approval.public_id},
    }  # fmt: skip
    assert told()[3:] == [("created", approval.public_id, "waiting")]


def test_what_waited_when_the_backup_was_made_waits_on_and_is_told_once(propose):
    approval = propose()
    Approval.objects.update(snoozed_until=timezone.now() + timedelta(hours=1))
    hold_again(submission=Submission.objects.get(), why="A backup was restored.")
    run_due()
    now = fresh(approval)
    assert (now.state, now.note, now.snoozed_until) == ("waiting", "A backup was restored.", None)
    assert now.expires_at == now.submission.expires_at > approval.expires_at
    assert told() == [("created", approval.public_id, "waiting")]
    assert not Receipt.objects.filter(tool="hold_again").exists()


def test_an_approval_that_has_ended_waits_no_more_although_its_mail_does(propose):
    approval = propose()
    Approval.objects.update(state="rejected")
    hold_again(submission=Submission.objects.get(), why="A backup was restored.")
    run_due()
    assert fresh(approval).state == "rejected"


def test_who_may_not_decide_leaves_a_receipt_of_the_attempt(propose, workspace):
    approval, viewer = propose(), factories.make_person_user(workspace, Role.VIEWER, name="vera")
    with pytest.raises(ApprovalError):
        lifecycle.reject(approval=approval, by=viewer, reason="No.")
    assert receipt("decide") == {
        "actor": f"person:{viewer.pk}", "actor_name": "vera", "decision": "deny", "outcome": "error",
        "error_code": "permission_denied", "approval": approval.public_id,
        "arguments": {"approval_id": approval.public_id},
        "reason": "Only owners and reviewers of the workspace can decide",
    }  # fmt: skip


def test_an_owner_elsewhere_who_only_looks_here_does_not_decide(propose, approve, workspace):
    approval, person = propose(), factories.make_person_user(workspace, Role.VIEWER)
    factories.make_workspace().memberships.create(user=person, role=Role.OWNER)
    with pytest.raises(ApprovalError, match="Only owners and reviewers"):
        approve(approval, by=person)


def test_who_proposed_a_letter_themselves_is_told_why_they_cannot_approve_it(
    propose, approve, reviewer
):
    propose()
    Submission.objects.update(proposed_by=f"person:{reviewer.pk}")
    with pytest.raises(ApprovalError, match="You cannot decide your own proposal"):
        approve(Approval.objects.get())


def test_a_call_of_a_tool_that_there_is_no_more_is_not_approved(propose, approve):
    Approval.objects.filter(pk=propose().pk).update(tool="make_tea")
    with pytest.raises(ApprovalError, match="The tool make_tea no longer exists") as caught:
        approve(Approval.objects.get())
    assert caught.value.code == "not_allowed"
    assert Submission.objects.get().state == "held"


def test_bytes_that_were_changed_past_the_databases_rules_do_not_leave(propose, approve):
    approval = propose()
    with without_triggers("inbox_submission"):
        Submission.objects.update(mime=approval.submission.mime_bytes + b"P.S. Pay me.")
    with pytest.raises(
        ApprovalError, match="The sealed message was changed in the database"
    ) as caught:
        approve(approval)
    assert (caught.value.code, fresh(approval).state) == ("wrong_hash", "waiting")


def test_a_refusal_that_has_no_more_to_say_has_no_details(propose, reviewer):
    with pytest.raises(ApprovalError) as caught:
        lifecycle.approve(approval=propose(), by=reviewer, sha256="0" * 64)
    assert (caught.value.code, caught.value.details) == ("wrong_hash", {})


def test_what_comes_in_between_looking_and_releasing_still_holds_it_back(propose, approve, message):
    approval, came = propose(), []
    check_due([approval])

    def comes_in(execute, sql, params, many, context):
        if sql.startswith('UPDATE "agents_approval"') and not came:
            came.append(factories.make_message(message.inbox, thread=message.thread))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(comes_in), pytest.raises(ApprovalError) as caught:
        approve(approval)
    (change,) = caught.value.details["changes"]
    assert (caught.value.code, caught.value.message) == ("voided", f"No longer valid: {change}")
    assert (fresh(approval).state, Submission.objects.get().state) == ("waiting", "held")


def test_what_somebody_decides_at_the_same_moment_is_decided_once(propose, approve):
    approval, rival = propose(), []
    check_due([approval])

    def decide_first(execute, sql, params, many, context):
        if sql.startswith('UPDATE "agents_approval"') and not rival:
            rival.append(approval)
            Approval.objects.filter(pk=approval.pk).update(state="rejected")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(decide_first), pytest.raises(ApprovalError) as caught:
        approve(approval)
    assert (caught.value.code, caught.value.message) == (
        "not_waiting", "Someone else has already decided",
    )  # fmt: skip
    assert Submission.objects.get().state == "held"


def test_what_has_left_cannot_be_undone(propose, approve, reviewer):
    approval = approve(propose())
    for state in ("sending", "sent"):
        Submission.objects.update(state=state)
    with pytest.raises(ApprovalError) as caught:
        lifecycle.undo(approval=approval, by=reviewer)
    assert (caught.value.code, caught.value.message) == (
        "not_waiting", "The submission is already sent.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "change"), [(None, "A newer proposal of the same draft replaced it."),
                         ("", "a newer proposal replaced it")],
)  # fmt: skip
def test_what_a_newer_proposal_of_its_draft_voided_cannot_be_approved(
    propose, approve, actor, said, change
):
    approval = propose()
    propose_submission(actor=actor, draft=Draft.objects.get())
    if said is not None:
        Submission.objects.filter(pk=approval.submission_id).update(outcome=said)
    with pytest.raises(ApprovalError) as caught:
        approve(fresh(approval))
    assert (caught.value.code, caught.value.details) == ("voided", {"changes": [change]})
    assert (fresh(approval).state, fresh(approval).note) == ("voided", change)


def test_what_was_taken_back_and_then_ended_waits_for_nobody(propose, approve):
    approval = approve(propose())
    hold_again(submission=approval.submission, why="A backup was restored.")
    close_submission(submission=approval.submission, state="canceled", outcome=say("undone"))
    run_due()
    assert fresh(approval).state == "approved"


def test_what_was_voided_after_it_was_approved_is_written_down_too(propose, approve):
    approval = approve(propose())
    close_submission(submission=approval.submission, state="voided", outcome=say("newer_proposal"))
    run_due()
    assert fresh(approval).state == "approved"
    assert receipt("submission.voided")["approval"] == approval.public_id
