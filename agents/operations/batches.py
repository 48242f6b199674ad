"""Messages approved together: the longest undo window among them is that of all."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from django.contrib.auth.models import User
from django.db import transaction

from agents import receipts
from agents.approval.answered import lock_answered
from agents.approval.lifecycle import Batch, undo
from agents.approval.status import ApprovalError, lock
from agents.models import Approval, ApprovalState
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.reasons import say
from inbox.submission_states import SubmissionState

# What an undo of a batch can do for one of it: it came back, it had left or is leaving, it was a
# call that is done at once, or somebody had ended it before.
Fate: TypeAlias = Literal["back", "left", "done", "over"]
_GONE = frozenset(
    {
        SubmissionState.PENDING, SubmissionState.SENDING, SubmissionState.SENT,
        SubmissionState.FAILED, SubmissionState.UNKNOWN,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class UndoResult:
    """One approval of a batch as it stands now, and what became of it."""

    approval: Approval
    fate: Fate
    words: str = ""


def begin_batch(approvals: Iterable[Approval]) -> Batch:
    """Return the batch that these submissions are to be approved in."""
    submissions = [one.submission for one in approvals if one.submission is not None]
    longest = max((submission.account.undo_seconds for submission in submissions), default=0)
    return Batch(uuid.uuid4(), longest)


def undo_batch(*, batch_id: uuid.UUID, by: User, actor: Actor) -> list[UndoResult]:
    """Take back all of a batch that has not left, in one step; return what became of each.

    All are locked before the first is touched, so that none leaves meanwhile. Empty where there is
    no such batch in the workspaces of `actor`, who is this person.
    """
    rows = Approval.objects.visible_to(actor).filter(batch=batch_id).order_by("pk")
    with transaction.atomic():
        locked = [lock(row) for row in rows]
        lock_answered(actor, locked)
        undone = [_take_back(one, by) for one in locked]
        for workspace in {one.approval.workspace_id for one in undone}:
            own = [one for one in undone if one.approval.workspace_id == workspace]
            receipts.record(actor.within(workspace), _entry(batch_id, own))
    return undone


def _take_back(current: Approval, by: User) -> UndoResult:
    if current.state != ApprovalState.APPROVED:
        return UndoResult(current, "over")
    if current.submission is None:
        return UndoResult(current, "done")
    try:
        # One that cannot come back leaves the others as they are.
        with transaction.atomic():
            undo(approval=current, by=by)
    except ApprovalError as error:
        current.refresh_from_db()
        has_left = current.submission.state in _GONE and error.code != "not_allowed"
        return UndoResult(current, "left" if has_left else "over", error.message)
    return UndoResult(current, "back")


def _entry(batch_id: uuid.UUID, undone: Sequence[UndoResult]) -> ReceiptEntry:
    back = [one.approval.public_id for one in undone if one.fate == "back"]
    return ReceiptEntry(
        tool="undo_batch", arguments={"batch_id": str(batch_id), "approval_ids": back},
        reason=say("batch_taken_back", back=len(back), count=len(undone)),
    )  # fmt: skip
