"""What is odd about something, as a resource shows it."""

from typing import Any

from agents.contracts.fields import Closed, OrAbsent


class FlagShape(Closed):
    """Something for a reviewer to look at."""

    flag: str
    reason: str
    excerpt: OrAbsent[str] = None
    # The message in which it stands.
    source: OrAbsent[str] = None


def flag_shapes(flags: list[dict[str, Any]]) -> list[FlagShape]:
    """Return stored flags as they are shown."""
    return [
        FlagShape(
            flag=flag["flag"], reason=flag["reason"], excerpt=flag.get("excerpt") or None,
            source=flag.get("source"),
        )
        for flag in flags
    ]  # fmt: skip
