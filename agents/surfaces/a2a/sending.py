"""`SendMessage`: a call of a skill becomes a task, once for each message (A2A 1.0, 3.1.1)."""

import secrets
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from agents.contracts import ToolError
from agents.dispatching.canonical import canonical, digest
from agents.dispatching.dispatch import call, refuse_request
from agents.models import A2AMessage, A2ATask, Approval, Outcome, Receipt, TaskState
from agents.operations.a2a.settling import OVER, CallOutcome, conclude, settle
from agents.surfaces.a2a.pushes import keep_push
from agents.surfaces.a2a.refusals import RpcError, bad_field, no_task
from agents.surfaces.a2a.requests import Message, SendMessage
from agents.surfaces.a2a.skills import SkillCall, profile, read_call, schema_of, skills_for
from agents.surfaces.a2a.told import data_part, tell_tasks, whole
from inbox.actor import Actor

_MENDABLE = frozenset({"invalid_input", "not_found"})
_REFUSED = frozenset({"permission_denied", "policy_blocked"})


def send_message(actor: Actor, asked: SendMessage) -> dict[str, Any]:
    """Return the task of a message, or a message that says what one has to be.

    The same message again has the same task, as it stands now. Raises RpcError and ToolError.
    """
    message = asked.message
    wanted = read_call(message)
    task = _find_sent(actor, message)
    if task is None:
        begun = _task_to_go_on(actor, message)
        if begun is not None and (begun.state != TaskState.ASKED or wanted is None):
            return _answer(actor, begun, asked)
        if wanted is None or profile().find(wanted.skill) is None:
            return {"message": _ask_for_call(actor, message, wanted)}
        task = _begin(actor, asked, begun, wanted.skill)
    if task.state == TaskState.WORKING and wanted is not None:
        came_to = _run(actor, wanted, message.message_id)
        if came_to.state != TaskState.WORKING:
            conclude(task, came_to)
    return _answer(actor, task, asked)


def find_task(actor: Actor, task_id: str) -> A2ATask:
    """Return a task of the caller's, as it stands by now; raises RpcError `TASK_NOT_FOUND`."""
    rows = A2ATask.objects.visible_to(actor).with_public_id(task_id)
    settle(rows)
    found: A2ATask | None = whole(rows).first()
    if found is None:
        raise no_task(task_id)
    return found


def _parts(message: Message) -> list[dict[str, Any]]:
    """Return what a message says, as it is kept."""
    return [
        part.model_dump(by_alias=True, exclude_none=True, exclude_defaults=True)
        for part in message.parts
    ]


def _hash_of(message: Message) -> str:
    return digest(canonical([message.task_id, message.context_id, _parts(message)]))


def _find_sent(actor: Actor, message: Message) -> A2ATask | None:
    """Return the task of a message that came before; raises RpcError where it said otherwise."""
    sent = A2AMessage.objects.filter(agent_id=actor.id, message_id=message.message_id)
    known = sent.select_related("task").first()
    if known is None:
        return None
    if known.sha256 != _hash_of(message):
        words = "was used for another message; accepted: one that is new"
        raise bad_field("message.messageId", words)
    return known.task


def _task_to_go_on(actor: Actor, message: Message) -> A2ATask | None:
    """Return the task that a message goes on with; raises RpcError where that cannot be."""
    if not message.task_id:
        return None
    task = find_task(actor, message.task_id)
    if message.context_id not in {None, task.context_id}:
        raise bad_field("message.contextId", f"is not the task's; accepted: {task.context_id}")
    if task.state in OVER:
        about = {"taskId": task.public_id, "state": task.state}
        raise RpcError("UNSUPPORTED_OPERATION", "The task is over; begin another", about)
    return task


def _begin(actor: Actor, asked: SendMessage, begun: A2ATask | None, skill: str) -> A2ATask:
    """Store the message and its task, which works from now on."""
    message = asked.message
    try:
        with transaction.atomic():
            task = _made(actor, message, skill) if begun is None else _resumed(begun, skill)
            A2AMessage.objects.create(
                task=task, agent_id=actor.id, message_id=message.message_id,
                sha256=_hash_of(message), parts=_parts(message),
            )  # fmt: skip
            if asked.configuration.task_push_notification_config is not None:
                keep_push(actor, task, asked.configuration.task_push_notification_config)
    except IntegrityError:
        # The same message came twice at once.
        found = _find_sent(actor, message)
        if found is None:
            raise
        return found
    return task


