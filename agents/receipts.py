"""Receipts: opened before the effect, closed with it, chained by hash in each workspace."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.dispatching.canonical import (
    CallArguments,
    canonical,
    clean,
    digest,
    shorten,
)
from agents.dispatching.statements import (
    append_receipt,
    appends_at_once,
    early_values,
    insert_receipt,
    lock_head,
)
from agents.errors import ToolError
from agents.models import Decision, Outcome, Receipt, ReceiptHead, StoredAnswer
from inbox.actor import Actor
from inbox.models import Workspace
from inbox.reasons import ReasonText

log = logging.getLogger(__name__)
_ROWS_AT_ONCE = 500
_CROSSING = 1000
# What the hash covers, besides the hash of the receipt before it.
_HASHED = (
    "workspace_id", "seq", "actor", "actor_name", "tool", "arguments", "arguments_sha256",
    "idempotency_key", "decision", "reason", "reasons", "approval", "outcome", "error_code",
    "result", "answer_sha256",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReceiptEntry:
    """What a receipt says of a call, or of something that was done in one step.

    `reason` is told by its codes, so that pages say it in the language of their reader.
    """

    tool: str
    arguments: dict[str, Any] | CallArguments = field(default_factory=dict)
    reason: ReasonText = field(default_factory=ReasonText)
    approval: str = ""
    decision: str = Decision.ALLOW
    outcome: str = Outcome.OK
    error_code: str = ""
    result: Any = None
    idempotency_key: str | None = None
    # The public ids of what the answer shows.
    shown: Sequence[str] = ()


class AlreadyClosed(Exception):  # noqa: N818
    """Raised where a receipt was closed by somebody else: the caller must undo what it did."""


def open_receipt(actor: Actor, entry: ReceiptEntry) -> Receipt:
    """Write an open receipt; it says what is about to be done.

    Raises IntegrityError where the actor has a receipt with this idempotency key already.
    """
    receipt = _new(actor, entry, timezone.now())
    insert_receipt(receipt)
    return receipt


def close(
    receipt: Receipt,
    *,
    outcome: str,
    result: Any = None,
    error_code: str = "",
    decision: str | None = None,
    reason: ReasonText | None = None,
    approval: str = "",
    answer: str = "",
    shown: Sequence[str] = (),
) -> None:
    """Close an open receipt, in the transaction of its effect; an error gives the key back.

    `answer` is the JSON that the same call is to be answered with again, kept where it is given.
    Raises AlreadyClosed where another call closed it first; the effect must then be rolled back.
    """
    with transaction.atomic():
        head = lock_head(receipt.workspace_id)
        receipt.outcome = outcome
        receipt.result = shorten(result)
        receipt.error_code = error_code
        receipt.decision = decision or receipt.decision
        if reason is not None:
            receipt.reason, receipt.reasons = reason, reason.as_json()
        receipt.approval = approval or receipt.approval
        receipt.answer_sha256 = digest(answer) if answer else ""
        receipt.shown = list(shown) or None
        if outcome == Outcome.ERROR:
            receipt.idempotency_key = None
        _chain(receipt, head, timezone.now())
        closed = Receipt.objects.filter(pk=receipt.pk, outcome=Outcome.OPEN).update(
            **{name: getattr(receipt, name) for name in _CLOSED_FIELDS}
        )
        if not closed:
            raise AlreadyClosed
        if answer:
            StoredAnswer.objects.create(receipt=receipt, answer=answer)


_CLOSED_FIELDS = (
    "seq", "outcome", "result", "error_code", "decision", "reason", "reasons", "approval",
    "closed_at",
    "prev_hash", "hash", "idempotency_key", "answer_sha256", "shown",
)  # fmt: skip


def read_answer(receipt: Receipt) -> str:
    """Return the stored answer of a closed receipt, as JSON.

    Raises ToolError `internal` where it is not the one that was given.
    """
    if find_answer_problem(receipt):
        log.error("the stored answer of %s is not what was given", receipt.public_id)
        raise ToolError("internal", "The stored answer is not the one that was given")
    return receipt.answer.answer


def record(actor: Actor, entry: ReceiptEntry) -> Receipt:
    """Write the receipt of something done in one step, in the caller's transaction."""
    return record_many(actor, [entry])[0]


