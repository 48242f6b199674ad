"""Messages between agents. Reading them here marks none of them as read."""

from typing import Annotated, Literal

from django_filters import BooleanFilter

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, IdFilter, OneOf, TextFilter, before, since
from agents.lists.pages import Order
from agents.models import Agent
from agents.models.mesh import AgentMessage, MessagePriority, MessageType
from agents.resources.collection import Collection, declare
from agents.resources.shapes import From
from agents.resources.trust import Trust


class AgentMessageShape(Closed):
    """What an agent was told by another, or by a person (`person:` and their name)."""

    id: str
    sender: Annotated[str, From("sender_name")]
    recipient: Annotated[str, From("recipient.name")]
    text: str
    type: Literal[tuple(MessageType.values)]  # type: ignore[valid-type]
    priority: Literal[tuple(MessagePriority.values)]  # type: ignore[valid-type]
    thread_id: OrAbsent[str] = None
    broadcast_id: OrAbsent[str] = None
    requires_confirmation: bool
    confirmed_at: OrAbsent[Moment] = None
    read_at: OrAbsent[Moment] = None
    created_at: Moment
    trust: Trust = None


class AgentMessageFilters(Filters):
    """Messages by who wrote, to whom, what kind they are, and whether they were read."""

    sender_id = IdFilter(Agent.ID_PREFIX, "sender")
    recipient_id = IdFilter(Agent.ID_PREFIX, "recipient")
    type = OneOf(MessageType.choices)
    priority = OneOf(MessagePriority.choices)
    thread_id = TextFilter(lookup_expr="exact")
    broadcast_id = TextFilter(lookup_expr="exact")
    unread = BooleanFilter("read_at", "isnull")
    created_since = since("created_at")
    created_before = before("created_at")


declare(
    Collection(
        noun="agent-messages", one="agent_message", domain="comms",
        rows=lambda actor: (
            AgentMessage.objects.visible_to(actor).select_related("sender", "recipient")
        ),
        item=AgentMessageShape, filters=AgentMessageFilters, search=("text",),
        orders={"id": Order("id", "number")}, default="-id",
        words="what the caller was told by other agents, or told them; `id` is the order in which "
        "it was sent. Nothing is marked as read.",
    )
)  # fmt: skip
