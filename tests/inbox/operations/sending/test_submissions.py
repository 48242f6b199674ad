import email
import hashlib
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from inbox.background import jobs
from inbox.background.jobs import run_due
from inbox.errors import DomainError
from inbox.files.storage import blob_name
from inbox.models import Draft, DraftStatus, Message, ReplyPolicy, Submission
from inbox.operations.drafts.writing import attach_to_draft, create_draft, draft_reply, revise_draft
from inbox.operations.mail.incoming import receive_message
from inbox.operations.sending.submissions import (
    SubmissionError,
    close_submission,
    expire_submissions,
    find_drift,
    propose_submission,
    release_submission,
    undo_submission,
)
from tests.factories import agent_actor, make_agent, make_workspace

QUESTION = (
    b"From: Ada Byron <ada@customer.example>\r\nTo: office@lantern.example\r\n"
    b"Subject: The offer\r\nMessage-ID: <question@customer.example>\r\n"
    b"Date: Mon, 02 Mar 2026 12:00:00 +0000\r\n\r\nWhen may we have the offer?\r\n"
)


@pytest.fixture
def draft(actor, inbox) -> Draft:
    inbox.account.undo_seconds = 0
    inbox.account.save()
    thread = receive_message(inbox=inbox, raw=QUESTION).thread
    return draft_reply(actor=actor, thread=thread, body="On Friday.\n")


@pytest.fixture
def submission(actor, draft) -> Submission:
    return propose_submission(actor=actor, draft=draft)


def release(submission, reviewer) -> Submission:
    return release_submission(submission=submission, approved_by=reviewer, sha256=submission.sha256)


# -- proposing -------------------------------------------------------------------------------------
def test_a_proposal_seals_the_bytes_and_waits(submission, draft):
    sealed = email.message_from_bytes(submission.mime_bytes)
    assert submission.state == "held"
    assert submission.sha256 == hashlib.sha256(submission.mime_bytes).hexdigest()
    assert sealed["To"] == "Ada Byron <ada@customer.example>"
    assert sealed["Subject"] == "Re: The offer"
    assert sealed["Message-ID"] == submission.message_id_header
    assert sealed["In-Reply-To"] == "<question@customer.example>"
    assert submission.message_id_header.endswith("@lantern.example>")
    assert submission.expires_at - submission.proposed_at > timedelta(hours=71)
    assert Draft.objects.get().status == DraftStatus.PROPOSED


def test_bcc_stands_in_the_envelope_only(actor, inbox):
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(), subject="News",
        to=["ada@customer.example"], cc=["Ben@customer.example"], body="Hello",
        bcc=["cid@customer.example"],
    )  # fmt: skip
    submission = propose_submission(actor=actor, draft=draft)
    assert submission.envelope_to == [
        "ada@customer.example", "Ben@customer.example", "cid@customer.example",
    ]  # fmt: skip
    assert b"cid@" not in submission.mime_bytes


def test_a_draft_without_recipients_cannot_be_proposed(actor, draft):
    Draft.objects.update(to=[])
    with pytest.raises(DomainError, match="0 recipients"):
        propose_submission(actor=actor, draft=draft)
    assert Draft.objects.get().status == DraftStatus.OPEN


def test_a_draft_of_another_workspace_is_not_there(draft):
    stranger = make_agent(make_workspace(), "Stranger")
    with pytest.raises(DomainError) as caught:
        propose_submission(actor=agent_actor(stranger), draft=draft)
    assert caught.value.code == "not_found"


def test_a_newer_proposal_voids_the_one_that_waits(actor, draft, submission):
    newer = propose_submission(actor=actor, draft=draft)
    submission.refresh_from_db()
    assert (submission.state, newer.state) == ("voided", "held")
    assert "newer proposal" in submission.outcome
    assert Draft.objects.get().status == DraftStatus.PROPOSED


def test_a_draft_on_its_way_cannot_be_proposed_again(actor, draft, submission, reviewer):
    release(submission, reviewer)
    with pytest.raises(DomainError, match="being sent"):
        propose_submission(actor=actor, draft=draft)
    run_due()
    with pytest.raises(DomainError, match="sent"):
        propose_submission(actor=actor, draft=draft)


