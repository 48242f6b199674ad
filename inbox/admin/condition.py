"""How an account or a server of it does, as pages and lists say it."""

from dataclasses import dataclass
from typing import Any, Literal

from django.utils import timezone

from inbox.models.remote import Synced


@dataclass(frozen=True, slots=True)
class Condition:
    """How something does, in a word and in words for a person; `tone` as notices have it."""

    word: Any
    title: Any
    tone: Literal["good", "warn", "bad", "calm"]
    advice: Any = ""


def is_due(state: Synced | None) -> bool:
    """Return True if something is looked at soon, or at this very moment."""
    if state is None:
        return False
    now = timezone.now()
    is_held = state.leased_until is not None and state.leased_until > now
    return is_held or (state.next_at is not None and state.next_at <= now)
