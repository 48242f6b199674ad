"""What a person asks of an agent about an activity: a task among its messages, with a receipt."""

from django.contrib.auth.models import User
from django.db import transaction

from agents import receipts
from agents.errors import ToolError, invalid
from agents.models import Agent, AgentMessage, AgentStatus, MessagePriority, MessageType
from agents.operations.sharing.messages import new_thread_id, tell_received
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.models import Activity, Urgency

LONGEST_WISH = 4000


def agents_for(activity: Activity) -> list[Agent]:
    """Return the active agents that may work with the account of an activity, by name."""
    if activity.message is None:
        return []
    return list(
        Agent.objects.filter(
            workspace_id=activity.workspace_id, status=AgentStatus.ACTIVE,
            grants__account=activity.message.inbox.account_id,
        ).order_by("name")
    )  # fmt: skip


def ask_for_draft(*, activity: Activity, agent: Agent, by: User, wish: str) -> AgentMessage:
    """Ask an agent to draft a reply to what came in; it finds the request among its messages.

    Raises ToolError for an agent that may not work with the account, and a wish that is empty.
    """
    wish = wish.strip()
    if not wish or len(wish) > LONGEST_WISH or "\0" in wish:
        raise invalid("/wish", "says what to draft", f"1 to {LONGEST_WISH} characters, no NUL")
    if agent.pk not in {one.pk for one in agents_for(activity)}:
        raise ToolError("permission_denied", "The agent may not work with this account")
    actor = Actor("person", by.pk, by.get_username(), (activity.workspace_id,))
    with transaction.atomic():
        sent = AgentMessage.objects.create(
            workspace_id=activity.workspace_id, person=by, person_name=by.get_username(),
            recipient=agent, text=_task(activity, wish), type=MessageType.TASK,
            priority=_priority(activity), thread_id=new_thread_id(), activity=activity,
        )  # fmt: skip
        tell_received(activity.workspace_id, [sent])
        entry = ReceiptEntry(
            tool="ask_for_draft",
            arguments={
                "activity_id": activity.public_id, "agent": agent.name, "wish": wish,
            },
            result={"message_id": sent.public_id},
        )  # fmt: skip
        receipts.record(actor, entry)
    return sent


def _task(activity: Activity, wish: str) -> str:
    """Return the task, with the ids that its tools ask for; what came in is not repeated."""
    lines = ["Please draft a reply.", "", wish, "", f"activity_id: {activity.public_id}"]
    if activity.message is not None:
        lines.append(f"thread_id: {activity.message.thread.public_id}")
        lines.append(f"message_id: {activity.message.public_id}")
    return "\n".join(lines)


def _priority(activity: Activity) -> str:
    return MessagePriority.HIGH if activity.urgency == Urgency.HIGH else MessagePriority.NORMAL
