"""Memories: saved by agents, deleted and brought back by people, and purged in time."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from agents import receipts
from agents.evidence.exposures import sources_of_writing
from agents.models import Memory, MemoryWord, Origin
from agents.recall.forms import ends_of, marked_words
from agents.recall.words import HEAD, index_text, words_of
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.background.periodic import periodic
from inbox.errors import DomainError
from inbox.operations.purging import purge
from inbox.reasons import phrase as _
from inbox.reasons import say

# Words of one memory that are kept for near spellings.
_MOST_WORDS = 2000


@transaction.atomic
def save_memory(*, actor: Actor, content: str) -> tuple[Memory, bool]:
    """Keep a text in mind; return the memory, and whether it is new.

    The same text again is the same memory. One that is saved after the agent was shown a
    stranger's words waits for review; one with the words of such a one is that one, whenever it is
    saved: no agent says itself what waits for a person.
    """
    if actor.kind != "agent":
        raise DomainError("permission_denied", _("Only agents save memories"))
    sha256 = hashlib.sha256(content.encode()).hexdigest()
    words = words_of(content)
    memory = Memory(
        workspace_id=actor.workspace_id, agent_id=actor.id, content=content, sha256=sha256,
        terms=index_text(actor.id, words),
    )  # fmt: skip
    mine = Memory.objects.saved_by(actor).filter(sha256=sha256)
    known = mine.first() or (_waiting_alike(actor, memory.terms) if words else None)
    if known is not None:
        return known, False
    memory.waits = sources_of_writing(actor)[0] == Origin.STRANGER
    Memory.objects.bulk_create([memory], ignore_conflicts=True)
    # Somebody may have saved the same meanwhile: then theirs stands, and ours was passed over.
    saved: Memory = mine.get()
    index_words(actor.id, words, content)
    return saved, True


def _waiting_alike(actor: Actor, terms: str) -> Memory | None:
    """Return the agent's memory of these words that a person has not reviewed yet."""
    alike = Memory.objects.saved_by(actor).filter(waits=True, terms=terms)
    return alike.order_by("pk").first()


def index_words(agent_id: int, words: Sequence[str], content: str) -> None:
    """Keep the words of a memory for finding those that are spelled alike, or in other forms.

    `words` are the stems of the content.
    """
    stems = sorted({word for word in words if len(word) > HEAD})[:_MOST_WORDS]
    entries = [(word, word[:HEAD], word[-HEAD:]) for word in stems]
    entries += [(word, *ends_of(word)) for word in sorted(marked_words(content))[:_MOST_WORDS]]
    # In one order, so that two who save at the same time do not wait for each other.
    MemoryWord.objects.bulk_create(
        (
            MemoryWord(agent_id=agent_id, word=word, head=head, tail=tail)
            for word, head, tail in sorted(entries)
        ),
        ignore_conflicts=True,
    )


@transaction.atomic
def delete_memories(*, actor: Actor, memories: Iterable[Memory]) -> int:
    """Delete memories, as this person; they can be brought back for 30 days. Return how many."""
    keys = [memory.pk for memory in memories]
    rows = Memory.objects.visible_to(actor).kept().filter(pk__in=keys)
    gone = list(rows.select_for_update().order_by("pk"))
    now = timezone.now()
    Memory.objects.filter(pk__in=[memory.pk for memory in gone]).update(deleted_at=now)
    _record(actor, gone, "delete_memory")
    return len(gone)


@transaction.atomic
def restore_memories(*, actor: Actor, memories: Iterable[Memory]) -> int:
    """Bring deleted memories back, as this person; return how many.

    One whose agent has saved the same text since stays deleted: it is there already.
    """
    keys = [memory.pk for memory in memories]
    rows = Memory.objects.visible_to(actor).filter(pk__in=keys).exclude(deleted_at=None)
    gone = list(rows.select_for_update().order_by("-pk"))
    there = Memory.objects.kept().filter(sha256__in=[memory.sha256 for memory in gone])
    taken = set(there.values_list("agent_id", "sha256"))
    back = {
        (memory.agent_id, memory.sha256): memory
        for memory in gone
        if (memory.agent_id, memory.sha256) not in taken
    }
    Memory.objects.filter(pk__in=[memory.pk for memory in back.values()]).update(deleted_at=None)
    _record(actor, back.values(), "restore_memory")
    return len(back)


def _record(actor: Actor, memories: Iterable[Memory], tool: str) -> None:
    by_workspace: dict[int, list[ReceiptEntry]] = {}
    for memory in memories:
        done = ReceiptEntry(
            tool, {"memory_id": memory.public_id}, say("done_by", person=actor.name)
        )
        by_workspace.setdefault(memory.workspace_id, []).append(done)
    for workspace_id, entries in by_workspace.items():
        receipts.record_many(actor.within(workspace_id), entries)


@periodic(3600)
def purge_memories(now: datetime | None = None) -> int:
    """Remove the memories that were deleted 30 days ago, some at a time; return how many."""
    return purge(Memory.objects.all(), now)
