"""What people are told of something planted, once it does not wait any more."""

from dataclasses import dataclass

from django.utils.translation import get_language

from agents.models import Approval, ApprovalState
from agents.planted.deck import title_of


@dataclass(frozen=True, slots=True)
class PlantedTold:
    """What was wrong with it, in the reader's language, and the verdict; empty: nobody decided."""

    title: str
    wrong: str
    expected: str
    verdict: str


def read_told(approval: Approval) -> PlantedTold | None:
    """Return what is told of an approval; None where it was real, or still waits."""
    item = approval.planted_item
    if item is None or approval.state == ApprovalState.WAITING:
        return None
    title = title_of(item.kind, get_language() or "en")
    return PlantedTold(title, item.wrong, item.expected, str(item.verdict))
