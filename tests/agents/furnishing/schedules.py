"""Something that is to happen at a time."""

from agents.models import Schedule
from agents.operations.schedules import create_schedule
from tests import factories


def furnish(world):
    at = factories.NOON.replace(year=2099)
    made = {"kind": "notification", "command": f"Sell the {world.word}.", "payload": {}}
    schedule: Schedule = create_schedule(actor=world.actor, trigger_at=at, **made)
    world.rows["schedule"] = schedule
    world.calls |= {
        "internal_scheduler_service.create": {
            "command": f"Ask about the {world.word}", "trigger_at": "2099-03-02T12:00:00Z",
        },
        "internal_scheduler_service.cancel": {"schedule_id": schedule.public_id},
    }  # fmt: skip