@pytest.mark.parametrize("status", ["discarded", "sent"])
def test_a_draft_that_has_ended_cannot_be_proposed(actor, draft, status):
    Draft.objects.update(status=status)
    with pytest.raises(DomainError, match=f"The draft is {status} and cannot be proposed"):
        propose_submission(actor=actor, draft=draft)
    assert not Submission.objects.exists()


def test_each_proposal_has_an_id_of_its_own(actor, draft, submission):
    newer = propose_submission(actor=actor, draft=draft)
    assert newer.message_id_header != submission.message_id_header


def test_lost_bytes_of_an_attachment_are_named(actor, draft):
    attachment = attach_to_draft(
        draft=draft, filename="offer.pdf", content_type="application/pdf", content=b"%PDF"
    )
    (Path(settings.MEDIA_ROOT) / blob_name(draft.workspace_id, attachment.blob.sha256)).unlink()
    with pytest.raises(DomainError, match=r"offer\.pdf"):
        propose_submission(actor=actor, draft=draft)


# -- releasing -------------------------------------------------------------------------------------
def test_a_released_submission_is_sent_once_and_kept_in_its_thread(submission, reviewer, draft):
    promised = submission.message_public_id
    release(submission, reviewer)
    run_due()
    submission.refresh_from_db()
    assert submission.state == "sent"
    [delivered] = Path(settings.LOCAL_MAIL_DIR).glob("*/new/*")
    assert delivered.read_bytes() == submission.mime_bytes
    copy = Message.objects.get(submission=submission)
    assert copy.public_id == promised
    assert copy.thread_id == draft.thread_id
    assert [box.role for box in copy.mailboxes.all()] == ["sent"]
    assert Draft.objects.get().status == DraftStatus.SENT


def test_it_does_not_leave_before_its_undo_window_is_over(inbox, submission, reviewer):
    inbox.account.undo_seconds = 60
    inbox.account.save()
    released = release(submission, reviewer)
    assert released.send_at > timezone.now() + timedelta(seconds=50)
    run_due()
    submission.refresh_from_db()
    assert submission.state == "pending"


def test_another_hash_releases_nothing(submission, reviewer):
    with pytest.raises(SubmissionError) as caught:
        release_submission(submission=submission, approved_by=reviewer, sha256="0" * 64)
    assert caught.value.problem == "wrong_hash"
    assert submission.state == "held"


def test_nothing_is_released_twice(submission, reviewer):
    release(submission, reviewer)
    with pytest.raises(SubmissionError) as caught:
        release(submission, reviewer)
    assert caught.value.problem == "not_held"


def test_an_expired_submission_is_not_released(submission, reviewer):
    Submission.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(SubmissionError) as caught:
        release(submission, reviewer)
    assert caught.value.problem == "expired"
    assert (submission.state, Draft.objects.get().status) == ("expired", "open")


def edit_text(draft, submission, actor):
    revise_draft(draft=draft, author_key="agent:9", author_name="Eve", body="Never.")


def edit_recipients(draft, submission, actor):
    revise_draft(draft=draft, author_key="agent:9", author_name="Eve", to=["eve@evil.example"])


def add_an_attachment(draft, submission, actor):
    attach_to_draft(draft=draft, filename="x.txt", content_type="text/plain", content=b"x")


def get_a_newer_message(draft, submission, actor):
    raw = QUESTION.replace(b"question@", b"second@").replace(
        b"Subject:", b"In-Reply-To: <question@customer.example>\r\nSubject:"
    )
    receive_message(inbox=draft.inbox, raw=raw)


def change_the_policy(draft, submission, actor):
    policy = ReplyPolicy.objects.create(
        workspace=draft.workspace, name="Plain", source="", version=3
    )
    Draft.objects.filter(pk=draft.pk).update(policy=policy)


