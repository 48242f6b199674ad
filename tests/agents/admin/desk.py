"""A reviewer's desk for the tests of the pages: proposals made by real calls, and activities."""

from datetime import datetime
from typing import Any

from agents import dispatch
from agents.models import Approval
from inbox.actor import Actor
from inbox.models import Activity, ActivityStatus, Message, Thread
from inbox.operations.pressing import settle_order_of
from tests import factories

BODY = "Dear Ada,\n\nThe offer is attached to this letter. It holds until Friday.\n\nBest regards,\nLantern"


def propose(actor: Actor, thread: Thread, body: str = BODY, key: str = "") -> Approval:
    """Have the agent propose a reply; return the approval that waits for a person."""
    answer = dispatch.call(
        "send_reply",
        {"thread_id": thread.public_id, "body_or_draft_id": body, "idempotency_key": key or f"k-{thread.pk}-{len(body)}"},
        actor,
    )  # fmt: skip
    assert answer.approval is not None
    return answer.approval


def make_activity(
    message: Message, status: str = ActivityStatus.SURFACED, **fields: Any
) -> Activity:
    values: dict[str, Any] = {
        "urgency": "normal", "autonomy_tier": 4, "activity_type": "request", "confidence": 0.9,
        "reasoning": "A request with a deadline (by Friday) from a sender who wrote before.",
        "suggested_actions": ["Reply with the offer"], "personas": ["work"],
        "option_framing": "You could send the offer today, or say when it will come.",
        "created_at": message.received_at, **fields,
    }  # fmt: skip
    made: Activity = Activity.objects.create(
        workspace=message.workspace, source="email", source_id=message.public_id, message=message,
        sender=message.from_email, title=message.subject, content=message.text, status=status,
        **values,
    )  # fmt: skip
    settle_order_of([made.pk])
    made.refresh_from_db()
    return made


def make_desk(inbox: Any, actor: Actor, at: datetime = factories.NOON) -> dict[str, Any]:
    """One approval that waits, one activity surfaced, one to review, one in quarantine."""
    asked = factories.make_message(inbox, at=at)
    approval = propose(actor, asked.thread)
    made = {"asked": asked, "approval": approval}
    for status in (
        ActivityStatus.SURFACED,
        ActivityStatus.NEEDS_REVIEW,
        ActivityStatus.QUARANTINED,
    ):
        message = factories.make_message(
            inbox, subject=f"About {status}", sender="bo@other.example", sender_name="Bo Lund"
        )
        made[status] = make_activity(message, status)
    return made


def make_shared(actor: Actor) -> None:
    """Something that the agent shares, tells, keeps in mind and wants to happen."""
    me = {"agent_name": actor.name}
    dispatch.call("push_context", {**me, "key": "k", "value": [1]}, actor)
    say = {"from_agent": actor.name, "to_agent": actor.name, "message": "Hello."}
    dispatch.call("send_message_to_agent", say, actor)
    save = {"action": "save", "content": "Ada prefers a window seat."}
    dispatch.call("internal_memory_service", save, actor)
    later = {"action": "create", "command": "Call Ada", "trigger_at": "2099-03-02T12:00:00Z"}
    dispatch.call("internal_scheduler_service", later, actor)
