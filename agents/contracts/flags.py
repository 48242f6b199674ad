"""What is odd about something that would leave, as agents are told: in English, with its codes."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

from agents.contracts.fields import Closed, OrAbsent
from inbox.flags import FLAGS, Finding, Flag, read_flags

# So many sentences stand for all of a flag's; each item has its own.
_MOST_SENTENCES = 3
FlagCode = Annotated[str, Field(json_schema_extra={"enum": list(FLAGS)})]


class FlaggedItem(Closed):
    """One thing that raised a flag: why, the words in the message, the message it comes from."""

    reason: str
    excerpt: OrAbsent[str] = None
    source: OrAbsent[str] = None


class FlagShape(Closed):
    """Something for a reviewer to look at: one for each kind, with all that raised it.

    `count` is how many items there are; of thousands not all are listed. `excerpt` and `source` are
    those of the first.
    """

    flag: FlagCode
    reason: str
    excerpt: OrAbsent[str] = None
    source: OrAbsent[str] = None
    count: int
    items: list[FlaggedItem]


def flag_shapes(flags: Iterable[Flag]) -> list[FlagShape]:
    """Return flags as they are told."""
    return [_shape(flag) for flag in flags]


def stored_shapes(stored: Iterable[Any]) -> list[FlagShape]:
    """Return the flags that a draft or an approval keeps, as they are told."""
    return flag_shapes(read_flags(stored))


def describe(flag: Flag) -> str:
    """Return in English why a flag is raised, in a few sentences at most."""
    left = len(flag.reasons) - _MOST_SENTENCES
    more = [f"And {left} more."] if left > 0 else []
    return " ".join([*flag.reasons[:_MOST_SENTENCES], *more])


def _shape(flag: Flag) -> FlagShape:
    first = flag.findings[0]
    return FlagShape(
        flag=flag.flag, reason=describe(flag), excerpt=first.excerpt or None, source=first.source,
        count=flag.count, items=[_item(finding) for finding in flag.findings],
    )  # fmt: skip


def _item(finding: Finding) -> FlaggedItem:
    return FlaggedItem(
        reason=finding.english, excerpt=finding.excerpt or None, source=finding.source
    )
