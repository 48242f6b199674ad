"""The memories that an agent used for a proposal: those that it recalled since the one before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from agents.models import Approval, Exposure, Memory
from inbox import ids
from inbox.actor import Actor

# A proposal rests on what was shown within a day before it; so many memories are named.
_WITHIN = timedelta(days=1)
_MOST = 50


@dataclass(frozen=True, slots=True)
class UsedMemory:
    """A memory that an agent recalled, and the least trust of what it was shown by it."""

    memory: Memory
    is_strange: bool

    @property
    def public_id(self) -> str:
        """The memory's."""
        return self.memory.public_id


def read_used_memories(actor: Actor, approval: Approval) -> Sequence[UsedMemory]:
    """Return the memories that a proposal's agent recalled for it, strangers' words first.

    As the actor sees them, in three queries; one that was deleted since is named as well.
    """
    there = actor.within(approval.workspace_id)
    before = Approval.objects.visible_to(there).filter(
        agent_id=approval.agent_id, receipt_id__lt=approval.receipt_id
    )
    last = before.order_by("-receipt_id").values_list("receipt_id", flat=True).first() or 0
    shown = Exposure.objects.visible_to(there).filter(
        agent_id=approval.agent_id, receipt_id__gt=last, receipt_id__lt=approval.receipt_id,
        at__gte=approval.created_at - _WITHIN,
    )  # fmt: skip
    strange: dict[int, bool] = {}
    for kind, key, via, origin in shown.values_list("kind", "object_id", "via", "origin"):
        memory = _memory_of(kind, key, via)
        if memory is not None:
            strange[memory] = strange.get(memory, False) or origin == "stranger"
    rows = Memory.objects.visible_to(there).defer("terms").in_bulk(list(strange)[:_MOST])
    used = [UsedMemory(row, strange[key]) for key, row in rows.items()]
    return sorted(used, key=lambda one: (not one.is_strange, one.memory.pk))


def _memory_of(kind: str, key: int, via: str) -> int | None:
    """Return the key of the memory by which something was shown; None: by none."""
    if via:
        found = ids.decode(Memory.ID_PREFIX, via)
        return found[0] if found else None
    return key if kind == Memory.ID_PREFIX else None
