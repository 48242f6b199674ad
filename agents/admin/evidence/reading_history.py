"""What an agent read before it proposed something, by its receipts."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from agents.admin.evidence.references import Reference, find_ids, name_ids
from agents.contracts import REGISTRY, Effect
from agents.models import Approval, Outcome, Receipt
from inbox.actor import Actor
from inbox.models import Thread

# So many receipts before the proposal are looked through, of one day at most.
NEWEST = 400
MOST_READ = 50
_DAY = timedelta(hours=24)
_LOOKED_FOR = ("query", "q", "search", "key", "email", "address")
# Reads that say nothing of what a proposal rests on.
_IDLE = frozenset({"look_around", "list_approvals", "get_approval", "policy_check", "time_now"})
_READING_ACTION = re.compile(r"(^|[._])(list|get|read|search|find|query|fetch|recall)([._]|$)")


@dataclass(frozen=True, slots=True)
class Read:
    """Something that it read, or looked for: `words` are those of a search."""

    tool: str
    named: Reference | None
    words: str
    count: int
    at: datetime
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class ReadingHistory:
    """What it read since its proposal before, and earlier that day; `since` is that proposal."""

    recent: tuple[Read, ...]
    earlier: tuple[Read, ...]
    since: datetime | None
    is_cut: bool


def read_reading_history(viewer: Actor, approval: Approval) -> ReadingHistory:
    """Return what the agent read before the proposal, newest first; links where one may look."""
    there = viewer.within(approval.workspace_id)
    before = Approval.objects.visible_to(there).filter(
        agent_id=approval.agent_id, created_at__lt=approval.created_at
    )
    previous = before.order_by("-created_at", "-id").values_list("created_at", "receipt_id").first()
    since, last_receipt = previous or (None, 0)
    rows = Receipt.objects.visible_to(there).filter(
        actor=f"agent:{approval.agent_id}", id__lt=approval.receipt_id
    )
    newest = list(rows.order_by("-id")[:NEWEST])
    day_before = approval.created_at - _DAY
    reads = [row for row in newest if row.opened_at >= day_before and _is_read(row)]
    named = name_ids(viewer, (one for row in reads for one in _ids_of(row)))
    recent = _grouped(_reads((row for row in reads if row.pk > last_receipt), named))
    seen = {_key(one) for one in recent}
    earlier = _grouped(_reads((row for row in reads if row.pk <= last_receipt), named))
    rest = [one for one in earlier if _key(one) not in seen]
    return ReadingHistory(
        recent=tuple(recent[:MOST_READ]), earlier=tuple(rest[: max(MOST_READ - len(recent), 0)]),
        since=since, is_cut=len(newest) == NEWEST or len(recent) + len(rest) > MOST_READ,
    )  # fmt: skip


def _is_read(row: Receipt) -> bool:
    return row.outcome == Outcome.OK and row.tool not in _IDLE and _reads_only(row)


def _reads_only(row: Receipt) -> bool:
    action = str(row.arguments.get("action", "")) if isinstance(row.arguments, dict) else ""
    effect = _effects().get(f"{row.tool}.{action}" if action else row.tool)
    effect = effect or _effects().get(row.tool)
    if effect is not None:
        return effect is Effect.READ
    return bool(_READING_ACTION.search(action or row.tool))


@lru_cache(maxsize=1)
def _effects() -> dict[str, Effect]:
    return {tool.name: tool.effect for tool in REGISTRY.tools}


def _ids_of(row: Receipt) -> list[str]:
    """Return what a call was about: what its arguments name."""
    return list(find_ids(row.arguments))[:5]


def _reads(rows: Iterable[Receipt], named: dict[str, Reference]) -> Iterator[Read]:
    for row in rows:
        words = _words_of(row.arguments)
        about = [named[one] for one in _ids_of(row) if one in named]
        # An inbox or account says where it looked, and something else what at.
        thing = next((one for one in about if one.url and not _is_place(one)), None)
        if thing is None and not words and about:
            thing = about[0]
        yield Read(row.tool, thing, words, 1, row.opened_at, row)


def _is_place(one: Reference) -> bool:
    return one.row._meta.model_name in {"account", "inbox", "calendar", "mailbox"}


def _words_of(arguments: Any) -> str:
    if not isinstance(arguments, dict):
        return ""
    found = (arguments.get(name) for name in _LOOKED_FOR)
    return next((words for words in found if isinstance(words, str) and words), "")


def _key(read: Read) -> tuple[str, str]:
    if read.named is None:
        return (read.tool, read.words)
    row = read.named.row
    # A message and its thread are read together, and stand as one.
    thread = row.pk if isinstance(row, Thread) else getattr(row, "thread_id", None)
    return (f"thread {thread}" if thread else read.named.url or read.named.name, read.words)


def _grouped(reads: Iterable[Read]) -> list[Read]:
    """Join what was read of one thing, newest first, and count how often."""
    found: dict[tuple[str, str], Read] = {}
    for one in reads:
        first = found.setdefault(_key(one), one)
        if first is not one:
            found[_key(one)] = Read(
                first.tool, first.named, first.words, first.count + 1, first.at, first.receipt
            )
    return list(found.values())
