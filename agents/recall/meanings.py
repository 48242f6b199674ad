"""Memories by what they mean, where `chancery[semantic]` is switched on."""

from collections.abc import Mapping
from typing import Final

from agents.models import MemoryVector
from inbox.actor import Actor
from inbox.semantic.shelf import Shelf
from inbox.semantic.vectors import LEAST_COSINE, find_nearest

MEMORIES: Final = Shelf(MemoryVector, "memory_id", "agent_id")
_NEAREST: Final = 100
# Characters of a question, and of a memory, that the model is given.
LONGEST: Final = 2000
# What a cosine of 1 is worth: a score by words goes up towards 1 by so much of what it lacks.
# Measured on every second conversation of LoCoMo, see bench/RESULTS.md.
_WORTH: Final = 0.6


def near_memories(actor: Actor, query: str) -> dict[int, float]:
    """Return the agent's memories nearest to a question by key, and the cosine of each.

    Whether the agent may recall them is not asked here.
    """
    return find_nearest(MEMORIES, [actor.id], query[:LONGEST], _NEAREST)


def add_meaning(scores: Mapping[int, float], near: Mapping[int, float]) -> dict[int, float]:
    """Return the scores of what has a word of the question or is near it, up to 1."""
    added = {key: _WORTH * (near[key] - LEAST_COSINE) / (1 - LEAST_COSINE) for key in near}
    return {
        key: score + max(1 - score, 0.0) * added.get(key, 0.0)
        for key, score in (dict.fromkeys(near, 0.0) | dict(scores)).items()
    }
