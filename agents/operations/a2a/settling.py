"""Tasks stand as their calls and approvals do, and whoever asked is told of each change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agents.models import (
    A2APush,
    A2ATask,
    Approval,
    ApprovalState,
    LoggedEvent,
    Outcome,
    Receipt,
    TaskState,
)
from inbox import ids
from inbox.background.jobs import Payload, enqueue_many

PUSH = "a2a.push"
# Nothing follows any more.
OVER = frozenset(
    {TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELED, TaskState.REJECTED}
)  # fmt: skip
# So long a task is kept after its last change.
KEEP = timedelta(days=30)
_REMOVED_AT_ONCE = 5000
_BECOMES = {
    ApprovalState.REJECTED: TaskState.REJECTED,
    ApprovalState.RETURNED: TaskState.ASKED,
    ApprovalState.EXPIRED: TaskState.CANCELED,
    ApprovalState.VOIDED: TaskState.CANCELED,
    ApprovalState.CANCELED: TaskState.CANCELED,
}
_FIELDS = ("state", "status_at", "error", "receipt", "approval")


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What a call came to: its receipt, the approval that it waits for, or its error."""

    state: TaskState
    receipt: Receipt | None = None
    approval: Approval | None = None
    error: dict[str, Any] | None = None


def conclude(task: A2ATask, came_to: CallOutcome) -> None:
    """Note what the call of a working task came to; of two at once the first counts."""
    with transaction.atomic():
        rows = A2ATask.objects.select_for_update().filter(pk=task.pk, state=TaskState.WORKING)
        current = rows.first()
        if current is None:
            return
        for name in ("state", "receipt", "approval", "error"):
            setattr(current, name, getattr(came_to, name))
        _store([current])


def cancel(task: A2ATask) -> bool:
    """End a task that asks for another message; return False where it asks for none."""
    with transaction.atomic():
        rows = A2ATask.objects.select_for_update().filter(pk=task.pk, state=TaskState.ASKED)
        current = rows.first()
        if current is None:
            return False
        current.state = TaskState.CANCELED
        _store([current])
    return True


def settle_told(events: Iterable[LoggedEvent]) -> None:
    """Settle the tasks of the approvals that events are about, in the caller's transaction."""
    named = [
        ids.decode(Approval.ID_PREFIX, event.data["approval_id"])
        for event in events
        if event.fact.startswith("approval.") and event.fact != "approval.created"
    ]
    keys = [found[0] for found in named if found]
    if keys:
        settle(A2ATask.objects.filter(approval_id__in=keys))


def settle(tasks: Any) -> None:
    """Have those of the tasks that are held stand as their approvals do by now."""
    keys = list(tasks.filter(state=TaskState.HELD).values_list("pk", flat=True))
    if not keys:
        return
    with transaction.atomic():
        rows = A2ATask.objects.select_for_update(of=("self",)).filter(pk__in=keys)
        held = rows.filter(state=TaskState.HELD).select_related("approval__replaced_by")
        now = [(task, task.approval.newest()) for task in held.order_by("pk") if task.approval]
        over = [(task, approval) for task, approval in now if _is_over(approval)]
        answers = _answers([approval for _, approval in over])
        for task, approval in over:
            _follow(task, approval, answers.get(approval.public_id))
        _store([task for task, _ in over])


def _is_over(approval: Approval) -> bool:
    return approval.state != ApprovalState.WAITING


def _answers(approvals: Sequence[Approval]) -> dict[str, Receipt]:
    """Return the receipts of calls that were resumed, with their answers, by approval."""
    named = [approval.public_id for approval in approvals]
    rows = Receipt.objects.filter(approval__in=named, outcome=Outcome.OK)
    return {receipt.approval: receipt for receipt in rows.exclude(answer_sha256="")}


def _follow(task: A2ATask, approval: Approval, answer: Receipt | None) -> None:
    task.approval = approval
    if approval.state == ApprovalState.APPROVED:
        task.state, task.receipt = TaskState.COMPLETED, answer
        return
    task.state = _BECOMES[ApprovalState(approval.state)]
    task.error = {
        "code": "conflict",
        "message": str(approval.note),
        "details": {"approval_id": approval.public_id, "state": approval.state},
    }


def _store(tasks: Sequence[A2ATask]) -> None:
    """Store what changed of locked tasks, and have their addresses told once it is through."""
    now = timezone.now()
    for task in tasks:
        task.status_at = now
    if not tasks:
        return
    A2ATask.objects.bulk_update(tasks, _FIELDS)
    if not settings.A2A_PUSH_HOSTS:
        return
    pushes = A2APush.objects.filter(task__in=tasks).order_by("task__workspace_id", "pk")
    named = pushes.values_list("task__workspace_id", "pk")
    for workspace_id, of_workspace in groupby(named, key=lambda row: row[0]):
        payloads: list[Payload] = [{"push_id": pk} for _, pk in of_workspace]
        enqueue_many(PUSH, payloads, workspace_id=workspace_id)


def remove_old(now: datetime | None = None) -> int:
    """Remove tasks that nothing has become of for long, some at a time; return how many."""
    before = (now or timezone.now()) - KEEP
    old = A2ATask.objects.filter(status_at__lt=before).order_by("status_at")
    keys = list(old.values_list("pk", flat=True)[:_REMOVED_AT_ONCE])
    A2ATask.objects.filter(pk__in=keys).delete()
    return len(keys)
