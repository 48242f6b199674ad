"""What an agent read before it proposed something, by its receipts and what they showed."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from agents.admin.evidence.references import Reference, find_ids, name_ids
from agents.contracts import REGISTRY, Effect
from agents.models import Approval, Exposure, Origin, Outcome, Receipt
from inbox.actor import Actor
from inbox.models import Thread
from inbox.prepared import Prepared, padded

# So many receipts before the proposal are looked through, of one day at most.
NEWEST = 400
MOST_READ = 50
# Of what a list showed, so many are named.
MOST_LISTED = 20
_DAY = timedelta(hours=24)
_LOOKED_FOR = ("query", "q", "search", "key", "email", "address")
# Reads that say nothing of what a proposal rests on.
_IDLE = frozenset({"look_around", "list_approvals", "get_approval", "policy_check", "time_now"})
_READING_ACTION = re.compile(r"(^|[._])(list|get|read|search|find|query|fetch|recall)([._]|$)")


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text among those that an answer listed, and whose words it holds."""

    named: Reference
    origin: str
    author: str

    @property
    def is_strange(self) -> bool:
        """Whether a stranger wrote it."""
        return self.origin == Origin.STRANGER


@dataclass(frozen=True, slots=True)
class Read:
    """Something that it read, or looked for: `words` are those of a search.

    `listed` are what the answer of a list or a search showed, strangers' texts first; `more` how
    many beyond these. `is_strange`: a stranger wrote some of what was shown.
    """

    tool: str
    named: Reference | None
    words: str
    count: int
    at: datetime
    receipt: Receipt
    listed: tuple[ReadText, ...] = ()
    more: int = 0
    is_strange: bool = False


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
    agent, until = approval.agent_id, approval.created_at
    previous = next(_BEFORE.rows(there=there, agent=agent, until=until), None)
    since, last_receipt = previous or (None, 0)
    rows = _RECEIPTS.rows(there=there, agent=f"agent:{agent}", until=approval.receipt_id)
    newest: list[Receipt] = list(rows)
    day_before = approval.created_at - _DAY
    reads = [row for row in newest if row.opened_at >= day_before and _is_read(row)]
    shown = _read_shown(there, reads)
    held = (_holder(it) for rows in shown.values() for it in rows)
    named = name_ids(viewer, [*(it for row in reads for it in _ids_of(row)), *held])
    made = list(_reads(reads, named, shown))
    recent = _grouped(one for one in made if one.receipt.pk > last_receipt)
    seen = {_key(one) for one in recent}
    earlier = _grouped(one for one in made if one.receipt.pk <= last_receipt)
    rest = [one for one in earlier if _key(one) not in seen]
    return ReadingHistory(
        recent=tuple(recent[:MOST_READ]), earlier=tuple(rest[: max(MOST_READ - len(recent), 0)]),
        since=since, is_cut=len(newest) == NEWEST or len(recent) + len(rest) > MOST_READ,
    )  # fmt: skip


def _before(*, there: Actor, agent: int, until: datetime) -> list[Any]:
    rows = Approval.objects.visible_to(there).filter(agent_id=agent, created_at__lt=until)
    rows = rows.order_by("-created_at", "-id")
    return [rows.values_list("created_at", "receipt_id")[:1]]


def _receipts(*, there: Actor, agent: str, until: int) -> list[Any]:
    rows = Receipt.objects.visible_to(there).filter(actor=agent, id__lt=until)
    # There are hundreds, and what they answered is long.
    return [rows.only("tool", "arguments", "outcome", "opened_at").order_by("-id")[:NEWEST]]


def _shown_by(*, there: Actor, receipts: tuple[int, ...]) -> list[Any]:
    return [Exposure.objects.visible_to(there).filter(receipt__in=receipts)]


_BEFORE, _RECEIPTS, _SHOWN = Prepared(_before), Prepared(_receipts), Prepared(_shown_by)


def _read_shown(there: Actor, reads: Iterable[Receipt]) -> dict[int, list[Exposure]]:
    """Return what each receipt showed, strangers' texts first."""
    rows = _SHOWN.rows(there=there, receipts=padded([row.pk for row in reads]))
    found: dict[int, list[Exposure]] = {}
    for one in sorted(rows, key=lambda it: (it.origin != Origin.STRANGER, it.pk)):
        found.setdefault(one.receipt_id, []).append(one)
    return found


def _holder(one: Exposure) -> str:
    """Return the public id of what was shown itself."""
    return one.via or one.public_id


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


def _reads(
    rows: Iterable[Receipt], named: dict[str, Reference], shown: dict[int, list[Exposure]]
) -> Iterator[Read]:
    for row in rows:
        exposures = shown.get(row.pk, [])
        is_strange = any(one.origin == Origin.STRANGER for one in exposures)
        words = _words_of(row.arguments)
        about = [named[one] for one in _ids_of(row) if one in named]
        # An inbox or account says where it looked, and something else what at.
        thing = next((one for one in about if one.url and not _is_place(one)), None)
        if thing is None and not words and about:
            thing = about[0]
        listed = () if thing and thing.url and not _is_place(thing) else _list(exposures, named)
        yield Read(
            row.tool, thing, words, 1, row.opened_at, row, listed[:MOST_LISTED],
            max(len(listed) - MOST_LISTED, 0), is_strange,
        )  # fmt: skip


def _list(exposures: Iterable[Exposure], named: dict[str, Reference]) -> tuple[ReadText, ...]:
    """Return what a list showed, each once."""
    found: dict[str, ReadText] = {}
    for one in exposures:
        reference = named.get(_holder(one))
        if reference is not None:
            found.setdefault(_holder(one), ReadText(reference, one.origin, one.author))
    return tuple(found.values())


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
            found[_key(one)] = replace(
                first, count=first.count + 1, is_strange=first.is_strange or one.is_strange
            )
    return list(found.values())
