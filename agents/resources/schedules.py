"""Schedules: what the caller wants to happen at a time, and what became of it."""

from collections.abc import Sequence
from typing import Any, Literal

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, OneOf, before, since
from agents.lists.pages import Order
from agents.models.schedules import Schedule, ScheduleState, ScheduleType
from agents.resources.collection import Collection, declare
from inbox.actor import Actor
from inbox.models.base import VisibleQuerySet


class ScheduleShape(Closed):
    """Something that is to happen once, or has."""

    id: str
    type: Literal[tuple(ScheduleType.values)]  # type: ignore[valid-type]
    command: str
    payload: dict[str, Any]
    trigger_at: Moment
    state: Literal[tuple(ScheduleState.values)]  # type: ignore[valid-type]
    attempts: int
    # By how many whole seconds it fired too late.
    late_by: int
    created_at: Moment
    finished_at: OrAbsent[Moment] = None
    receipt_id: OrAbsent[str] = None
    approval_id: OrAbsent[str] = None
    error: OrAbsent[str] = None


class ScheduleFilters(Filters):
    """Schedules by state, type and time."""

    state = OneOf(ScheduleState.choices)
    type = OneOf(ScheduleType.choices)
    trigger_since = since("trigger_at")
    trigger_before = before("trigger_at")


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    return Schedule.objects.visible_to(actor)


def _shapes(rows: Sequence[Schedule]) -> list[ScheduleShape]:
    return [_shape(row) for row in rows]


def _shape(row: Schedule) -> ScheduleShape:
    same = (
        "type", "command", "payload", "trigger_at", "state", "attempts", "late_by", "created_at",
        "finished_at",
    )  # fmt: skip
    fields: dict[str, Any] = {
        "id": row.public_id,
        "receipt_id": row.receipt or None,
        "approval_id": row.approval or None,
        "error": row.error or None,
    }
    return ScheduleShape(**fields, **{name: getattr(row, name) for name in same})


declare(
    Collection(
        noun="schedules", one="schedule", domain="time", rows=_rows, item=ScheduleShape,
        shapes=_shapes, filters=ScheduleFilters, search=("command",),
        orders={"trigger_at": Order("trigger_at"), "created_at": Order("created_at")},
        default="-trigger_at", words="what the caller wants to happen at a time, and what did.",
    )
)  # fmt: skip
