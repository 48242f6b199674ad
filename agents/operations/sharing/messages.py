"""Messages between agents of a workspace; none of them leaves the house."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from agents.errors import ToolError, invalid
from agents.models import Agent, AgentMessage, MessagePriority, MessageType
from inbox.actor import Actor
from inbox.background.jobs import publish

_QUOTED = 100


@dataclass(frozen=True, slots=True)
class NewMessage:
    """What a message says, to whomever it goes. `thread_id` and `broadcast_id` may be empty."""

    text: str
    type: str = MessageType.INFO
    priority: str = MessagePriority.NORMAL
    thread_id: str = ""
    broadcast_id: str = ""
    requires_confirmation: bool = False


@dataclass(frozen=True, slots=True)
class MessageCriteria:
    """Which of an agent's messages: None or False does not ask."""

    unread_only: bool = False
    priority: str | None = None
    type: str | None = None
    thread_id: str | None = None
    sender: Agent | None = None


def new_thread_id() -> str:
    """Return an id for messages that belong together."""
    return f"ath_{secrets.token_hex(10)}"


def new_broadcast_id() -> str:
    """Return an id for the messages of one broadcast."""
    return f"brd_{secrets.token_hex(10)}"


@transaction.atomic
def send_messages(
    *, actor: Actor, recipients: Sequence[Agent], new: NewMessage
) -> list[AgentMessage]:
    """Give each of the agents the message, all or none; return them in the order of the agents."""
    messages = [
        AgentMessage(
            workspace_id=actor.workspace_id, sender_id=actor.id, recipient=recipient,
            text=new.text, type=new.type, priority=new.priority,
            thread_id=new.thread_id, broadcast_id=new.broadcast_id,
            requires_confirmation=new.requires_confirmation,
        )
        for recipient in recipients
    ]  # fmt: skip
    made = AgentMessage.objects.bulk_create(messages)
    tell_received(actor.workspace_id, made)
    return made


def find_messages(
    *, actor: Actor, wanted: MessageCriteria, limit: int, mark_as_read: bool
) -> list[AgentMessage]:
    """Return the messages that the agent was sent, newest first.

    With `mark_as_read` they are read from now on, and whoever asked for a confirmation of one that
    was not read before gets it, once, however many read at the same time.
    """
    rows = AgentMessage.objects.visible_to(actor).filter(recipient_id=actor.id)
    rows = rows.filter(**_conditions(wanted)).order_by("-id")
    if not mark_as_read:
        return list(rows.select_related("sender", "recipient")[:limit])
    with transaction.atomic():
        # Held from here on: a reader that comes second finds them read. Each in the same order.
        held = rows.select_for_update(of=("self",)).select_related("sender", "recipient")
        found = list(held[:limit])
        _mark_as_read(found)
    return found


def _conditions(wanted: MessageCriteria) -> dict[str, object]:
    asked: dict[str, object] = {
        "priority": wanted.priority,
        "type": wanted.type,
        "thread_id": wanted.thread_id,
        "sender": wanted.sender,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    return {**given, "read_at": None} if wanted.unread_only else given


def _mark_as_read(messages: Iterable[AgentMessage]) -> None:
    now = timezone.now()
    unread = [message for message in messages if message.read_at is None]
    for message in unread:
        message.read_at = now
        message.confirmed_at = now if message.requires_confirmation else None
    if unread:
        AgentMessage.objects.bulk_update(unread, ["read_at", "confirmed_at"])
        _confirm([message for message in unread if message.requires_confirmation])


def _confirm(messages: Sequence[AgentMessage]) -> None:
    """Tell the agents that sent them that they were read; the database refuses a second time.

    A person who sent one sees it on the page.
    """
    messages = [message for message in messages if message.sender_id is not None]
    if not messages:
        return
    confirmations = [
        AgentMessage(
            workspace_id=message.workspace_id, sender=message.recipient, recipient=message.sender,
            text=f"Read: {message.text[:_QUOTED]}", priority=message.priority,
            thread_id=message.thread_id, confirms=message,
        )
        for message in messages
    ]  # fmt: skip
    tell_received(messages[0].workspace_id, AgentMessage.objects.bulk_create(confirmations))


def tell_received(workspace_id: int, messages: Sequence[AgentMessage]) -> None:
    """Publish that messages have come, once for all of them."""
    payload = {
        "message_ids": [message.pk for message in messages],
        "agent_ids": sorted({message.recipient_id for message in messages}),
    }
    publish("agent_message.received", payload, workspace_id=workspace_id)


def choose_thread(*, given: str | None, create: bool | None) -> str:
    """Return the thread of a broadcast: the given one, a new one, or none (empty).

    Raises ToolError where both are asked for.
    """
    if given is not None and create:
        raise invalid("/create_thread", "is asked for beside a thread_id", "one of the two")
    if given is not None:
        return given
    return "" if create is False else new_thread_id()


def others(actor: Actor, recipients: Sequence[Agent], pointer: str) -> list[Agent]:
    """Return the recipients without the sender; raises ToolError where nobody is left."""
    rest = [agent for agent in recipients if agent.pk != actor.id]
    if not rest:
        raise _nobody(pointer)
    return rest


def _nobody(pointer: str) -> ToolError:
    return invalid(pointer, "names nobody but the sender", "names of other agents")