def record_many(actor: Actor, entries: Sequence[ReceiptEntry]) -> list[Receipt]:
    """Write many receipts with two queries, in the caller's transaction."""
    if not entries:
        return []
    with transaction.atomic():
        if len(entries) == 1:
            return [ReadyReceipt(actor, entries[0]).write()]
        head, now = lock_head(actor.workspace_id), timezone.now()
        receipts = [_new_closed(actor, entry, now) for entry in entries]
        for receipt in receipts:
            _chain(receipt, head, now)
        return Receipt.objects.bulk_create(receipts, batch_size=500)


class ReadyReceipt:
    """A receipt with all but its place in the chain: made before the transaction that writes it.

    While one is written all others of its workspace wait, on SQLite everybody who writes.
    """

    def __init__(self, actor: Actor, entry: ReceiptEntry) -> None:
        self._receipt = _new_closed(actor, entry, timezone.now())
        self._early = {} if appends_at_once() else early_values(self._receipt)

    def write(self, head: ReceiptHead | None = None) -> Receipt:
        """Write it in the caller's transaction, which must not go on where that fails.

        `head` is the end of the workspace's chain where the transaction has locked it already.
        """
        receipt, now = self._receipt, timezone.now()
        receipt.opened_at = receipt.closed_at = now
        if head is None and appends_at_once():
            append_receipt(receipt, *_around_seq(_hashed(receipt)))
        else:
            _chain(receipt, head or lock_head(receipt.workspace_id), now)
            insert_receipt(receipt, self._early)
        return receipt


def hash_of(receipt: Receipt) -> str:
    """Return the hash that a closed receipt must have by its content and `prev_hash`."""
    return digest(receipt.prev_hash + canonical(_hashed(receipt)))


def _hashed(receipt: Receipt) -> dict[str, Any]:
    content = {name: getattr(receipt, name) for name in _HASHED}
    if receipt.shown is not None:
        # Receipts of before 0.3.0 have none, and keep their hashes.
        content["shown"] = receipt.shown
    content["opened_at"] = receipt.opened_at.isoformat()
    content["closed_at"] = receipt.closed_at.isoformat() if receipt.closed_at else None
    return content


def _around_seq(content: dict[str, Any]) -> tuple[str, str]:
    """Return the canonical JSON before and after the value of `seq`; keys are in order in it."""
    before = canonical({key: value for key, value in content.items() if key < "seq"})
    after = canonical({key: value for key, value in content.items() if key > "seq"})
    return f'{before[:-1]},"seq":', f",{after[1:]}"


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A link of the chain that does not hold."""

    seq: int
    receipt_id: str
    problem: str


def verify(workspace: Workspace) -> list[BrokenLink]:
    """Work the chain out anew and return its first broken link, or nothing.

    Finds a changed, missing or reordered receipt, a tail that was cut off, and a stored answer that
    was changed, removed, moved or put in.
    """
    seq, prev_hash = 0, ""
    for receipt in _closed(workspace).iterator(chunk_size=_ROWS_AT_ONCE):
        seq += 1
        problem = _find_problem(receipt, seq, prev_hash)
        if problem:
            return [BrokenLink(seq, receipt.public_id, problem)]
        prev_hash = receipt.hash
    return _check_head(workspace, seq, prev_hash) or _check_open(workspace)


def left_open(workspace: Workspace, before: datetime) -> Iterable[Receipt]:
    """Return the receipts opened before then and never closed: calls that crashed."""
    return Receipt.objects.filter(
        workspace=workspace, outcome=Outcome.OPEN, opened_at__lt=before
    ).order_by("id")


def own_since(actor: Actor, moment: datetime) -> Any:
    """Return the actor's receipts opened since then, as a query that reads no older ones."""
    rows = Receipt.objects.visible_to(actor)
    there = rows.filter(opened_at__gte=moment).order_by("opened_at", "id")
    first = there.values_list("pk", flat=True).first()
    if first is None:
        return rows.none()
    # Keys and times are given one after the other: those of calls at one moment may cross.
    return rows.filter(actor=actor.key, pk__gte=first - _CROSSING, opened_at__gte=moment)


