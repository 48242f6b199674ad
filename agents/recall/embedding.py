"""Working out what memories mean, in the background."""

from typing import Final

from agents.models import Memory
from agents.recall.meanings import LONGEST, MEMORIES
from inbox.semantic.missing import Missing, embed_missing

# In seconds: how long one round may take, with a batch begun before.
_ROUND: Final = 4.0
_LOOKED_BACK: Final = 1000


def embed_memories() -> int:
    """Work out the meaning of memories that have none yet, for some seconds; return how many.

    Those that wait for review too: whether one is recalled is asked when it is looked for.
    """
    rows = Memory.objects.filter(meaning=None, deleted_at=None).only("agent_id", "content")
    missing = Missing(MEMORIES, rows, lambda memory: memory.content[:LONGEST], _LOOKED_BACK)
    return embed_missing(missing, _ROUND)
