"""The agents of the workspace."""

from typing import Literal

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, OneOf, TextFilter
from agents.lists.pages import Order
from agents.models import Agent, AgentStatus
from agents.resources.collection import Collection, declare


class AgentShape(Closed):
    """An agent, by the name under which the others write to it."""

    id: str
    name: str
    description: OrAbsent[str] = None
    status: Literal["active", "paused"]
    created_at: Moment


class AgentFilters(Filters):
    """Agents by name, without regard to case, and status."""

    name = TextFilter()
    status = OneOf(AgentStatus.choices)


declare(
    Collection(
        noun="agents", one="agent", domain="admin", rows=Agent.objects.visible_to, item=AgentShape,
        filters=AgentFilters, search=("name", "description"),
        orders={"name": Order("name", "text"), "created_at": Order("created_at")}, default="name",
        words="the agents of the workspace.",
    )
)  # fmt: skip
