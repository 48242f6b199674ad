"""Memories: what the caller saved to find again."""

from collections.abc import Sequence
from typing import Any

from agents.contracts.fields import Closed, Moment
from agents.lists.filters import Filters, before, since
from agents.lists.pages import Order
from agents.models.memory import Memory
from agents.resources.collection import Collection, declare
from inbox.actor import Actor
from inbox.models.base import VisibleQuerySet


class MemoryShape(Closed):
    """A text that an agent saved."""

    id: str
    content: str
    created_at: Moment


class MemoryFilters(Filters):
    """Memories by the time they were saved."""

    created_since = since("created_at")
    created_before = before("created_at")


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    return Memory.objects.visible_to(actor).kept()


def _shapes(rows: Sequence[Memory]) -> list[MemoryShape]:
    return [
        MemoryShape(id=row.public_id, content=row.content, created_at=row.created_at)
        for row in rows
    ]


declare(
    Collection(
        noun="memories", one="memory", domain="memory", rows=_rows, item=MemoryShape,
        shapes=_shapes, filters=MemoryFilters, search=("content",),
        orders={"id": Order("id", "number")}, default="-id",
        words="what the caller saved; `id` is the order in which it did. "
        "`internal_memory_service` finds by meaning.",
    )
)  # fmt: skip
