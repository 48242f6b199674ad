"""What drafting a reply answers."""

from dataclasses import dataclass

from inbox.flags import Finding
from inbox.models import Message


@dataclass(frozen=True)
class ComposedReply:
    """A draft, what is risky about it, and the messages it rests on, oldest first."""

    body: str
    risk_flags: tuple[Finding, ...]
    cited: tuple[Message, ...]
    needs_human_approval: bool
    confidence: float
