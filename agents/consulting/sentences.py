"""Sentences that a model writes: each quotes what it rests on, and states no figure of its own.

What a sentence says in words nobody can check by rules; its numbers, addresses and links can be.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import regex

from agents.consulting.passages import origins_of
from agents.models import Origin
from inbox.language_model.answers import find_quote, text_in
from inbox.language_model.prompts import Passage
from inbox.models import Message

LONGEST: Final = 500
# Words with digits, and what leads a reader somewhere or says where to pay.
_SIGNS = r"[^\s,;:!?()“”„\"'«»]"
_FACTS = regex.compile(rf"{_SIGNS}*\d(?:{_SIGNS}|[,:'’](?=\d))*")
_LEADS = regex.compile(r"\S+@\S+|https?://\S+|\bwww\.\S+|\b[A-Z]{2}\d{2}[A-Z0-9 ]{10,}")


def thread_passages(workspace_id: int, messages: Sequence[Message]) -> list[Passage]:
    """Return messages, given oldest first, as a model reads them: newest first, S1 the oldest."""
    origins = origins_of(workspace_id, [it.public_id for it in messages])
    found = [
        Passage(
            f"S{number}", f"{it.subject}\n{it.new_text or it.text}",
            origins.get(it.public_id, Origin.STRANGER), "message", it.public_id,
            {"kind": "message", "by": it.from_email, "written": it.received_at.isoformat()},
        )
        for number, it in enumerate(messages, 1)
    ]  # fmt: skip
    return found[::-1]


def sentence_in(row: Mapping[str, Any]) -> str:
    """Return the sentence of a row in one line; "" where it has none that may be used."""
    return " ".join(text_in(row, "text", LONGEST).split())


def quotes(row: Mapping[str, Any], text: str) -> bool:
    """Return True if the words that a row quotes stand in a text."""
    return find_quote(text, text_in(row, "quote")) is not None


def states_facts(sentence: str) -> bool:
    """Return True if a sentence has a number, an address or a link."""
    return bool(_FACTS.search(sentence) or _LEADS.search(sentence))


def has_its_facts(sentence: str, sources: str, trusted: str) -> bool:
    """Return True if each number of a sentence stands in the sources as it is.

    Addresses, links and accounts have to stand in what is `trusted`.
    """
    return all(_stands(sources, it) for it in _FACTS.findall(sentence)) and all(
        _stands(trusted, it) for it in _LEADS.findall(sentence)
    )


def _stands(text: str, words: str) -> bool:
    """Return True if words stand in a text, and not within a longer number or word."""
    pattern = regex.escape(words.strip(" .,;:"))
    return regex.search(rf"(?<![\w@]|\d[.,]){pattern}(?![\w@]|[.,]\d)", text) is not None