DRIFTS = {
    "text": edit_text,
    "to": edit_recipients,
    "attachments": add_an_attachment,
    "newer message, from ada@customer.example": get_a_newer_message,
    "policy": change_the_policy,
}


@pytest.mark.parametrize("words", DRIFTS)
def test_what_drifted_is_voided_with_the_difference_named(words, submission, actor, reviewer):
    assert find_drift(submission) == []
    DRIFTS[words](submission.draft, submission, actor)
    with pytest.raises(SubmissionError) as caught:
        release(submission, reviewer)
    assert caught.value.problem == "voided"
    assert words in " ".join(caught.value.changes)
    assert (submission.state, words in submission.outcome) == ("voided", True)


@pytest.mark.parametrize("words", DRIFTS)
def test_what_drifts_within_the_undo_window_does_not_leave(words, submission, actor, reviewer):
    release(submission, reviewer)
    DRIFTS[words](submission.draft, submission, actor)
    run_due()
    submission.refresh_from_db()
    assert submission.state == "voided"
    assert words in submission.outcome
    assert not Path(settings.LOCAL_MAIL_DIR).exists()


def test_a_newer_version_of_the_same_policy_is_drift(actor, inbox):
    policy = ReplyPolicy.objects.create(workspace=inbox.workspace, name="Plain", source="")
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(), subject="News",
        to=["ada@customer.example"], body="Hello", policy=policy,
    )  # fmt: skip
    submission = propose_submission(actor=actor, draft=draft)
    ReplyPolicy.objects.filter(pk=policy.pk).update(version=2)
    assert find_drift(submission) == ["the policy Plain is now at version 2, not 1"]


# -- ending ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("state", ["rejected", "canceled", "voided", "expired"])
def test_closing_ends_it_and_opens_the_draft_again(state, submission, actor, draft):
    closed = close_submission(submission=submission, state=state, outcome="Not so.")
    assert (closed.state, closed.outcome, Draft.objects.get().status) == (state, "Not so.", "open")
    assert propose_submission(actor=actor, draft=draft).state == "held"


def test_what_was_sent_cannot_be_closed(submission, reviewer):
    release(submission, reviewer)
    run_due()
    with pytest.raises(SubmissionError):
        close_submission(submission=submission, state="canceled", outcome="Too late.")


def test_undo_takes_it_back_within_the_window(inbox, submission, reviewer, actor, draft):
    inbox.account.undo_seconds = 60
    inbox.account.save()
    release(submission, reviewer)
    assert undo_submission(submission=submission).state == "canceled"
    again = propose_submission(actor=actor, draft=draft)
    assert again.state == "held"


def test_undo_comes_too_late_after_the_window(submission, reviewer):
    release(submission, reviewer)
    with pytest.raises(SubmissionError) as caught:
        undo_submission(submission=submission)
    assert caught.value.problem == "too_late"


def test_undo_needs_a_release(submission):
    with pytest.raises(SubmissionError) as caught:
        undo_submission(submission=submission)
    assert caught.value.problem == "not_held"


def test_what_nobody_decided_expires(submission):
    assert expire_submissions() == 0
    assert expire_submissions(now=timezone.now() + timedelta(hours=73)) == 1
    submission.refresh_from_db()
    assert submission.state == "expired"


@pytest.fixture
def heard(monkeypatch):
    """Every fact published, in order."""
    facts = []
    monkeypatch.setattr(jobs, "_SUBSCRIBERS", {})
    monkeypatch.setattr(jobs, "_HANDLERS", dict(jobs._HANDLERS))
    for state in ("sent", "failed", "unknown", "voided", "expired"):
        fact = f"submission.{state}"
        jobs.subscribe(fact, f"test.{fact}")(
            lambda payload, fact=fact: facts.append((fact, payload["submission_id"]))
        )
    return facts


def test_its_fate_is_published(heard, submission, reviewer, actor, draft):
    newer = propose_submission(actor=actor, draft=draft)
    release(newer, reviewer)
    run_due()
    assert heard == [("submission.voided", submission.pk), ("submission.sent", newer.pk)]
