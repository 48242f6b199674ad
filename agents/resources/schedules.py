"""Schedules: what the caller wants to happen at a time, and what became of it."""

from typing import Annotated, Any, Literal

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, OneOf, before, since
from agents.lists.pages import Order
from agents.models.schedules import Schedule, ScheduleState, ScheduleType
from agents.resources.collection import Collection, declare
from agents.resources.shapes import From
from agents.resources.trust import Trust


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
    receipt_id: Annotated[OrAbsent[str], From("receipt")] = None
    approval_id: Annotated[OrAbsent[str], From("approval")] = None
    error: OrAbsent[str] = None
    trust: Trust = None


class ScheduleFilters(Filters):
    """Schedules by state, type and time."""

    state = OneOf(ScheduleState.choices)
    type = OneOf(ScheduleType.choices)
    trigger_since = since("trigger_at")
    trigger_before = before("trigger_at")


declare(
    Collection(
        noun="schedules", one="schedule", domain="time", rows=Schedule.objects.visible_to,
        item=ScheduleShape, filters=ScheduleFilters, search=("command",),
        orders={"trigger_at": Order("trigger_at"), "created_at": Order("created_at")},
        default="-trigger_at", words="what the caller wants to happen at a time, and what did.",
    )
)  # fmt: skip
