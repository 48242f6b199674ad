"""What a proposal answers: the mail that came in is one matter with it.

Approving the answer closes what came in, and taking the answer back opens it again, each in the
transaction of that decision. Whoever calls writes the receipts that are returned, once nothing more
is locked.
"""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef

from agents.models import Approval
from agents.models.approvals import ApprovalQuerySet
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import (
    Activity,
    ActivityChange,
    ActivitySource,
    ActivityStatus,
    Draft,
    Submission,
    Urgency,
)
from inbox.models.activities import ActivityQuerySet
from inbox.operations.activities.history import mark_done, undo_change
from inbox.reasons import ReasonText, say

# Quarantine is a lock of its own, which no answer opens.
_DONE = ActivityStatus.PROCESSED
CLOSED_BY_ANSWER = (ActivityStatus.SURFACED, ActivityStatus.NEEDS_REVIEW)


def answered_by(approvals: ApprovalQuerySet) -> Exists:
    """Return what finds, among activities, those that any of these approvals answers.

    Each step is found by a key or an index; a join could begin with all that waits.
    """
    sealed = Submission.objects.filter(draft=OuterRef("pk"))
    of_draft = sealed.filter(Exists(approvals.order_by().filter(submission=OuterRef("pk"))))
    return Exists(Draft.objects.filter(Exists(of_draft), in_reply_to=OuterRef("message")))


def find_answered(actor: Actor, messages: Iterable[int]) -> ActivityQuerySet:
    """Return the activities of mail that came in, by the keys of its messages."""
    rows = Activity.objects.visible_to(actor)
    return rows.filter(source=ActivitySource.EMAIL, message__in=list(messages))


def is_urgent(actor: Actor, submission: Submission) -> bool:
    """Return True if what it answers was put before a person, and presses."""
    rows = _answered(actor, submission)
    return rows.filter(status=ActivityStatus.SURFACED, urgency=Urgency.HIGH).exists()


def lock_answered(actor: Actor, approvals: Iterable[Approval]) -> None:
    """Lock what several locked approvals answer, before the first receipt of any is written."""
    drafts = [one.submission.draft for one in approvals if one.submission is not None]
    keys = [draft.in_reply_to_id for draft in drafts if draft.in_reply_to_id is not None]
    rows = find_answered(actor, keys).select_for_update(of=("self",))
    list(rows.order_by("pk").only("pk"))


def close_answered(current: Approval, actor: Actor) -> list[ReceiptEntry]:
    """Mark what a locked approval answers as done; return the receipt of it, if it was open."""
    rows = _answered(actor, current.submission).filter(status__in=CLOSED_BY_ANSWER)
    closed = mark_done(actor=actor, activities=rows)
    if not closed:
        return []
    names = [activity.public_id for activity in closed]
    return [
        ReceiptEntry(
            tool="update_activities", approval=current.public_id,
            arguments={"activity_ids": names, "updates": {"status": str(_DONE)}},
            reason=say("answer_approved", approval=current.public_id),
            result={"updated_count": len(names), "activity_ids": names},
        )
    ]  # fmt: skip


def open_answered(
    current: Approval, actor: Actor, reason: ReasonText | None = None
) -> list[ReceiptEntry]:
    """Open again what approving this closed; return the receipt of it.

    The reason is that the answer was taken back, unless another is given. What somebody has changed
    since stays as they left it.
    """
    change = _closing_of(current, actor)
    if change is None:
        return []
    try:
        activity = undo_change(actor=actor, change=change)
    except DomainError:
        return []
    return [
        ReceiptEntry(
            tool="undo_activity_change", approval=current.public_id,
            reason=reason or say("answer_taken_back", approval=current.public_id),
            arguments={"activity_id": activity.public_id, "change_id": change.public_id},
            result=change.before,
        )
    ]  # fmt: skip


def _closing_of(current: Approval, actor: Actor) -> ActivityChange | None:
    """Return the change by which approving it closed what it answers."""
    if current.decided_at is None:
        return None
    rows = ActivityChange.objects.visible_to(actor).filter(
        activity__in=_answered(actor, current.submission), undoes=None,
        by=f"person:{current.decided_by_id}", at__gte=current.decided_at,
    )  # fmt: skip
    first = rows.order_by("id").first()
    is_closing = first is not None and first.after == {"status": str(_DONE)}
    return first if is_closing else None


def _answered(actor: Actor, submission: Submission | None) -> ActivityQuerySet:
    message = submission.draft.in_reply_to_id if submission is not None else None
    return find_answered(actor, [] if message is None else [message])
