"""Where an activity goes by what was made of it."""

from typing import Final

from inbox.models import ActivityStatus

# Below it nothing is done by itself: a person looks first.
CONFIDENT: Final = 0.5


def route(tier: int, confidence: float) -> ActivityStatus:
    """Return where an activity of this tier (1 to 4) goes: by confidence (0 to 1) first."""
    if confidence < CONFIDENT:
        return ActivityStatus.QUARANTINED
    if tier <= 2:
        return ActivityStatus.PROCESSED
    return ActivityStatus.NEEDS_REVIEW if tier == 3 else ActivityStatus.SURFACED
