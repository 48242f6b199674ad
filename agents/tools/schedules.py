"""Having something happen at a time (internal_scheduler_service)."""

from typing import Annotated, Any, Literal

from pydantic import Field

from agents.contracts import Effect, tool
from agents.contracts.fields import Closed, Moment
from agents.models import Schedule
from agents.operations.schedules import cancel_schedule, create_schedule
from agents.tools.shapes import Id
from inbox.actor import Actor


class CreateSchedule(Closed):
    """What is to happen, and when."""

    command: Annotated[str, Field(min_length=1, max_length=10_000)]
    trigger_at: Moment
    type: Literal["notification", "command"] = "notification"
    payload: dict[str, Any] = Field(default_factory=dict)


class ScheduleShape(Closed):
    """Something that is to happen at a time, and how it stands."""

    schedule_id: str
    type: Literal["notification", "command"]
    command: str
    trigger_at: Moment
    state: Literal["pending", "running", "fired", "waiting", "failed", "canceled"]


@tool(
    family="services", domain="time", effect=Effect.WRITE, writes="sdl",
    service=("internal_scheduler_service", "create"),
    example={"command": "Ask Ada about the offer", "trigger_at": "2099-03-02T12:00:00Z"},
)  # fmt: skip
def create_schedule_entry(actor: Actor, args: CreateSchedule) -> ScheduleShape:
    """Have something happen at `trigger_at`, a time to come with an offset, once.

    A `notification` puts the words of `command` before the reviewers. A `command` calls the tool
    that `command` names with the arguments in `payload`; whether you may, and whether a person is
    asked, is decided when it fires. What comes due while the service is down fires late and says
    so.
    """
    schedule = create_schedule(
        actor=actor, kind=args.type, command=args.command, payload=args.payload,
        trigger_at=args.trigger_at,
    )  # fmt: skip
    return schedule_shape(schedule)


class CancelSchedule(Closed):
    """Which schedule."""

    schedule_id: Id


@tool(
    family="services", domain="time", effect=Effect.WRITE,
    service=("internal_scheduler_service", "cancel"), example={"schedule_id": "sdl_8fXoQ2mKpL"},
)  # fmt: skip
def cancel_schedule_entry(actor: Actor, args: CancelSchedule) -> ScheduleShape:
    """Keep something of your own that is still pending from happening."""
    return schedule_shape(cancel_schedule(actor=actor, schedule_id=args.schedule_id))


def schedule_shape(schedule: Schedule) -> ScheduleShape:
    """Return a schedule as the contract shows it."""
    fields: dict[str, Any] = {
        "schedule_id": schedule.public_id, "type": schedule.type, "command": schedule.command,
        "trigger_at": schedule.trigger_at, "state": schedule.state,
    }  # fmt: skip
    return ScheduleShape(**fields)
