"""What a person's decision leaves behind: the row, a receipt of who and why, and what others hear."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from agents.approval import lifecycle
from agents.approval.lifecycle import ApprovalError, Batch
from agents.dispatching.dispatch import call
from agents.dispatching.rows import find_promised
from agents.errors import ToolError
from agents.models import Approval, Receipt
from inbox.models import Account, Activity, Draft, DraftVersion, Role, Submission
from tests import factories
from tests.agents.approval.traces import by_person, fresh, receipt, told

pytestmark = pytest.mark.django_db


def edit(approval, by, **changes):
    draft = approval.submission.draft
    fields = {name: getattr(draft, name) for name in ("subject", "body", "to", "cc", "bcc")}
    return lifecycle.edit_and_approve(approval=approval, by=by, **{**fields, **changes})


def put_off(approval):
    Approval.objects.update(snoozed_until=timezone.now() + timedelta(hours=1))
    return fresh(approval)


def test_approving_is_written_down_with_the_hash_of_what_was_seen(propose, approve, reviewer):
    approval = put_off(propose())
    before = timezone.now()
    assert approve(approval) == approval
    assert (approval.state, approval.note, approval.decided_by) == ("approved", "", reviewer)
    assert before <= approval.decided_at <= timezone.now()
    assert (approval.snoozed_until, approval.batch) == (None, None)
    assert receipt("approve") == {
        **by_person(reviewer), "approval": approval.public_id, "reason": "rhea approved send_reply",
        "arguments": {"approval_id": approval.public_id, "sha256": approval.sha256},
    }  # fmt: skip
    assert told()[1:] == [("decided", approval.public_id, "approved")]


def test_what_is_approved_with_others_waits_for_them_and_says_so(propose, reviewer):
    approval, batch, other = propose(), Batch(uuid4(), 600), propose("Another.", "k2")
    lifecycle.approve(approval=approval, by=reviewer, sha256=approval.sha256, batch=batch)
    assert fresh(approval).batch == batch.id
    assert receipt("approve")["arguments"]["batch_id"] == str(batch.id)
    assert fresh(other).batch is None
    left = fresh(approval).submission.send_at - timezone.now()
    assert timedelta(seconds=590) < left <= timedelta(seconds=600)


def test_where_nobody_asked_for_time_to_undo_it_leaves_at_once(propose, approve):
    Account.objects.update(undo_seconds=0)
    submission = approve(propose()).submission
    submission.refresh_from_db()
    assert submission.send_at == submission.approved_at


def test_rejecting_is_written_down_with_its_reason(propose, reviewer):
    approval = put_off(propose())
    lifecycle.reject(approval=approval, by=reviewer, reason=" Not ours. ")
    assert (approval.state, approval.note, approval.decided_by) == (
        "rejected", "Not ours.", reviewer,
    )  # fmt: skip
    assert approval.snoozed_until is None
    assert Submission.objects.get().outcome == "rejected: Not ours."
    assert receipt("reject") == {
        **by_person(reviewer), "approval": approval.public_id, "reason": "Not ours.",
        "arguments": {"approval_id": approval.public_id, "note": "Not ours."},
    }  # fmt: skip
    assert told()[1:] == [("decided", approval.public_id, "rejected")]


def test_sending_back_is_written_down_and_the_draft_shows_as_changed(propose, reviewer):
    approval = propose()
    draft = Draft.objects.get()
    lifecycle.send_back(approval=approval, by=reviewer, feedback=" Shorter. ")
    now = Draft.objects.get()
    assert (now.status, now.feedback) == ("returned", "Shorter.")
    assert now.updated_at > draft.updated_at
    assert (approval.state, approval.note) == ("returned", "Shorter.")
    assert (approval.submission.state, approval.submission.outcome) == (
        "canceled", "sent back: Shorter.",
    )  # fmt: skip
    assert receipt("send_back") == {
        **by_person(reviewer), "approval": approval.public_id, "reason": "Shorter.",
        "arguments": {"approval_id": approval.public_id, "note": "Shorter."},
    }  # fmt: skip


def test_what_was_overtaken_can_still_be_refused_in_words(propose, message, reviewer):
    rejected, returned = propose("One.", "k1"), propose("Two.", "k2")
    factories.make_message(message.inbox, thread=message.thread, text="Never mind.")
    lifecycle.reject(approval=rejected, by=reviewer, reason="Not any more.")
    lifecycle.send_back(approval=returned, by=reviewer, feedback="Read on first.")
    assert (rejected.state, rejected.note) == ("rejected", "Not any more.")
    assert (returned.state, returned.note) == ("returned", "Read on first.")


@pytest.mark.parametrize(
    ("decide", "field"), [(lifecycle.reject, "reason"), (lifecycle.send_back, "feedback")]
)
def test_words_that_are_missing_are_named(propose, reviewer, decide, field):
    with pytest.raises(ApprovalError) as caught:
        decide(approval=propose(), by=reviewer, **{field: " "})
    error = caught.value
    assert (error.code, error.details, error.message) == (
        "invalid", {"field": field}, f"Enter the {field}",
    )  # fmt: skip


def test_an_edit_is_written_down_and_points_to_what_took_its_place(propose, reviewer):
    approval = propose()
    Approval.objects.update(place_at=factories.NOON)
    changes = {"subject": "Re: Offer", "body": "Shorter.", "to": ["bo@customer.example"],
               "cc": ["cy@customer.example"], "bcc": ["di@customer.example"]}  # fmt: skip
    new = edit(approval, reviewer, **changes)
    old, submission = fresh(approval), new.submission
    assert (old.state, old.note, old.decided_by, old.replaced_by) == (
        "voided", "edited by rhea", reviewer, new,
    )  # fmt: skip
    assert old.decided_at is not None
    assert submission.envelope_to == [
        "bo@customer.example", "cy@customer.example", "di@customer.example",
    ]  # fmt: skip
    assert b"Subject: Re: Offer" in submission.mime_bytes
    assert DraftVersion.objects.latest("version").author_name == "rhea"
    assert (new.agent, new.tool, new.reason, new.place_at, new.expires_at, new.sha256) == (
        old.agent, "send_reply", old.reason, factories.NOON, submission.expires_at, submission.sha256,
    )  # fmt: skip
    assert new.proposal_sha256 == ""
    assert [one["flag"] for one in new.risk_flags] == ["new_recipient", "recipient_added"]
    edited = Receipt.objects.get(tool="edit")
    assert new.receipt == edited
    assert edited.result == {
        "replaced_by": new.public_id,
        "message_id": submission.message_public_id,
    }
    assert receipt("edit") == {
        **by_person(reviewer), "approval": old.public_id, "reason": "edited by rhea",
        "arguments": {"approval_id": old.public_id},
    }  # fmt: skip
    assert receipt("approve")["approval"] == new.public_id
    assert told() == [
        ("created", old.public_id, "waiting"), ("voided", old.public_id, "voided"),
        ("created", new.public_id, "waiting"), ("decided", new.public_id, "approved"),
    ]  # fmt: skip


def test_an_edited_letter_that_raises_flags_is_left_as_it_was_where_it_may_not(propose, reviewer):
    approval = propose()
    with pytest.raises(ApprovalError) as caught:
        edit(approval, reviewer, body="It is 4111 1111 1111 1111.", may_raise_flags=False)
    assert (caught.value.code, caught.value.message) == (
        "flagged", "The edited message raises flags",
    )  # fmt: skip
    assert (fresh(approval).state, Approval.objects.count()) == ("waiting", 1)


def test_an_edited_letter_without_flags_is_approved_where_none_may_be_raised(
    propose, reviewer, message
):
    factories.make_person(message.workspace, sent_count=1, contact_count=2)
    edited = edit(propose(), reviewer, body="Shorter.", may_raise_flags=False)
    assert (edited.state, edited.risk_flags) == ("approved", [])


def test_an_edited_call_names_the_draft_that_it_sends_now(actor, inbox, propose, message, reviewer):
    by_id = edit(propose("In these words."), reviewer, body="Shorter.")
    assert by_id.arguments["body_or_draft_id"] == Draft.objects.get().public_id
    letter = {"account_id": inbox.account.public_id, "to": "bo@customer.example",
              "subject": "Offer", "body": "On Friday.", "confirm": True}  # fmt: skip
    approval = call("email_send", letter, actor).approval
    assert edit(approval, reviewer, body="On Monday.").arguments == approval.arguments


def test_undoing_is_written_down_and_what_waits_instead_is_the_same_proposal(
    propose, approve, actor, workspace, reviewer
):
    approval = approve(propose())
    other, decided_at = factories.make_person_user(workspace, name="otto"), approval.decided_at
    new = lifecycle.undo(approval=approval, by=other)
    # `decided_by` is still who approved it; that another took it back stands in the note.
    assert (approval.state, approval.note) == ("canceled", "undone by otto")
    assert (approval.decided_by, approval.decided_at) == (reviewer, decided_at)
    assert (new.state, new.proposal_sha256) == ("waiting", approval.proposal_sha256)
    found = find_promised(actor, approval.submission.message_public_id)
    assert found == new.submission != approval.submission
    assert receipt("undo")["reason"] == "undone by otto"
    assert told()[2:] == [
        ("decided", approval.public_id, "canceled"), ("created", new.public_id, "waiting"),
    ]  # fmt: skip


def test_undoing_what_cannot_wait_again_is_written_down(propose, approve, agent, reviewer):
    approval, other = approve(propose()), propose("Another.", "k2")
    agent.grants.all().delete()
    undone = lifecycle.undo(approval=approval, by=reviewer)
    words = "undone by rhea; it does not need approval again: "
    assert undone.note.startswith(words)
    assert receipt("undo") == {
        **by_person(reviewer), "approval": approval.public_id, "reason": undone.note,
        "arguments": {"approval_id": approval.public_id},
    }  # fmt: skip
    assert told()[3:] == [("decided", approval.public_id, "canceled")]
    assert fresh(other).state == "waiting"


# -- the word of a person on what nobody knows -------------------------------------------------------
@pytest.fixture
def unknown(propose, approve):
    """A letter of which the server never said whether it took it."""
    approval = approve(propose())
    for state in ("sending", "unknown"):
        Submission.objects.update(state=state)
    return fresh(approval)


@pytest.mark.parametrize(
    ("sent", "state", "words"),
    [(True, "sent", "it arrived"), (False, "failed", "it did not arrive")],
)
def test_what_became_of_it_is_known_by_a_persons_word(unknown, reviewer, sent, state, words):
    assert lifecycle.settle(approval=unknown, by=reviewer, sent=sent) is unknown
    assert unknown.submission.state == state
    assert unknown.submission.outcome.startswith("rhea says it was")
    assert receipt("settle") == {
        **by_person(reviewer), "approval": unknown.public_id, "reason": f"rhea says {words}",
        "arguments": {"approval_id": unknown.public_id, "sent": sent},
    }  # fmt: skip
    with pytest.raises(ApprovalError) as caught:
        lifecycle.settle(approval=unknown, by=reviewer, sent=sent)
    assert caught.value.code == "not_waiting"


def test_who_proposed_it_may_say_what_became_of_it_and_a_viewer_may_not(
    unknown, reviewer, workspace
):
    Submission.objects.update(proposed_by=f"person:{reviewer.pk}")
    viewer = factories.make_person_user(workspace, Role.VIEWER)
    with pytest.raises(ApprovalError) as caught:
        lifecycle.settle(approval=fresh(unknown), by=viewer, sent=True)
    assert caught.value.code == "not_allowed"
    lifecycle.settle(approval=fresh(unknown), by=reviewer, sent=True)
    assert Submission.objects.get().state == "sent"


def test_of_a_call_that_sends_nothing_there_is_no_letter_to_edit_undo_or_settle(
    actor, message, approve, reviewer
):
    activity = Activity.objects.create(
        workspace=message.workspace, source="email", source_id="x", message=message, title="Roof",
        created_at=message.received_at, status="surfaced", autonomy_tier=4,
    )  # fmt: skip
    lower = {"activity_ids": [activity.public_id], "updates": {"status": "archived"}}
    with pytest.raises(ToolError, match="waits for a person"):
        call("update_activities", lower, actor)
    approval = Approval.objects.get()
    letter = {"subject": "", "body": "", "to": [], "cc": [], "bcc": []}
    for decide, arguments in (
        (lifecycle.edit_and_approve, letter), (lifecycle.settle, {"sent": True}), (lifecycle.undo, {}),
    ):  # fmt: skip
        if decide == lifecycle.undo:
            approve(approval)
        with pytest.raises(ApprovalError, match="This call would not send any mail") as caught:
            decide(approval=approval, by=reviewer, **arguments)
        assert caught.value.code == "not_allowed"
