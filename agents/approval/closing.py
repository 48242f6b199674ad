"""How a locked approval is ended by a person's word; each in the caller's transaction."""

from django.contrib.auth.models import User
from django.utils import timezone

from agents import receipts
from agents.approval.answered import open_answered
from agents.approval.status import ApprovalError, end_submission, person_actor, publish_change
from agents.models import Approval, ApprovalState
from agents.receipts import ReceiptEntry
from inbox.operations.sending.submissions import close_submission
from inbox.reasons import ReasonText, own, say
from inbox.submission_states import SubmissionState


def refuse(current: Approval, by: User, words: str) -> Approval:
    """Reject it, for good, with what it would send."""
    end_submission(current, SubmissionState.REJECTED, say("rejected", why=own(words)))
    return end(current, ApprovalState.REJECTED, words, by, "reject")


def take_back(current: Approval, by: User, words: ReasonText) -> Approval:
    """Keep approved mail from leaving; it does not wait again, and what it answers is open again.

    Raises SubmissionError where it is being sent already.
    """
    if current.submission is not None:
        close_submission(submission=current.submission, state="canceled", outcome=words)
    person = person_actor(current, by)
    opened = open_answered(current, person)
    canceled = cancel(current, by, words)
    receipts.record_many(person, opened)
    return canceled


def cancel(current: Approval, by: User, note: ReasonText) -> Approval:
    """Mark an approval as taken back for good, with its receipt."""
    Approval.objects.filter(pk=current.pk).update(state=ApprovalState.CANCELED, note=note)
    current.state = ApprovalState.CANCELED
    publish_change(current, "decided")
    entry = ReceiptEntry(
        tool="undo", arguments={"approval_id": current.public_id}, approval=current.public_id,
        reason=note,
    )  # fmt: skip
    receipts.record(person_actor(current, by), entry)
    current.refresh_from_db()
    return current


def end(current: Approval, state: str, words: str, by: User, action: str) -> Approval:
    """Decide it against the agent, with the person's words and a receipt."""
    set_decided(current, state, words, by)
    receipts.record(
        person_actor(current, by),
        ReceiptEntry(
            tool=action, arguments={"approval_id": current.public_id, "note": words},
            approval=current.public_id, reason=own(words),
        ),
    )  # fmt: skip
    return current


def set_decided(current: Approval, state: str, note: str, by: User) -> None:
    """Decide it by compare-and-set: of many at once, one. What is decided is put off no more."""
    now = timezone.now()
    waiting = Approval.objects.filter(pk=current.pk, state=ApprovalState.WAITING)
    if not waiting.update(
        state=state, note=note, decided_by=by, decided_at=now, snoozed_until=None
    ):
        raise ApprovalError("not_waiting", say("decided_meanwhile"))
    current.state, current.note, current.decided_by, current.decided_at = state, note, by, now
    publish_change(current, "decided")
