"""What persons decide, from the proposal to the sent mail."""

import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from agents import receipts
from agents.approval import expiring, lifecycle
from agents.approval.lifecycle import ApprovalError
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import AgentStatus, Approval, Grant, Receipt, Token
from inbox.background.jobs import run_due
from inbox.models import Draft, DraftVersion, InboxStatus, Message, Role, Submission
from inbox.operations.drafts.writing import revise_draft
from inbox.operations.sending.after_restore import hold_again
from tests import factories

pytestmark = pytest.mark.django_db


def refusal(decide, **arguments):
    with pytest.raises(ApprovalError) as caught:
        decide(**arguments)
    return caught.value


def state_of(approval):
    approval.refresh_from_db()
    return approval.state


def edit(approval, by, **changes):
    draft = approval.submission.draft
    fields = {name: getattr(draft, name) for name in ("subject", "body", "to", "cc", "bcc")}
    return lifecycle.edit_and_approve(approval=approval, by=by, **{**fields, **changes})


def later(monkeypatch, **span):
    now = timezone.now() + timedelta(**span)
    monkeypatch.setattr(timezone, "now", lambda: now)


def test_an_approved_reply_leaves_once_its_undo_window_is_over(
    propose, approve, message, monkeypatch, settings
):
    approval = propose()
    approve(approval)
    submission = Submission.objects.get()
    assert (submission.state, submission.approved_sha256) == ("pending", approval.sha256)
    later(monkeypatch, seconds=20)
    run_due()
    submission.refresh_from_db()
    assert submission.state == "sent"
    sent = Message.objects.get(direction="outbound")
    assert sent.public_id == submission.message_public_id


def test_the_whole_life_of_a_mail_can_be_read_from_the_receipts(
    propose, approve, agent, reviewer, monkeypatch
):
    approval = propose()
    approve(approval)
    later(monkeypatch, seconds=20)
    run_due()
    life = Receipt.objects.filter(approval=approval.public_id).order_by("seq")
    assert [(one.tool, one.actor, one.outcome) for one in life] == [
        ("send_reply", f"agent:{agent.pk}", "held"),
        ("approve", f"person:{reviewer.pk}", "ok"),
        ("send_reply", f"agent:{agent.pk}", "ok"),
        ("submission.sent", "system:0", "ok"),
    ]
    assert life[2].reason == "approved by rhea"
    assert receipts.verify(agent.workspace) == []


def test_the_same_call_answers_queued_and_then_sent(propose, approve, actor, message, monkeypatch):
    arguments = {
        "thread_id": message.thread.public_id, "body_or_draft_id": "Here is the offer.", "idempotency_key": "k1",
    }  # fmt: skip
    first = call("send_reply", arguments, actor).result
    assert set(first) == {"message_id", "status"}
    approve(Approval.objects.get())
    assert call("send_reply", arguments, actor).result == first
    later(monkeypatch, seconds=20)
    run_due()
    assert call("send_reply", arguments, actor).result == {**first, "status": "sent"}


def test_an_approval_counts_once(propose, approve):
    approval = propose()
    approve(approval)
    assert refusal(approve, approval=approval).code == "not_waiting"


def test_a_hash_of_other_bytes_is_refused(propose, reviewer):
    approval = propose()
    error = refusal(lifecycle.approve, approval=approval, by=reviewer, sha256="0" * 64)
    assert error.code == "wrong_hash"
    assert state_of(approval) == "waiting"


@pytest.mark.parametrize("role", [Role.OWNER, Role.REVIEWER])
def test_owners_and_reviewers_decide(propose, approve, workspace, role):
    approve(propose(), by=factories.make_person_user(workspace, role))


def test_viewers_strangers_and_the_dismissed_do_not(propose, approve, workspace):
    approval = propose()
    viewer = factories.make_person_user(workspace, Role.VIEWER)
    stranger = factories.make_person_user(factories.make_workspace(), Role.OWNER)
    dismissed = factories.make_person_user(workspace, Role.OWNER)
    dismissed.is_active = False
    for person in (viewer, stranger, dismissed):
        assert refusal(approve, approval=approval, by=person).code == "not_allowed"
        with pytest.raises(ApprovalError):
            lifecycle.reject(approval=approval, by=person, reason="no")
        with pytest.raises(ApprovalError):
            edit(approval, person, body="Other.")
        with pytest.raises(ApprovalError):
            lifecycle.send_back(approval=approval, by=person, feedback="no")
    assert state_of(approval) == "waiting"
    assert Receipt.objects.filter(tool="decide", decision="deny").count() == 12


def test_nobody_decides_on_a_proposal_of_their_own(propose, approve, reviewer):
    propose()
    Submission.objects.update(proposed_by=f"person:{reviewer.pk}")
    assert refusal(approve, approval=Approval.objects.get()).code == "not_allowed"


