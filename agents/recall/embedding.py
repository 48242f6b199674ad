"""Working out what memories mean, in the background: the newest first, some at a time."""

import time
from collections.abc import Sequence
from typing import Final

from django.db.models import Max, Min

from agents.models import Memory, MemoryVector
from agents.recall.meanings import LONGEST
from inbox.semantic.loading import Meanings, find_encoder

# In seconds: how long one round may take, with a batch begun before.
_ROUND: Final = 4.0
_BATCH: Final = 16
# A transaction that saves a memory may end after one that saved later ones.
_LOOKED_BACK: Final = 1000


def embed_memories() -> int:
    """Work out the meaning of memories that have none yet, the newest first; return how many.

    Those that wait for review too: whether one is recalled is asked when it is looked for.
    """
    encoder = find_encoder()
    if encoder is None:
        return 0
    done, until = 0, time.monotonic() + _ROUND
    while time.monotonic() < until:
        memories = _missing()
        if not memories:
            break
        _embed(encoder, memories)
        done += len(memories)
    return done


def _missing() -> Sequence[Memory]:
    without = Memory.objects.filter(meaning=None, deleted_at=None).only("agent_id", "content")
    without = without.order_by("-pk")
    known = MemoryVector.objects.aggregate(newest=Max("pk"), oldest=Min("pk"))
    if known["newest"] is None:
        return list(without[:_BATCH])
    newer = list(without.filter(pk__gt=known["newest"] - _LOOKED_BACK)[:_BATCH])
    return newer or list(without.filter(pk__lt=known["oldest"])[:_BATCH])


def _embed(encoder: Meanings, memories: Sequence[Memory]) -> None:
    vectors = encoder.encode([memory.content[:LONGEST] for memory in memories])
    MemoryVector.objects.bulk_create(
        [
            MemoryVector(memory=memory, agent_id=memory.agent_id, vector=vector.tobytes())
            for memory, vector in zip(memories, vectors, strict=True)
        ],
        # Another process may have been as quick, and a person may have removed the memory.
        ignore_conflicts=True,
    )
