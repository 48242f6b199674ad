"""The agents of the workspace."""

from collections.abc import Sequence
from typing import Any, Literal

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, OneOf, TextFilter
from agents.lists.pages import Order
from agents.models import Agent, AgentStatus
from agents.resources.collection import Collection, declare
from inbox.actor import Actor
from inbox.models.base import VisibleQuerySet


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


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    return Agent.objects.visible_to(actor)


def _shapes(rows: Sequence[Agent]) -> list[AgentShape]:
    return [
        AgentShape(
            id=row.public_id, name=row.name, description=row.description or None,
            status="active" if row.status == AgentStatus.ACTIVE else "paused",
            created_at=row.created_at,
        )
        for row in rows
    ]  # fmt: skip


declare(
    Collection(
        noun="agents", one="agent", domain="admin", rows=_rows, item=AgentShape, shapes=_shapes,
        filters=AgentFilters, search=("name", "description"),
        orders={"name": Order("name", "text"), "created_at": Order("created_at")},
        default="name", words="the agents of the workspace.",
    )
)  # fmt: skip