def test_an_expired_approval_is_over(propose, approve, monkeypatch):
    approval = propose()
    later(monkeypatch, hours=73)
    assert refusal(approve, approval=approval).code == "expired"
    assert state_of(approval) == "expired"
    assert approval.submission.state == "expired"
    assert Receipt.objects.filter(tool="expire", approval=approval.public_id).exists()


def test_what_nobody_decides_expires_by_itself(propose, monkeypatch):
    approval = propose()
    assert expiring.expire_due() == 0
    later(monkeypatch, hours=73)
    assert expiring.expire_due() == 1
    assert state_of(approval) == "expired"


def test_a_newer_message_voids_it_and_is_named(propose, approve, message):
    approval = propose()
    factories.make_message(message.inbox, thread=message.thread, text="Never mind.")
    error = refusal(approve, approval=approval)
    assert error.code == "voided"
    assert "newer message" in error.details["changes"][0]
    assert state_of(approval) == "voided"
    assert approval.submission.state == "voided"
    run_due()
    assert Receipt.objects.filter(approval=approval.public_id, tool="void").count() == 1


def test_an_edited_draft_voids_it(propose, approve, reviewer):
    approval = propose()
    draft = Draft.objects.get()
    revise_draft(draft=draft, author_key="agent:1", author_name="Clerk", body="Other words.")
    assert "text" in refusal(approve, approval=approval).details["changes"][0]


def test_a_paused_agent_s_proposal_is_not_approved_until_it_is_active_again(
    propose, approve, agent
):
    approval = propose()
    agent.status = AgentStatus.PAUSED
    agent.save()
    assert refusal(approve, approval=approval).code == "not_allowed"
    assert state_of(approval) == "waiting"
    agent.status = AgentStatus.ACTIVE
    agent.save()
    approve(approval)


def test_a_scope_or_grant_taken_away_meanwhile_stops_it(propose, approve, agent):
    approval = propose()
    Token.objects.update(scopes=["inbox:read"])
    assert refusal(approve, approval=approval).code == "not_allowed"
    Token.objects.update(scopes=["comms:send"])
    Grant.objects.all().delete()
    assert refusal(approve, approval=approval).code == "not_allowed"
    assert Submission.objects.get().state == "held"


def test_a_revoked_token_s_proposal_is_not_approved(propose, approve):
    approval = propose()
    Token.objects.update(revoked_at=timezone.now())
    assert refusal(approve, approval=approval).code == "not_allowed"


def test_rejecting_tells_the_agent_why(propose, actor, reviewer):
    approval = propose()
    lifecycle.reject(approval=approval, by=reviewer, reason="We do not sell this.")
    told = call("get_approval", {"approval_id": approval.public_id}, actor).result
    assert (told["state"], told["note"]) == ("rejected", "We do not sell this.")
    with pytest.raises(ToolError) as caught:
        propose()
    assert caught.value.code == "conflict"
    assert caught.value.details["note"] == "We do not sell this."
    assert Submission.objects.get().state == "rejected"


@pytest.mark.parametrize("words", ["", "  \n"])
def test_a_rejection_without_a_reason_is_refused(propose, reviewer, words):
    approval = propose()
    assert refusal(lifecycle.reject, approval=approval, by=reviewer, reason=words).code == "invalid"
    assert (
        refusal(lifecycle.send_back, approval=approval, by=reviewer, feedback=words).code
        == "invalid"
    )


def test_what_is_sent_back_can_be_read_and_answered(propose, actor, reviewer):
    approval = propose()
    lifecycle.send_back(approval=approval, by=reviewer, feedback="Name the price.")
    listed = call("list_approvals", {"state": "returned"}, actor).result["approvals"]
    assert [one["feedback"] for one in listed] == ["Name the price."]
    assert Draft.objects.get().feedback == "Name the price."
    better = propose("Here is the offer: 40 euros.", key="k2")
    approval.refresh_from_db()
    assert approval.replaced_by == better
    assert better.state == "waiting"


def test_an_edit_keeps_both_versions_and_both_submissions(propose, reviewer, actor):
    approval = propose()
    edited = edit(approval, reviewer, body="Here is the offer. Yours, Rhea")
    assert (state_of(approval), edited.state) == ("voided", "approved")
    assert approval.replaced_by == edited
    assert [one.author for one in DraftVersion.objects.order_by("version")] == [
        actor.key, f"person:{reviewer.pk}",
    ]  # fmt: skip
    old, new = Submission.objects.order_by("pk")
    assert (old.state, new.state) == ("voided", "pending")
    assert b"Yours, Rhea" in new.mime_bytes
    assert b"Yours, Rhea" not in old.mime_bytes
    replay = propose()
    assert replay == edited


def test_an_edit_that_changes_nothing_is_an_approval(propose, reviewer):
    approval = propose()
    assert edit(approval, reviewer) == approval
    assert state_of(approval) == "approved"


