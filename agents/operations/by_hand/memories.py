"""Memories as people mend and forget them."""

from django.contrib.auth.models import User
from django.db import transaction

from agents.evidence.refs import Ref
from agents.models import Memory
from agents.operations.by_hand.recording import note_own_words, record_by_hand
from agents.operations.sharing.memories import delete_memories
from agents.operations.sharing.reviewing import let_decide, reword
from inbox.errors import DomainError, not_found
from inbox.reasons import phrase as _


@transaction.atomic
def mend_memory(*, by: User, memory: Memory, seen: str, content: str) -> None:
    """Give a memory other words; they are the person's own from then on.

    `seen` is the SHA-256 of what the person read. Raises DomainError: permission_denied, not_found,
    conflict where it says something else by now or waits for review, and invalid_input.
    """
    actor = let_decide(by, memory.workspace_id)
    rows = Memory.objects.visible_to(actor).kept().filter(pk=memory.pk)
    row = rows.select_for_update().first()
    if row is None:
        raise not_found("memory", memory.public_id, "id")
    if row.waits:
        raise DomainError("conflict", _("It still needs review."))
    if row.sha256 != seen:
        raise DomainError("conflict", _("It has changed since."))
    if content == row.content:
        return
    reword(row, content)
    row.save(update_fields=["content", "sha256", "terms"])
    receipt = record_by_hand(actor, "edit_memory", {"memory_id": row.public_id})
    note_own_words(actor, receipt, [Ref(Memory.ID_PREFIX, row.pk)])


def forget_memory(*, by: User, memory: Memory) -> bool:
    """Delete a memory; it can be brought back for 30 days. Return False where it was gone."""
    actor = let_decide(by, memory.workspace_id)
    return delete_memories(actor=actor, memories=[memory]) == 1
