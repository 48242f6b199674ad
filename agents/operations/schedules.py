"""What agents want to happen at a time: made, checked beforehand, and canceled."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from pydantic import BaseModel

from agents.contracts import REGISTRY, Tool
from agents.directory import with_ids
from agents.dispatching.policy import may_act
from agents.dispatching.rows import get_row
from agents.errors import ToolError, invalid
from agents.models import Schedule, ScheduleState, ScheduleType
from inbox.actor import Actor
from inbox.background.jobs import enqueue

FIRE = "agents.fire_schedule"
_PRIORITY = 3
# So much of an agent's may be to come at once.
MOST_PENDING = 1000


@transaction.atomic
def create_schedule(
    *, actor: Actor, kind: str, command: str, payload: dict[str, Any], trigger_at: datetime
) -> Schedule:
    """Store what is to happen at `trigger_at`, with the job that will do it.

    A command's payload is checked against the tool's contract now, and what it names is kept by its
    id; whether the agent may call the tool is asked now and again when it fires. Raises ToolError.
    """
    if actor.kind != "agent":
        raise ToolError("permission_denied", "Only agents schedule something")
    if trigger_at < timezone.now():
        raise invalid("/trigger_at", "is in the past", "a time to come")
    if kind == ScheduleType.COMMAND:
        payload = _check_command(actor, command, payload)
    _check_room(actor)
    schedule = Schedule.objects.create(
        workspace_id=actor.workspace_id, agent_id=actor.id, type=kind, command=command,
        payload=payload, trigger_at=trigger_at,
    )  # fmt: skip
    enqueue(
        FIRE, {"schedule_id": schedule.pk}, workspace_id=actor.workspace_id,
        key=job_key(schedule.pk), run_at=trigger_at, priority=_PRIORITY,
    )  # fmt: skip
    return schedule


def job_key(schedule_id: int) -> str:
    """Return the key of the one job that fires a schedule."""
    return f"schedule:{schedule_id}"


def find_tool(command: str, payload: object) -> tuple[Tool, str | None]:
    """Return the tool that a call of this name runs, and the idempotency key among its arguments.

    Raises ToolError where there is no such tool or the arguments are not by its contract.
    """
    tool, args, _ = _read(command, payload)
    return tool, getattr(args, "idempotency_key", None)


def _read(command: str, payload: object) -> tuple[Tool, BaseModel, str]:
    """Return the tool, its arguments, and where in the payload these stand."""
    tool, own, inside = REGISTRY.find(command).resolve(payload)
    try:
        return tool, REGISTRY.read_arguments(tool, own), inside
    except ToolError as error:
        raise error.inside(inside) from error


def _check_room(actor: Actor) -> None:
    pending = Schedule.objects.visible_to(actor).filter(state=ScheduleState.PENDING)
    if len(pending.values_list("pk", flat=True)[:MOST_PENDING]) >= MOST_PENDING:
        words = f"{MOST_PENDING} schedules of yours are pending already; cancel some"
        raise ToolError("conflict", words, {"accepted": f"at most {MOST_PENDING}"})


def _check_command(actor: Actor, command: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Return the payload with the ids of what it names, so that it still means that by then."""
    if command not in REGISTRY:
        raise invalid("/command", "is no tool", "the name of a tool, with its arguments in payload")
    try:
        tool, args, inside = _read(command, payload)
    except ToolError as error:
        raise error.inside("/payload") from error
    refusal = may_act(tool, actor)
    if refusal:
        raise ToolError("permission_denied", refusal, {"scope": tool.scope})
    try:
        named = with_ids(actor, args)
    except ToolError as error:
        raise error.inside(f"/payload{inside}") from error
    given = {name: getattr(args, name) for name in type(args).model_fields}
    found = {name: getattr(named, name) for name in given if getattr(named, name) != given[name]}
    step = inside.removeprefix("/")
    return {**payload, step: {**payload[step], **found}} if step else {**payload, **found}


@transaction.atomic
def cancel_schedule(*, actor: Actor, schedule_id: str) -> Schedule:
    """Keep what is still pending from happening. Raises ToolError `not_found` or `conflict`."""
    rows = Schedule.objects.visible_to(actor).select_for_update()
    schedule = get_row(rows, schedule_id, "schedule", "/schedule_id")
    if schedule.state != ScheduleState.PENDING:
        words = f"It is {schedule.state}, so it cannot be canceled"
        raise ToolError("conflict", words, {"pointer": "/schedule_id", "state": schedule.state})
    schedule.state, schedule.finished_at = ScheduleState.CANCELED, timezone.now()
    schedule.save(update_fields=["state", "finished_at"])
    return schedule