def test_an_edit_with_a_bad_address_changes_nothing(propose, reviewer):
    approval = propose()
    error = refusal(
        edit, approval=approval, by=reviewer, to=["a@b.example\r\nBcc: evil@example.net"]
    )
    assert error.code == "invalid"
    assert state_of(approval) == "waiting"
    assert DraftVersion.objects.count() == 1


def test_undo_within_the_window_puts_it_before_people_again(propose, approve, reviewer):
    approval = propose()
    approve(approval)
    again = lifecycle.undo(approval=approval, by=reviewer)
    assert (state_of(approval), again.state) == ("canceled", "waiting")
    assert approval.replaced_by == again
    assert [one.state for one in Submission.objects.order_by("pk")] == ["canceled", "held"]
    approve(again)
    assert Receipt.objects.filter(tool="undo").count() == 1


def test_undo_stops_the_mail_although_the_agent_may_not_send_any_more(
    propose, approve, reviewer, agent, monkeypatch
):
    approval = propose()
    approve(approval)
    agent.grants.all().delete()
    undone = lifecycle.undo(approval=approval, by=reviewer)
    assert (undone, state_of(approval)) == (approval, "canceled")
    assert "no longer has access" in approval.note
    later(monkeypatch, seconds=20)
    run_due()
    assert Submission.objects.get().state == "canceled"
    assert Receipt.objects.filter(tool="undo").count() == 1


def test_undo_after_the_window_is_too_late(propose, approve, reviewer, monkeypatch):
    approval = propose()
    approve(approval)
    later(monkeypatch, seconds=11)
    assert refusal(lifecycle.undo, approval=approval, by=reviewer).code == "too_late"
    assert state_of(approval) == "approved"


def test_undo_of_what_was_not_approved_is_refused(propose, reviewer):
    assert refusal(lifecycle.undo, approval=propose(), by=reviewer).code == "not_waiting"


def test_a_paused_inbox_holds_nothing(propose, inbox):
    inbox.status = InboxStatus.PAUSED
    inbox.save()
    with pytest.raises(ToolError, match="paused") as caught:
        propose()
    assert caught.value.code == "conflict"
    assert not Draft.objects.exists()


def test_an_agent_sees_its_own_approvals_only(propose, workspace, inbox):
    approval = propose()
    other = factories.agent_actor(factories.make_agent(workspace, "Other", (inbox,)))
    assert call("list_approvals", {}, other).result == {"approvals": []}
    with pytest.raises(ToolError) as caught:
        call("get_approval", {"approval_id": approval.public_id}, other)
    assert caught.value.code == "not_found"


@pytest.mark.django_db(transaction=True)
def test_fifty_people_at_once_make_one_approval(inbox, agent, workspace):
    message = factories.make_message(inbox)
    arguments = {
        "thread_id": message.thread.public_id,
        "body_or_draft_id": "Once.",
        "idempotency_key": "k",
    }
    waiting = call("send_reply", arguments, factories.agent_actor(agent)).approval
    people = [factories.make_person_user(workspace) for _ in range(50)]
    done, barrier = [], threading.Barrier(10)

    def run(group):
        barrier.wait()
        for person in group:
            try:
                fresh = Approval.objects.get(pk=waiting.pk)
                lifecycle.approve(approval=fresh, by=person, sha256=waiting.sha256)
                done.append("approved")
            except ApprovalError as error:
                done.append(error.code)
        connections.close_all()

    threads = [threading.Thread(target=run, args=(people[i::10],)) for i in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == ["approved"] + ["not_waiting"] * 49
    assert Receipt.objects.filter(tool="approve").count() == 1
    assert receipts.verify(workspace) == []


def test_an_agent_cannot_bury_its_reviewers(settings, propose, approve):
    settings.APPROVALS_PER_AGENT = 2
    first = propose("One.", "k1")
    propose("Two.", "k2")
    with pytest.raises(ToolError, match="2 proposals of this agent wait") as caught:
        propose("Three.", "k3")
    assert (caught.value.code, Submission.objects.count()) == ("conflict", 2)
    approve(first)
    assert propose("Three.", "k3").state == "waiting"


def test_after_a_restored_backup_a_person_decides_once_more(propose, approve, reviewer, client):
    approval = propose()
    approve(approval)
    later = approval.expires_at + timedelta(days=3)
    Approval.objects.filter(pk=approval.pk).update(snoozed_until=later)
    hold_again(submission=approval.submission, why="A backup was restored.")
    run_due()
    assert (state_of(approval), approval.decided_by) == ("waiting", None)
    # Snoozed items before is not hidden now, till after it has expired at that.
    assert Approval.objects.get(pk=approval.pk).snoozed_until is None
    client.force_login(reviewer)
    page = client.get(f"/admin/review/{approval.public_id}/").content.decode()
    assert "A backup was restored." in page
    approve(approval)
    assert Submission.objects.get().state == "pending"
