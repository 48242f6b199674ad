"""Readings in the background: a worker makes the call as the agent, as it stands by then."""

import json
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.contracts import REGISTRY, Effect, Tool
from agents.dispatching.actors import current_actor
from agents.dispatching.canonical import by_hash
from agents.dispatching.dispatch import call
from agents.errors import ToolError, invalid
from agents.models import CacheTask, CacheTaskState
from inbox.actor import Actor
from inbox.background.jobs import Payload, RetryLater, enqueue, handler
from inbox.background.periodic import periodic
from inbox.models import Account

MOST_WAITING = 200
MOST_RETRIES = 3
LONGEST_RESULT = 256 * 1024
KEEP = timedelta(days=7)
LOST_AFTER = timedelta(hours=2)
_LOST = ToolError("internal", "Its worker ended again and again before it was done")
_REMOVED_AT_ONCE = 2000
# What may go better a little later.
_PASSING = frozenset({"provider_error", "rate_limited", "internal"})
_UNFINISHED = (CacheTaskState.QUEUED, CacheTaskState.RUNNING)


def reading_operations() -> list[str]:
    """Return the names of what a task can do: the operations that read an account."""
    return sorted(tool.name for tool in REGISTRY.tools if _reads_an_account(tool))


def _reads_an_account(tool: Tool) -> bool:
    return (
        tool.family == "operations"
        and tool.effect is Effect.READ
        and "account_id" in tool.arguments.model_fields
        and not tool.name.startswith("cache_")
    )


def enqueue_task(
    *, actor: Actor, account: Account, operation: str, parameters: dict[str, Any], priority: int
) -> CacheTask:
    """Store a reading for the worker. `parameters` are the operation's, the account left out.

    Raises ToolError for who is no agent, for what is no reading operation, for parameters that it
    would refuse, and (`rate_limited`) where too many of the agent's wait already.
    """
    if actor.kind != "agent":
        raise ToolError("permission_denied", "Only agents have readings done in the background")
    accepted = reading_operations()
    if operation not in accepted:
        raise invalid("/operation", "is no reading operation", f"one of {', '.join(accepted)}")
    if parameters.get("account_id", account.public_id) != account.public_id:
        raise invalid("/parameters/account_id", "is another account", "the account of the task")
    arguments = {**parameters, "account_id": account.public_id}
    try:
        REGISTRY.read_arguments(REGISTRY.tool(operation), arguments)
    except ToolError as error:
        raise error.inside("/parameters") from error
    _refuse_too_many(actor)
    with transaction.atomic():
        task = CacheTask.objects.create(
            workspace_id=actor.workspace_id, agent_id=actor.id, account=account,
            operation=operation, parameters=parameters, priority=priority,
        )  # fmt: skip
        # The most pressing place of jobs belongs to mail that leaves.
        enqueue(
            "cache.task", {"task_id": task.pk}, workspace_id=actor.workspace_id,
            priority=priority + 1,
        )  # fmt: skip
    return task


def _refuse_too_many(actor: Actor) -> None:
    waiting = CacheTask.objects.filter(agent_id=actor.id, status__in=_UNFINISHED)
    if len(waiting.values_list("pk", flat=True)[:MOST_WAITING]) >= MOST_WAITING:
        words = f"{MOST_WAITING} tasks of yours wait already"
        raise ToolError("rate_limited", words, {"retry_after": 60})


@handler("cache.task", lease=timedelta(seconds=120))
def run_task(payload: Payload) -> None:
    """Do a task; one that fails for a passing reason is tried again a few times."""
    task = _begin(payload["task_id"])
    if task is None:
        return
    arguments = {**task.parameters, "account_id": task.account.public_id}
    try:
        answer = call(task.operation, arguments, current_actor(task.agent))
    except ToolError as error:
        if error.code in _PASSING and task.retry_count < MOST_RETRIES:
            _finish(task, status=CacheTaskState.QUEUED, error=error.as_json(), completed_at=None)
            raise RetryLater(error.message) from error
        _finish(task, status=CacheTaskState.FAILED, error=error.as_json())
    else:
        fits = len(answer.json) <= LONGEST_RESULT
        result = json.loads(answer.json) if fits else by_hash(answer.json)
        _finish(task, status=CacheTaskState.COMPLETED, result=result, error=None)


def _begin(key: int) -> CacheTask | None:
    """Mark a task as running and return it; None where it is done or gone."""
    rows = CacheTask.objects.select_related("agent", "account")
    task = rows.filter(pk=key).first()
    if task is None or task.status not in _UNFINISHED:
        return None
    # It was begun before, and either failed or its worker was lost.
    task.retry_count += task.started_at is not None
    task.started_at = timezone.now()
    task.status = CacheTaskState.RUNNING
    task.save(update_fields=["retry_count", "started_at", "status"])
    return task


def _finish(task: CacheTask, **fields: Any) -> None:
    CacheTask.objects.filter(pk=task.pk).update(**{"completed_at": timezone.now()} | fields)


@periodic(600)
def remove_old_tasks(now: datetime | None = None) -> int:
    """Remove what was done long ago, a bounded number at a time; return how many.

    A task that ended each of its workers, so that its job was given up, is failed.
    """
    now = now or timezone.now()
    lost = CacheTask.objects.filter(status=CacheTaskState.RUNNING, started_at__lt=now - LOST_AFTER)
    lost.update(status=CacheTaskState.FAILED, completed_at=now, error=_LOST.as_json())
    old = CacheTask.objects.filter(completed_at__lt=now - KEEP)
    keys = list(old.values_list("pk", flat=True)[:_REMOVED_AT_ONCE])
    return CacheTask.objects.filter(pk__in=keys).delete()[0]
