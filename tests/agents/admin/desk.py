"""A reviewer's desk for the tests of the pages: proposals made by real calls, and activities."""

from datetime import datetime
from typing import Any

from agents.dispatching import dispatch
from agents.models import Approval, WebhookEndpoint
from calendar_app.models import Attendee, Calendar, Event
from calendar_app.operations.todos import create_todo, default_todo_list
from inbox.actor import Actor
from inbox.models import (
    Activity,
    ActivityStatus,
    Correction,
    Import,
    ImportProblem,
    Inbox,
    Job,
    LearnedModel,
    Message,
    Thread,
)
from inbox.operations.activities.priority import settle_order_of
from inbox.operations.activities.understanding import ensure_defaults
from inbox.operations.files import create_file
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
    # Nobody is given options for what is silent or noted.
    if values["autonomy_tier"] in {1, 2} and "option_framing" not in fields:
        values["option_framing"] = None
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


def make_everything(inbox: Inbox, actor: Actor) -> dict[str, Any]:
    """Make at least one row of every kind that the admin lists, in the workspace of the inbox."""
    made = make_desk(inbox, actor)
    make_shared(actor)
    place = {"workspace": inbox.workspace}
    run = Import.objects.create(**place, inbox=inbox, source="/mail/<b>old</b>", total=3, stored=2)
    ImportProblem.objects.create(**place, run=run, source="cur/1", problem="no header at all")
    Job.objects.create(**place, kind="submission.send", run_at=factories.NOON, error="one\ntwo")
    factories.make_person(inbox.workspace)
    create_file(actor=actor, account=inbox.account, path="/Offers/ada.html", content=b"<b>x</b>")
    calendar = Calendar.objects.create(**place, account=inbox.account, name="Work")
    event = Event.objects.create(
        **place, calendar=calendar, uid="1", dtstart=factories.NOON, dtend=factories.NOON
    )
    Attendee.objects.create(event=event, email="ada@customer.example")
    todos = default_todo_list(workspace_id=inbox.workspace_id)
    create_todo(actor=actor, todo_list=todos, summary="Call Ada", due=factories.NOON)
    WebhookEndpoint.objects.create(**place, url="https://ada.example/hook", secret=b"x")
    ensure_defaults(inbox.workspace)
    Correction.objects.create(**place, scope="list", value="list.example", route="note")
    LearnedModel.objects.create(
        **place, about="judge", version=1, content={"labels": [], "scorers": {}, "curve": [1, 0]},
        figures={}, trained_at=factories.NOON, state="off",
    )  # fmt: skip
    return made
