"""Tasks as the protocol tells them (A2A 1.0, section 4.1)."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import Prefetch

from agents import receipts
from agents.approval.pending import review_url
from agents.evidence.refs import Ref, read_refs
from agents.evidence.trust import as_told, read_trust
from agents.evidence.visibility import visible_refs
from agents.models import A2AMessage, A2ATask, Receipt, TaskState
from agents.surfaces.a2a.skills import JSON, schema_of, skills_for
from agents.surfaces.request_body import parse_json
from inbox.actor import Actor

_RECEIPT = "chancery/receipt"
_TRUST = "chancery/trust"
_MENDED = frozenset({"invalid_input", "not_found"})
_STATES = {TaskState.HELD: "INPUT_REQUIRED", TaskState.ASKED: "INPUT_REQUIRED"}


def state_of(task: A2ATask) -> str:
    """Return the protocol's word for where a task stands."""
    state = TaskState(task.state)
    return f"TASK_STATE_{_STATES.get(state, state.value.upper())}"


def stored_states(word: str) -> list[TaskState]:
    """Return the states that the protocol calls so."""
    return [state for state in TaskState if state_of(A2ATask(state=state)) == word]


def tell_tasks(
    actor: Actor, tasks: Sequence[A2ATask], *, history: int | None, with_artifacts: bool = True
) -> list[dict[str, Any]]:
    """Return tasks that were read by `whole`; with at most so many messages each, None for all."""
    answers = answers_of(actor, tasks) if with_artifacts else {}
    trust = _trust_of(actor, answers.values())
    told = []
    for task in tasks:
        answer = answers.get(task.pk)
        shape: dict[str, Any] = {
            "id": task.public_id, "contextId": task.context_id, "status": tell_status(task)
        }  # fmt: skip
        if with_artifacts:
            shape["artifacts"] = [_artifact(answer, trust)] if answer else []
        said = [_message(task, one) for one in task.said.all()] if history != 0 else []
        if said:
            shape["history"] = said[-history:] if history else said
        told.append(shape)
    return told


def answers_of(actor: Actor, tasks: Sequence[A2ATask]) -> dict[int, Receipt]:
    """Return the receipts with the answers of tasks, but for skills that the token may not call."""
    may = {declared.name for declared in skills_for(actor)}
    return {task.pk: task.receipt for task in tasks if task.receipt and task.skill in may}


def tell_status(task: A2ATask) -> dict[str, Any]:
    """Return how a task stands, and what is said of that."""
    status: dict[str, Any] = {"state": state_of(task), "timestamp": as_timestamp(task.status_at)}
    parts = _said(task)
    if parts:
        status["message"] = {
            "messageId": f"{task.public_id}-{int(task.status_at.timestamp() * 1e6)}",
            "contextId": task.context_id, "taskId": task.public_id, "role": "ROLE_AGENT",
            "parts": parts,
        }  # fmt: skip
    return status


def as_timestamp(moment: datetime) -> str:
    """Return a time as ProtoJSON writes it, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _said(task: A2ATask) -> list[dict[str, Any]]:
    if task.state == TaskState.HELD:
        return _page_of(task)
    error = task.error
    if error is None:
        return []
    data: dict[str, Any] = dict(error)
    words = str(error["message"])
    if task.state == TaskState.ASKED:
        words = f"{words}\nSend a message with this taskId and what should be done instead."
        if error["code"] in _MENDED:
            data["skill"], data["inputSchema"] = task.skill, schema_of(task.skill)
    return [{"text": words}, data_part(data)]


def _page_of(task: A2ATask) -> list[dict[str, Any]]:
    """Return what is said of a task that waits for a person: which page, and until when."""
    approval = task.approval
    if approval is None:
        return []
    url = review_url(approval)
    words = (
        f"{task.skill} waits for a person, who decides at {url}. No message decides it; the task "
        f"goes on by itself. {approval.reason}"
    )
    data = {
        "approval_id": approval.public_id, "review_url": url, "state": "waiting",
        "expires_at": as_timestamp(approval.expires_at),
    }  # fmt: skip
    return [{"text": words}, data_part(data)]


def data_part(data: Any) -> dict[str, Any]:
    """Return a part with data."""
    return {"data": data, "mediaType": JSON}


def _artifact(receipt: Receipt, trust: dict[Ref, Any]) -> dict[str, Any]:
    shown = {ref.public_id: trust[ref] for ref in read_refs(receipt.shown or ()) if ref in trust}
    metadata = {_RECEIPT: receipt.public_id, **({_TRUST: shown} if shown else {})}
    answer = parse_json(receipts.read_answer(receipt))
    return {
        "artifactId": receipt.public_id, "name": receipt.tool, "parts": [data_part(answer)],
        "metadata": metadata,
    }  # fmt: skip


def _trust_of(actor: Actor, answered: Iterable[Receipt]) -> dict[Ref, Any]:
    """Return what is told of the texts that answers show, which only they who may see them read."""
    refs = visible_refs(actor, read_refs(one for it in answered for one in it.shown or ()))
    return {ref: as_told(it) for ref, it in read_trust(actor.workspace_id, refs).items()}


def _message(task: A2ATask, message: Any) -> dict[str, Any]:
    return {
        "messageId": message.message_id, "contextId": task.context_id, "taskId": task.public_id,
        "role": "ROLE_USER", "parts": message.parts,
    }  # fmt: skip


def whole(tasks: Any) -> Any:
    """Return the rows of tasks with all that telling them reads."""
    rows = tasks.select_related("approval", "receipt__answer")
    return rows.prefetch_related(Prefetch("said", A2AMessage.objects.order_by("pk")))
