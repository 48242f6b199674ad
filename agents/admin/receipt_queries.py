"""Receipts for people: a page of what is looked for, and one with its place in the chain."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any
from urllib.parse import urlencode

from django.db.models import Max, Min, Q, QuerySet
from django.http import QueryDict

from agents.models import Agent, Outcome, Receipt, ReceiptHead
from agents.receipts import find_answer_problem, hash_of
from inbox import ids
from inbox.viewer import Viewer

SHOWN = 50
# So many are looked through for what is searched; a further page goes on from there.
LOOKED_THROUGH = 20_000
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class ReceiptCriteria:
    """What is looked for: an agent, a tool, an outcome, a day, words; and from where on."""

    agent: str = ""
    tool: str = ""
    outcome: str = ""
    day: str = ""
    q: str = ""
    before: str = ""

    @classmethod
    def from_query(cls, query: QueryDict) -> "ReceiptCriteria":
        """Read it from an address; what is none of it is left out."""
        # NUL goes into no query of PostgreSQL.
        given = {
            name: query.get(name, "").replace("\0", " ").strip()[:_LONGEST]
            for name in cls.__dataclass_fields__
        }
        if given["outcome"] not in {*Outcome.values, "denied"}:
            given["outcome"] = ""
        if _day(given["day"]) is None:
            given["day"] = ""
        return cls(**given)

    def to_query(self, **changes: str) -> str:
        """Write it into an address."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__} | changes
        return urlencode({name: value for name, value in values.items() if value})

    @property
    def is_any(self) -> bool:
        """Whether anything is looked for at all."""
        return any((self.agent, self.tool, self.outcome, self.day, self.q))


@dataclass(frozen=True, slots=True)
class ReceiptPage:
    """A page of receipts; `older` is where the next begins, empty at the end."""

    receipts: list[Receipt]
    older: str
    # Whether the looking ended before the page was full, with older ones still to look through.
    is_cut: bool


def read_page(viewer: Viewer, wanted: ReceiptCriteria, zone: tzinfo) -> ReceiptPage:
    """Return the newest receipts that are looked for, in bounded time."""
    rows = _of_day(Receipt.objects.visible_to(viewer.actor), wanted, zone)
    top = (ids.decode(Receipt.ID_PREFIX, wanted.before) or (0,))[0]
    lowest, highest = _ends(rows) if wanted.day else (1, None)
    if highest is not None:
        top = min(top or highest + 1, highest + 1)
    if top:
        rows = rows.filter(pk__lt=top)
    bottom = lowest
    if wanted.is_any and not _is_indexed(wanted):
        bottom = max(_bottom(top), lowest)
        rows = rows.filter(pk__gte=bottom)
    lean = _filtered(rows, wanted).defer("result")
    found = list(lean.order_by("-pk")[: SHOWN + 1])
    shown = found[:SHOWN]
    if len(found) > SHOWN:
        return ReceiptPage(shown, shown[-1].public_id, is_cut=False)
    is_cut = bottom > lowest
    return ReceiptPage(shown, ids.encode(Receipt.ID_PREFIX, bottom) if is_cut else "", is_cut)


def _is_indexed(wanted: ReceiptCriteria) -> bool:
    """Whether the database finds it without looking through others: by the agent alone."""
    return bool(wanted.agent) and not (wanted.tool or wanted.outcome or wanted.day or wanted.q)


def _bottom(top: int) -> int:
    newest = top or (Receipt.objects.aggregate(newest=Max("pk"))["newest"] or 0) + 1
    return max(newest - LOOKED_THROUGH, 1)


def _of_day(rows: QuerySet[Receipt], wanted: ReceiptCriteria, zone: tzinfo) -> QuerySet[Receipt]:
    day = _day(wanted.day)
    if day is None:
        return rows
    start = datetime.combine(day, time.min, zone)
    return rows.filter(opened_at__gte=start, opened_at__lt=start + timedelta(days=1))


def _ends(rows: QuerySet[Receipt]) -> tuple[int, int]:
    """Return between which keys the rows lie; an index of the times has them too."""
    ends = rows.aggregate(lowest=Min("pk"), highest=Max("pk"))
    return ends["lowest"] or 1, ends["highest"] or 0


def _filtered(rows: QuerySet[Receipt], wanted: ReceiptCriteria) -> QuerySet[Receipt]:
    if wanted.agent:
        key = (ids.decode(Agent.ID_PREFIX, wanted.agent) or (0,))[0]
        rows = rows.filter(actor=f"agent:{key}")
    if wanted.tool:
        rows = rows.filter(tool=wanted.tool)
    if wanted.outcome == "denied":
        rows = rows.filter(decision="deny")
    elif wanted.outcome:
        rows = rows.filter(outcome=wanted.outcome)
    if wanted.q:
        words = ("tool", "actor_name", "reason", "approval", "error_code")
        anywhere = Q(hash=wanted.q)
        for name in words:
            anywhere |= Q(**{f"{name}__icontains": wanted.q})
        rows = rows.filter(anywhere)
    return rows


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    # At either end of the calendar another zone's day is none any more.
    return day if 1 < day.year < 9999 else None


@dataclass(frozen=True, slots=True)
class Link:
    """A receipt's place in the chain: its neighbours, and whether it holds on to both."""

    before: Receipt | None
    after: Receipt | None
    own_holds: bool
    before_holds: bool
    after_holds: bool
    answer_holds: bool

    @property
    def holds(self) -> bool:
        """Whether nothing of it was changed, as far as it and its neighbours tell."""
        return (
            self.own_holds and self.before_holds and self.after_holds and self.answer_holds
        )  # fmt: skip


def read_link(receipt: Receipt) -> Link | None:
    """Check one link of the chain anew; None while the receipt is open."""
    if receipt.seq is None:
        return None
    beside = Receipt.objects.filter(workspace_id=receipt.workspace_id)
    near = {row.seq: row for row in beside.filter(seq__in=(receipt.seq - 1, receipt.seq + 1))}
    before, after = near.get(receipt.seq - 1), near.get(receipt.seq + 1)
    if after is None:
        head = ReceiptHead.objects.filter(pk=receipt.workspace_id).first()
        after_holds = head is not None and (head.seq, head.hash) == (receipt.seq, receipt.hash)
    else:
        after_holds = after.prev_hash == receipt.hash
    return Link(
        before, after,
        own_holds=hash_of(receipt) == receipt.hash,
        before_holds=receipt.prev_hash == (before.hash if before else "") and (
            before is not None or receipt.seq == 1
        ),
        after_holds=after_holds,
        answer_holds=not find_answer_problem(receipt),
    )  # fmt: skip


def in_rows(value: Any) -> list[tuple[str, Any]]:
    """Return stored JSON as rows to read: the names of an object with what they hold."""
    if isinstance(value, dict):
        return [(str(name), _said(item)) for name, item in value.items()]
    return [] if value is None else [("", _said(value))]


def _said(value: Any) -> Any:
    """Return a value for people; a text that is kept by its hash says so, in a mapping."""
    if isinstance(value, dict) and set(value) == {"sha256", "length"}:
        return {"length": value["length"], "sha256": value["sha256"]}
    if isinstance(value, list) and all(isinstance(item, str | int) for item in value):
        return ", ".join(map(str, value))
    return value
