"""Memories: what the caller saved to find again."""

from agents.contracts.fields import Closed, Moment
from agents.lists.filters import Filters, before, since
from agents.lists.pages import Order
from agents.models.memory import Memory
from agents.recall.questions import keep_memories
from agents.resources.collection import Collection, declare
from agents.resources.trust import Trust


class MemoryShape(Closed):
    """A text that an agent saved."""

    id: str
    content: str
    created_at: Moment
    trust: Trust = None


class MemoryFilters(Filters):
    """Memories by the time they were saved."""

    created_since = since("created_at")
    created_before = before("created_at")


declare(
    Collection(
        noun="memories", one="memory", domain="memory",
        rows=lambda actor: Memory.objects.visible_to(actor).kept(), item=MemoryShape,
        filters=MemoryFilters, search=("content",), keep_found=keep_memories,
        found_as="search_memory_entries", orders={"id": Order("id", "number")},
        default="-id",
        words="what the caller saved; `id` is the order in which it did. "
        "`internal_memory_service` finds by meaning.",
    )
)  # fmt: skip
