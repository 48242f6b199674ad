"""What an agent keeps in mind (internal_memory_service)."""

from typing import Annotated

from pydantic import Field

from agents.contracts import Effect, tool
from agents.contracts.fields import WHOLE, Closed, Moment, WithRemarks
from agents.operations.sharing.memories import save_memory
from agents.recall.searching import search_memories
from inbox.actor import Actor

WAITS = (
    "It waits until a person has reviewed it, since you had been shown a stranger's words; no "
    "search finds it before."
)


class SaveMemory(Closed):
    """What to remember."""

    content: Annotated[str, Field(min_length=1, max_length=20_000, pattern=r"\S")]


class SavedMemory(WithRemarks):
    """The memory; `is_new` false: the same text was saved before."""

    memory_id: str
    created_at: Moment
    is_new: bool


@tool(
    family="services", domain="memory", effect=Effect.WRITE, writes="mry",
    service=("internal_memory_service", "save"),
    example={"content": "Ada prefers a window seat."},
)  # fmt: skip
def save_memory_entry(actor: Actor, args: SaveMemory) -> SavedMemory:
    """Remember a text, for yourself alone; people can see and delete it.

    Say it so that it can be understood by itself. The same text again is the same memory. What
    you save after a stranger's words were shown to you is found once a person has reviewed it.
    """
    memory, is_new = save_memory(actor=actor, content=args.content)
    saved = SavedMemory(memory_id=memory.public_id, created_at=memory.created_at, is_new=is_new)
    return saved.with_remarks([WAITS] if memory.waits else [])


class SearchMemories(Closed):
    """What to look for."""

    query: Annotated[str, Field(min_length=1, max_length=1000)]
    limit: Annotated[int, Field(ge=1, le=50), WHOLE] = 5


class RecalledMemory(Closed):
    """A memory and how well it answers the question, up to 1."""

    memory_id: str
    content: str
    score: float
    created_at: Moment


class RecalledMemories(Closed):
    """Memories, best first, and how many these are."""

    memories: list[RecalledMemory]
    count: int


@tool(
    family="services", domain="memory", effect=Effect.READ,
    service=("internal_memory_service", "search"),
    example={"query": "which seat does Ada like?"},
)  # fmt: skip
def search_memory_entries(actor: Actor, args: SearchMemories) -> RecalledMemories:
    """Find what you saved that answers a question best, at most `limit` (5), best first.

    It goes by words: in other endings, with a slip of spelling, or of the same field; what was
    saved within minutes of a hit counts for more. Conditions are after: and before: (when it was
    saved), about:word and -word; OR takes either, and what has a "phrase" comes first. Where
    nothing is relevant, nothing is returned.
    """
    found = search_memories(actor=actor, query=args.query, limit=args.limit)
    shown = [
        RecalledMemory(
            memory_id=one.memory.public_id, content=one.memory.content, score=one.score,
            created_at=one.memory.created_at,
        )
        for one in found
    ]  # fmt: skip
    return RecalledMemories(memories=shown, count=len(shown))
