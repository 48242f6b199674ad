"""What a restored backup does to what was about to leave."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from inbox.background.jobs import run_due
from inbox.models import Message, Submission
from inbox.operations.accounts.connections import provider_of
from inbox.operations.sending.after_restore import hold_again, hold_all_again
from inbox.operations.sending.delivery import parcel_of
from inbox.operations.sending.submissions import SubmissionError, release_submission
from tests import sending_tools
from tests.sending_tools import fate, propose
from tests.servers import Peer, smtp_sink

pytestmark = pytest.mark.django_db
WHY = "A backup was restored: it may have left already."


@pytest.fixture
def released(actor, inbox, reviewer):
    """Propose a submission and have it released, through the server at this port."""

    def make(port: int = 0) -> Submission:
        return sending_tools.release(propose(actor, inbox, port), reviewer)

    return make


def approve_again(submission: Submission, reviewer) -> None:
    release_submission(submission=submission, approved_by=reviewer, sha256=submission.sha256)


def test_what_was_pending_waits_for_a_person_and_does_not_leave(released):
    with smtp_sink() as (sink, port):
        submission = released(port)
        assert hold_all_again(why=WHY) == 1
        run_due()
    assert (fate(submission), submission.outcome, sink.taken) == ("held", WHY, [])
    assert (submission.approved_by, submission.approved_sha256) == (None, "")


def test_nothing_is_left_of_its_approval_and_a_person_has_as_long_as_before(released, settings):
    settings.APPROVAL_HOURS = 5
    submission, other, before = released(), released(), timezone.now()
    Submission.objects.update(waits_since=before, expires_at=before)
    assert hold_again(submission=submission, why=WHY) is submission
    assert (submission.state, submission.outcome) == ("held", WHY)
    assert (submission.approved_at, submission.send_at, submission.waits_since) == (None,) * 3
    assert before <= submission.held_again_at <= timezone.now()
    assert fate(other) == "pending"
    assert submission.expires_at == submission.held_again_at + timedelta(hours=5)


def test_what_waits_for_a_person_already_is_marked_too(actor, inbox):
    submission = propose(actor, inbox)
    assert hold_all_again(why=WHY) == 1
    assert (fate(submission), submission.outcome) == ("held", WHY)


def test_approved_anew_it_leaves_once_with_the_same_bytes(released, reviewer):
    with smtp_sink() as (sink, port):
        submission = released(port)
        hold_all_again(why=WHY)
        run_due()
        approve_again(submission, reviewer)
        run_due()
    assert fate(submission) == "sent"
    assert [taken.content for taken in sink.taken] == [submission.mime_bytes]


def test_approved_anew_it_does_not_leave_where_it_is_found_among_what_was_sent(released, reviewer):
    submission = released()
    provider_of(submission.account).submit(parcel_of(submission), lambda: None)
    hold_again(submission=submission, why=WHY)
    approve_again(submission, reviewer)
    run_due()
    assert (fate(submission), "was found" in submission.outcome) == ("sent", True)
    assert Message.objects.get().submission_id == submission.pk


def test_what_was_being_sent_is_taken_from_its_worker(released):
    with Peer() as peer:
        submission = released(peer.port)
        rows = Submission.objects.filter(pk=submission.pk)
        rows.update(state="sending", fence="f", leased_until=timezone.now())
        hold_again(submission=submission, why=WHY)
    assert (fate(submission), submission.fence) == ("held", "")


def test_what_was_handed_over_is_left_to_the_recovery(released):
    submission = released()
    rows = Submission.objects.filter(pk=submission.pk)
    rows.update(state="sending", handed_over_at=timezone.now())
    assert hold_all_again(why=WHY) == 0
    with pytest.raises(SubmissionError, match="The submission is already sending") as caught:
        hold_again(submission=submission, why=WHY)
    assert caught.value.problem == "not_held"
    assert fate(submission) == "sending"


@pytest.mark.parametrize(
    "kept", [{"approved_sha256"}, {"approved_by"}, {"held_again_at"}, {"handed_over_at"}]
)
def test_the_database_holds_nothing_again_with_a_trace_of_its_approval(released, kept):
    submission = released()
    rows = Submission.objects.filter(pk=submission.pk)
    rows.update(state="sending")
    if "handed_over_at" in kept:
        rows.update(handed_over_at=timezone.now())
    cleared = {"approved_sha256": "", "approved_by": None, "held_again_at": timezone.now()}
    changes = {name: value for name, value in cleared.items() if name not in kept}
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(state="held", **changes)