def _closed(workspace: Workspace) -> Any:
    rows = Receipt.objects.filter(workspace=workspace, seq__isnull=False)
    return rows.select_related("answer").order_by("seq")


def _find_problem(receipt: Receipt, seq: int, prev_hash: str) -> str:
    if receipt.seq != seq:
        return f"receipt {seq} is missing; {receipt.seq} follows"
    if receipt.hash != hash_of(receipt):
        return "its content is not what was written"
    if receipt.prev_hash != prev_hash:
        return "it does not follow the receipt before it"
    return find_answer_problem(receipt)


def find_answer_problem(receipt: Receipt) -> str:
    """Return what is wrong with the stored answer of a closed receipt, or with there being one."""
    stored = getattr(receipt, "answer", None)
    if stored is None:
        return "its stored answer is missing" if receipt.answer_sha256 else ""
    if not receipt.answer_sha256:
        return "an answer was put to it that it never had"
    if digest(stored.answer) != receipt.answer_sha256:
        return "its stored answer is not what was given"
    return ""


def _check_open(workspace: Workspace) -> list[BrokenLink]:
    """Find an answer of a call that has not ended: both are written at once."""
    rows = Receipt.objects.filter(workspace=workspace, seq=None, answer__isnull=False)
    problem = "it is open, and an answer was put to it"
    return [BrokenLink(0, receipt.public_id, problem) for receipt in rows.order_by("pk")[:1]]


def _check_head(workspace: Workspace, seq: int, last_hash: str) -> list[BrokenLink]:
    """Compare the end of the chain with its head, which others may have moved on meanwhile."""
    head = ReceiptHead.objects.filter(workspace=workspace).first() or ReceiptHead(seq=0, hash="")
    if head.seq > seq:
        later = list(_closed(workspace).filter(seq__gt=seq, seq__lte=head.seq)[:10000])
        for receipt in later:
            seq += 1
            problem = _find_problem(receipt, seq, last_hash)
            if problem:
                return [BrokenLink(seq, receipt.public_id, problem)]
            last_hash = receipt.hash
    if head.seq != seq:
        missing = min(seq, head.seq) + 1
        return [BrokenLink(missing, "", f"the chain ends at {seq}, its head says {head.seq}")]
    if head.hash != last_hash:
        return [BrokenLink(seq, "", "the head does not name the last receipt")]
    return []


def _new(actor: Actor, entry: ReceiptEntry, now: datetime) -> Receipt:
    given = entry.arguments
    arguments = given if isinstance(given, CallArguments) else CallArguments.of(given)
    return Receipt(
        workspace_id=actor.workspace_id,
        actor=actor.key,
        actor_name=actor.name,
        tool=clean(entry.tool)[:100],
        arguments=arguments.short,
        arguments_sha256=arguments.sha256,
        idempotency_key=entry.idempotency_key,
        decision=entry.decision,
        reason=entry.reason,
        reasons=entry.reason.as_json(),
        approval=entry.approval,
        opened_at=now,
    )


def _new_closed(actor: Actor, entry: ReceiptEntry, now: datetime) -> Receipt:
    """Return a receipt of what was done in one step, which has no place in the chain yet."""
    receipt = _new(actor, entry, now)
    receipt.outcome = entry.outcome
    receipt.result = shorten(entry.result)
    receipt.error_code = entry.error_code
    receipt.shown = list(entry.shown) or None
    receipt.closed_at = now
    return receipt


def _chain(receipt: Receipt, head: ReceiptHead, now: datetime) -> None:
    """Make a receipt the next of the chain; the database moves the stored end with its row."""
    receipt.closed_at = now
    receipt.seq = head.seq + 1
    receipt.prev_hash = head.hash
    receipt.hash = hash_of(receipt)
    head.seq, head.hash = receipt.seq, receipt.hash
