"""What is compared before a submission is released, and once more before it is sent."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from inbox.background.jobs import RetryLater
from inbox.models import (
    Account,
    Draft,
    DraftVersion,
    Identity,
    Message,
    ReplyPolicy,
    Submission,
    Thread,
)
from inbox.operations.drafts.writing import create_draft, draft_reply, revise_draft
from inbox.operations.sending import delivery
from inbox.operations.sending.submissions import (
    SubmissionError,
    close_submission,
    expire_submissions,
    find_drift,
    propose_submission,
    release_submission,
    undo_submission,
)
from tests import sending_tools
from tests.factories import make_message
from tests.sending_tools import fate, propose
from tests.servers import smtp_sink


@pytest.fixture
def submission(actor, inbox) -> Submission:
    return propose(actor, inbox)


@pytest.fixture
def reply(actor, inbox) -> Submission:
    """A proposed answer to a message that came at noon."""
    return propose_submission(
        actor=actor, draft=draft_reply(actor=actor, thread=make_message(inbox).thread, body="Yes.")
    )


def damage(submission: Submission) -> None:
    """Change the sealed bytes behind the database's own rule, as a broken disk would."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("DROP TRIGGER inbox_submission_sealed")
        else:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("ALTER TABLE inbox_submission DISABLE TRIGGER inbox_submission_rules")
    Submission.objects.filter(pk=submission.pk).update(mime=submission.mime_bytes + b"PS: no.\r\n")


# -- the bytes -------------------------------------------------------------------------------------
def test_bytes_that_are_damaged_are_not_released(submission, reviewer):
    damage(submission)
    with pytest.raises(SubmissionError) as caught:
        sending_tools.release(submission, reviewer)
    assert (caught.value.problem, fate(submission)) == ("damaged", "held")


def test_bytes_that_are_damaged_after_the_release_do_not_leave(actor, inbox, reviewer):
    with smtp_sink() as (sink, port):
        submission = sending_tools.release(propose(actor, inbox, port), reviewer)
        damage(submission)
        delivery.send({"submission_id": submission.pk})
    assert (fate(submission), submission.outcome) == (
        "voided", "the sealed message is not the approved one",
    )  # fmt: skip
    assert sink.taken == []


def test_what_is_recorded_of_a_release_names_who_when_and_which_bytes(submission, reviewer):
    before = timezone.now()
    released = sending_tools.release(submission, reviewer)
    assert released.approved_by == reviewer
    assert released.approved_sha256 == submission.sha256
    assert before <= released.approved_at <= released.send_at <= timezone.now()


# -- what drifted ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("status", "words"), [("discarded", "the draft is discarded"), ("sent", "the draft is sent")]
)
def test_a_draft_that_is_gone_is_drift(submission, status, words):
    Draft.objects.update(status=status)
    assert find_drift(submission) == [words]


def test_what_was_changed_and_changed_back_is_another_version_nonetheless(submission):
    for body in ("Never.", "Hello"):
        revise_draft(draft=submission.draft, author_key="agent:9", author_name="Eve", body=body)
    assert find_drift(submission) == ["the draft is now at version 3, not 1"]


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("to", ["eve@evil.example"], "to"), ("cc", ["eve@evil.example"], "cc"),
        ("bcc", ["eve@evil.example"], "bcc"), ("subject", "Other", "subject"), ("body", "X", "text"),
    ],
)  # fmt: skip
def test_each_field_that_was_changed_is_named_alone(submission, field, value, word):
    revise_draft(draft=submission.draft, author_key="agent:9", author_name="Eve", **{field: value})
    assert find_drift(submission) == [f"changed in the draft: {word}"]


def test_of_a_version_that_was_lost_every_field_may_have_changed(submission):
    revise_draft(draft=submission.draft, author_key="agent:9", author_name="Eve", body="Never.")
    DraftVersion.objects.filter(version=1).delete()
    assert find_drift(submission) == ["changed in the draft: to, cc, bcc, subject, text"]


def test_another_address_of_the_sender_is_drift(submission):
    Identity.objects.update(email="new@lantern.example")
    assert find_drift(submission) == [
        "the sender is now new@lantern.example; it was sealed with office@lantern.example"
    ]


def test_a_policy_that_was_taken_away_is_drift(actor, inbox):
    policy = ReplyPolicy.objects.create(workspace=inbox.workspace, name="Plain", source="")
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(), subject="News",
        to=["ada@customer.example"], body="Hello", policy=policy,
    )  # fmt: skip
    submission = propose_submission(actor=actor, draft=draft)
    assert find_drift(submission) == []
    Draft.objects.update(policy=None)
    assert find_drift(submission) == ["another reply policy applies"]
    policy.delete()
    submission.refresh_from_db()
    assert find_drift(submission) == ["another reply policy applies"]


