"""Memories by the hundred, stored as `save_memory` stores each."""

import hashlib
from collections.abc import Sequence

from agents.models import Memory
from agents.operations.sharing.memories import index_words
from agents.recall.words import index_text, words_of
from inbox.actor import Actor


def save_many(actor: Actor, contents: Sequence[str]) -> None:
    """Keep these texts, all of which are new, in mind."""
    words = [words_of(content) for content in contents]
    Memory.objects.bulk_create(
        Memory(
            workspace_id=actor.workspace_id, agent_id=actor.id, content=content,
            sha256=hashlib.sha256(content.encode()).hexdigest(), terms=index_text(actor.id, found),
        )
        for content, found in zip(contents, words, strict=True)
    )  # fmt: skip
    for found, content in zip(words, contents, strict=True):
        index_words(actor.id, found, content)