def _made(actor: Actor, message: Message, skill: str) -> A2ATask:
    return A2ATask.objects.create(
        workspace_id=actor.workspace_id, agent_id=actor.id, skill=skill,
        context_id=message.context_id or f"context-{secrets.token_hex(16)}",
        status_at=timezone.now(),
    )  # fmt: skip


def _resumed(begun: A2ATask, skill: str) -> A2ATask:
    """Have a task that asks for something work again; raises RpcError where another message did."""
    changed = A2ATask.objects.filter(
        pk=begun.pk, workspace_id=begun.workspace_id, state=TaskState.ASKED
    ).update(
        state=TaskState.WORKING, skill=skill, error=None, approval=None,
        status_at=timezone.now(),
    )  # fmt: skip
    if not changed:
        raise RpcError("UNSUPPORTED_OPERATION", "The task goes on with another message already")
    begun.state = TaskState.WORKING
    return begun


def _run(actor: Actor, wanted: SkillCall, message_id: str) -> CallOutcome:
    """Call the tool through the one way in, under the message's key."""
    key = f"a2a-{message_id}"
    registry = profile().registry
    arguments = registry.leave_out_nulls(wanted.skill, wanted.arguments)
    try:
        call(wanted.skill, arguments, actor, key, registry)
    except ToolError as error:
        if error.code == "idempotency_in_progress":
            return CallOutcome(TaskState.WORKING)
        if error.code != "approval_required":
            return CallOutcome(_state_after(error), error=error.as_json())
    return outcome_of(actor, message_id)


def outcome_of(actor: Actor, message_id: str) -> CallOutcome:
    """Return what the call of a message came to, by its receipt."""
    rows = Receipt.objects.visible_to(actor).filter(actor=actor.key)
    receipt = rows.filter(idempotency_key=f"a2a-{message_id}").first()
    if receipt is None or receipt.outcome == Outcome.OPEN:
        lost = ToolError("internal", "The call was broken off and did nothing; send it again")
        return CallOutcome(TaskState.FAILED, error=lost.as_json())
    if receipt.outcome != Outcome.HELD:
        return CallOutcome(TaskState.COMPLETED, receipt=receipt)
    approval = Approval.objects.visible_to(actor).with_public_id(receipt.approval).get()
    return CallOutcome(TaskState.HELD, approval=approval)


def _state_after(error: ToolError) -> TaskState:
    if error.code in _MENDABLE:
        return TaskState.ASKED
    return TaskState.REJECTED if error.code in _REFUSED else TaskState.FAILED


def _answer(actor: Actor, task: A2ATask, asked: SendMessage) -> dict[str, Any]:
    history = asked.configuration.history_length
    found = find_task(actor, task.public_id)
    return {"task": tell_tasks(actor, [found], history=history)[0]}


def _ask_for_call(actor: Actor, message: Message, wanted: SkillCall | None) -> dict[str, Any]:
    """Return what is said to a message without a call: which skills there are, and how."""
    named = f"There is no skill {wanted.skill[:100]!r}." if wanted else "The message has no call."
    refuse_request(wanted.skill if wanted else "send_message", actor,
                   ToolError("invalid_input", named))  # fmt: skip
    words = (
        f"{named} No model reads what is said here: send a data part with a skill and its "
        "arguments, or the JSON of that as text."
    )
    skills = [
        {"skill": each.name, "description": each.description, "inputSchema": schema_of(each.name)}
        for each in skills_for(actor)
    ]
    return {
        "messageId": f"to-{message.message_id}", "role": "ROLE_AGENT",
        "contextId": message.context_id or f"context-{secrets.token_hex(16)}",
        "parts": [{"text": words}, data_part({"skills": skills})],
    }  # fmt: skip
