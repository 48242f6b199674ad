"""The memories that an agent used for a proposal: those that it recalled since the one before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from agents.models import Approval, Exposure, Memory
from inbox import ids
from inbox.actor import Actor
from inbox.prepared import Prepared, Value

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
    about: dict[str, Value] = {
        "there": there,
        "agent": approval.agent_id,
        "until": approval.receipt_id,
    }
    last = next(_BEFORE.rows(**about), 0)
    strange: dict[int, bool] = {}
    since = approval.created_at - _WITHIN
    for kind, key, via, origin in _SHOWN.rows(**about, last=last, since=since):
        memory = _memory_of(kind, key, via)
        if memory is not None:
            strange[memory] = strange.get(memory, False) or origin == "stranger"
    rows = Memory.objects.visible_to(there).defer("terms").in_bulk(list(strange)[:_MOST])
    used = [UsedMemory(row, strange[key]) for key, row in rows.items()]
    return sorted(used, key=lambda one: (not one.is_strange, one.memory.pk))


def _before(*, there: Actor, agent: int, until: int) -> list[Any]:
    rows = Approval.objects.visible_to(there).filter(agent_id=agent, receipt_id__lt=until)
    return [rows.order_by("-receipt_id").values_list("receipt_id", flat=True)[:1]]


def _shown(*, there: Actor, agent: int, until: int, last: int, since: datetime) -> list[Any]:
    rows = Exposure.objects.visible_to(there).filter(
        agent_id=agent, receipt_id__gt=last, receipt_id__lt=until, at__gte=since
    )
    return [rows.values_list("kind", "object_id", "via", "origin")]


_BEFORE, _SHOWN = Prepared(_before), Prepared(_shown)


def _memory_of(kind: str, key: int, via: str) -> int | None:
    """Return the key of the memory by which something was shown; None: by none."""
    if via:
        found = ids.decode(Memory.ID_PREFIX, via)
        return found[0] if found else None
    return key if kind == Memory.ID_PREFIX else None
