"""`GetTask`, `ListTasks` and `CancelTask` (A2A 1.0, 3.1.3 to 3.1.5)."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from agents import receipts
from agents.dispatching.dispatch import ABANDONED_AFTER
from agents.dispatching.statements import agent_status
from agents.errors import ToolError
from agents.lists import pages
from agents.models import A2ATask, AgentStatus, TaskState
from agents.operations.a2a.settling import cancel, conclude, settle
from agents.operations.a2a.withdrawing import withdraw_proposal
from agents.receipts import ReceiptEntry
from agents.surfaces.a2a.refusals import RpcError
from agents.surfaces.a2a.requests import GetTask, ListTasks, OfTask
from agents.surfaces.a2a.sending import find_task, outcome_of
from agents.surfaces.a2a.told import answers_of, stored_states, tell_tasks, whole
from inbox.actor import Actor
from inbox.reasons import say

_AT = "status_at"
_ANY = "TASK_STATE_UNSPECIFIED"


def check_active(actor: Actor) -> None:
    """Raise ToolError `permission_denied` where somebody has paused or stopped the agent."""
    if agent_status(actor.id or 0) != AgentStatus.ACTIVE:
        raise ToolError("permission_denied", say("is_paused", agent=actor.name))


def get_task(actor: Actor, asked: GetTask) -> dict[str, Any]:
    """Return a task as it stands; raises RpcError `TASK_NOT_FOUND`."""
    task = find_task(actor, asked.id)
    if _was_left(task):
        last = task.said.order_by("-pk").values_list("message_id", flat=True)[0]
        conclude(task, outcome_of(actor, last))
        task = find_task(actor, asked.id)
    note_shown(actor, "get_task", [task])
    return tell_tasks(actor, [task], history=asked.history_length)[0]


def note_shown(actor: Actor, tool: str, tasks: Sequence[A2ATask]) -> None:
    """Write the receipt of answers that an agent is shown once more; none where there are none."""
    answers = answers_of(actor, tasks).values()
    if answers:
        shown = [one for receipt in answers for one in receipt.shown or ()]
        named = {"receipts": [receipt.public_id for receipt in answers]}
        entry = ReceiptEntry(tool=tool, arguments=named, shown=list(dict.fromkeys(shown)))
        receipts.record(actor, entry)


def _was_left(task: A2ATask) -> bool:
    """Return True if whoever worked at it has stopped before it could say what came of it."""
    return task.state == TaskState.WORKING and timezone.now() - task.status_at > ABANDONED_AFTER


def list_tasks(actor: Actor, asked: ListTasks) -> dict[str, Any]:
    """Return a page of the caller's tasks, those whose state changed last first."""
    rows = A2ATask.objects.visible_to(actor)
    settle(rows.exclude(approval__state="waiting"))
    if asked.context_id:
        rows = rows.filter(context_id=asked.context_id)
    if asked.status != _ANY:
        rows = rows.filter(state__in=stored_states(asked.status))
    if asked.status_timestamp_after is not None:
        rows = rows.filter(status_at__gte=_aware(asked.status_timestamp_after))
    query = ["list_tasks", asked.context_id, asked.status, str(asked.status_timestamp_after)]
    after = pages.newest_after(rows, _AT, asked.page_token or None, query)
    found = list(whole(after)[: asked.page_size + 1])
    page, token = pages.take_page(found, asked.page_size, _AT, query)
    if asked.include_artifacts:
        note_shown(actor, "list_tasks", page)
    return {
        "tasks": tell_tasks(
            actor, page, history=asked.history_length, with_artifacts=asked.include_artifacts
        ),
        "nextPageToken": token or "",
        "pageSize": asked.page_size,
        # The protocol wants it; they are one agent's, of the last weeks.
        "totalSize": rows.count(),
    }


def _aware(moment: Any) -> Any:
    return moment if moment.tzinfo else timezone.make_aware(moment)


def cancel_task(actor: Actor, asked: OfTask) -> dict[str, Any]:
    """Withdraw what waits for a person, or ends what asks for a message; returns the task.

    Raises RpcError `TASK_NOT_CANCELABLE` where neither is so any more.
    """
    task = find_task(actor, asked.id)
    if task.state == TaskState.HELD and task.approval is not None:
        done = withdraw_proposal(approval=task.approval.newest(), by=actor)
    else:
        done = cancel(task)
    if not done:
        about = {"taskId": task.public_id, "state": task.state}
        raise RpcError("TASK_NOT_CANCELABLE", f"The task is {task.state}", about)
    return tell_tasks(actor, [find_task(actor, asked.id)], history=None)[0]
