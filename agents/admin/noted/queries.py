"""What waits for review of what agents noted, and what is beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.admin.evidence.differences import TextPiece, difference
from agents.admin.evidence.references import Reference, name_ids
from agents.evidence.exposures import trace
from agents.evidence.origins import Traced, read_notes
from agents.evidence.refs import Ref, read_refs
from agents.models import ContextEntry, Memory, WaitingContext
from agents.recall.contradicting import find_contradicting
from inbox.actor import Actor
from inbox.viewer import Viewer

MOST_LISTED = 100
_MOST_SOURCES = 50


@dataclass(frozen=True, slots=True)
class Noted:
    """A memory or a value under a key that waits; `key` is empty for a memory.

    `seen` says which text it is: an approval of another one is refused.
    """

    row: Memory | WaitingContext
    agent: str
    key: str
    text: str
    at: datetime
    seen: str


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands now where this would: the value under the key, or a memory that contradicts."""

    text: str
    pieces: Sequence[TextPiece]


def read_waiting(viewer: Viewer) -> list[Noted]:
    """Return what waits, newest first, at most 100 memories and as many values."""
    memories = Memory.objects.visible_to(viewer.actor).kept().filter(waits=True)
    newest = memories.select_related("agent").defer("terms").order_by("-pk")[:MOST_LISTED]
    contexts = WaitingContext.objects.visible_to(viewer.actor).select_related("author")
    found = [
        *map(_of_memory, newest),
        *map(_of_context, contexts.order_by("-pushed_at")[:MOST_LISTED]),
    ]
    return sorted(found, key=lambda it: it.at, reverse=True)


def find_noted(viewer: Viewer, public_id: str) -> Noted | None:
    """Return one that waits, as far as the person sees it."""
    memories = Memory.objects.visible_to(viewer.actor).kept().filter(waits=True)
    memory = memories.with_public_id(public_id).select_related("agent").first()
    if memory is not None:
        return _of_memory(memory)
    rows = WaitingContext.objects.visible_to(viewer.actor).with_public_id(public_id)
    context = rows.select_related("author").first()
    return None if context is None else _of_context(context)


def _of_memory(row: Memory) -> Noted:
    return Noted(row, row.agent.name, "", row.content, row.created_at, row.sha256)


def _of_context(row: WaitingContext) -> Noted:
    at = row.pushed_at
    return Noted(row, row.author.name, row.key, row.text, at, at.isoformat())


def read_beside(noted: Noted) -> Beside | None:
    """Return what stands now where this one would."""
    row = noted.row
    if isinstance(row, WaitingContext):
        entries = ContextEntry.objects.filter(workspace_id=row.workspace_id, key=row.key)
        standing = entries.unexpired().values_list("text", flat=True).first()
    else:
        agent = Actor("agent", row.agent_id, noted.agent, (row.workspace_id,))
        other = find_contradicting(agent, row.content)
        standing = other.content if other else None
    return None if standing is None else Beside(standing, difference(standing, noted.text))


def read_sources(viewer: Viewer, noted: Noted) -> list[tuple[Reference, Traced]]:
    """Return what the agent had been shown as far as the person sees it, strangers' first."""
    row = noted.row
    if isinstance(row, WaitingContext):
        ids = row.derived_from
    else:
        ref = Ref(Memory.ID_PREFIX, row.pk)
        note = read_notes(viewer.actor, [ref]).get(ref)
        ids = note.derived_from if note else []
    named = name_ids(viewer.actor, ids[:_MOST_SOURCES])
    found = trace(row.workspace_id, read_refs(ids[:_MOST_SOURCES]))
    pairs = [(named.get(one.ref.public_id), one) for one in found if one.via is None]
    return [(reference, one) for reference, one in pairs if reference is not None]
