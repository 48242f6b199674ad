"""How an account or a server of it does, as pages and lists say it."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Condition:
    """How something does, in a word and in words for a person; `tone` as notices have it."""

    word: Any
    title: Any
    tone: Literal["good", "warn", "bad", "calm"]
    advice: Any = ""
