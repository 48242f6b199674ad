"""What a call answers, and what is said beside it: what it lacks, and how to ask for less."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from agents.contracts import Tool
from agents.contracts.fields import WithRemarks
from agents.contracts.plain import Plain
from agents.models import Approval

# In characters of JSON. A model reads an answer whole, with whatever else it has to remember.
LONG_ANSWER = 40_000
# What makes an answer shorter, by the argument that does it.
_LESS = {
    "limit": "a smaller limit",
    "top_k": "a smaller top_k",
    "kind": "one kind",
    "include_body": "include_body false",
    "include_details": "include_details false",
    "include_messages": "include_messages false",
    "include_attachments": "include_attachments false",
    "body_max_length": "a smaller body_max_length",
    "days_ahead": "fewer days_ahead",
    "start": "a shorter time from start to end",
    "time_range": "a shorter time_range",
    "since": "a later since",
    "updated_after": "a later updated_after",
    "search": "a search",
    "key": "one key",
    "unread_only": "unread_only true",
    "pattern": "a narrower pattern",
    "folder_id": "one folder_id",
    "entity_types": "one of the entity_types",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call came to: the result as JSON text, and the approval it waits for, if any.

    `remarks` say what it lacks, `shown` are the ids of texts in it; one given again has neither.
    """

    json: str
    receipt_id: str
    approval: Approval | None = None
    replayed: bool = False
    remarks: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()

    @property
    def result(self) -> Any:
        """The result: an object, or the list that some operations answer."""
        return json.loads(self.json)


def remarks_on(tool: Tool, found: object, text: str) -> tuple[str, ...]:
    """Return what an answer says that it lacks, and where it is long, how to ask for less."""
    said = found.remarks if isinstance(found, WithRemarks | Plain) else ()
    if len(text) <= LONG_ANSWER:
        return said
    words = f"This answer has {len(text):,} characters."
    less = ways_to_less(tool.arguments)
    return (*said, f"{words} For less: {', or '.join(less)}." if less else words)


@lru_cache(maxsize=256)
def ways_to_less(arguments: type[BaseModel]) -> tuple[str, ...]:
    """Return what of these arguments makes an answer shorter, in words."""
    return tuple(words for name, words in _LESS.items() if name in arguments.model_fields)