@pytest.mark.parametrize(
    ("minutes", "drifted"), [(-1, False), (0, True), (1, True)], ids=["older", "as old", "newer"]
)
def test_a_message_that_turns_up_late_is_newer_by_when_it_was_received(
    inbox, reply, minutes, drifted
):
    head = reply.thread_head
    late = make_message(
        inbox, thread=reply.thread, at=head.received_at + timedelta(minutes=minutes),
        sender="ben@customer.example",
    )  # fmt: skip
    Message.objects.filter(pk=late.pk).update(created_at=reply.proposed_at - timedelta(days=1))
    newer = ["the thread has a newer message, from ben@customer.example"]
    assert find_drift(reply) == (newer if drifted else [])


def test_the_head_of_a_thread_is_its_own_newest_message(actor, inbox):
    asked = make_message(inbox)
    make_message(inbox, text="About something else.")
    draft = draft_reply(actor=actor, thread=asked.thread, body="Yes.")
    assert propose_submission(actor=actor, draft=draft).thread_head == asked


def test_an_old_message_that_only_now_came_in_is_newer(inbox, reply):
    make_message(inbox, thread=reply.thread, at=reply.thread_head.received_at - timedelta(days=9))
    assert len(find_drift(reply)) == 1


def test_a_message_of_another_thread_or_a_deleted_one_is_no_drift(inbox, reply):
    make_message(inbox)
    make_message(inbox, thread=reply.thread)
    Message.objects.filter(thread=reply.thread).exclude(pk=reply.thread_head_id).update(
        deleted_at=timezone.now()
    )
    assert find_drift(reply) == []


def test_the_thread_that_took_its_own_in_is_looked_at(inbox, reply):
    joined = make_message(inbox)
    Message.objects.filter(pk=joined.pk).update(created_at=reply.proposed_at - timedelta(days=1))
    Message.objects.filter(pk=joined.pk).update(received_at=reply.thread_head.received_at)
    Message.objects.filter(thread=reply.thread).update(thread=joined.thread)
    Thread.objects.filter(pk=reply.thread_id).update(merged_into=joined.thread)
    Message.objects.filter(pk=joined.pk).update(
        received_at=reply.thread_head.received_at - timedelta(days=1)
    )
    reply.refresh_from_db()
    assert find_drift(reply) == []
    make_message(inbox, thread=joined.thread)
    assert len(find_drift(reply)) == 1


# -- when ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("of_account", "asked", "seconds"), [(60, 5, 60), (5, 60, 60), (0, 0, 0)])
def test_the_longer_of_two_windows_for_undoing_counts(
    submission, reviewer, of_account, asked, seconds
):
    Account.objects.update(undo_seconds=of_account)
    released = release_submission(
        submission=submission, approved_by=reviewer, sha256=submission.sha256, undo_seconds=asked
    )
    assert released.send_at - released.approved_at == timedelta(seconds=seconds)


@pytest.mark.parametrize("send_at", [timedelta(minutes=1), None], ids=["too early", "never"])
def test_nobody_takes_what_is_not_due_whatever_job_says_so(submission, reviewer, send_at):
    sending_tools.release(submission, reviewer)
    Submission.objects.update(send_at=send_at and timezone.now() + send_at)
    with pytest.raises(RetryLater):
        delivery.send({"submission_id": submission.pk})
    assert (fate(submission), submission.attempts) == ("pending", 0)


def test_what_has_no_time_to_leave_cannot_be_undone(submission, reviewer):
    sending_tools.release(submission, reviewer)
    Submission.objects.update(send_at=None)
    with pytest.raises(SubmissionError) as caught:
        undo_submission(submission=submission)
    assert (caught.value.problem, fate(submission)) == ("too_late", "pending")


@pytest.mark.parametrize(
    ("state", "ends"),
    [("canceled", True), ("voided", True), ("rejected", False), ("expired", False)],
)
def test_what_waits_to_leave_can_be_taken_back_but_not_decided_again(
    submission, reviewer, state, ends
):
    sending_tools.release(submission, reviewer)
    if not ends:
        with pytest.raises(SubmissionError) as caught:
            close_submission(submission=submission, state=state, outcome="No.")
        assert caught.value.problem == "not_held"
    else:
        close_submission(submission=submission, state=state, outcome="No.")
        assert submission.finished_at is not None
    assert fate(submission) == (state if ends else "pending")


def test_of_those_that_expire_only_the_held_ones_do(actor, inbox, reviewer, submission):
    released = sending_tools.release(propose(actor, inbox), reviewer)
    Submission.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert expire_submissions() == 1
    assert (fate(submission), fate(released)) == ("expired", "pending")
    assert submission.outcome == "It expired without a decision."
    assert expire_submissions() == 0
