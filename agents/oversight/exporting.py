"""One decision as a record for others: who decided what, when, seeing what, and what came of it.

No word of any message is in it, and no address: what was proposed and what it rested on are named
by their hashes, which whoever has the bytes can work out again.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from django.db.models import Q
from django.utils import timezone
from pydantic import BaseModel, ConfigDict

from agents.dispatching.canonical import canonical
from agents.models import Approval, ApprovalState, DecisionMeasure, DecisionVerb, Receipt
from inbox.actor import Actor
from inbox.flags import read_flags
from inbox.models import Message

FORMAT = "chancery-decision-1"
# As many messages of the thread are named as evidence, the newest.
_MOST_MESSAGES = 50
_MOST_RECEIPTS = 200
_OUTCOMES = {ApprovalState.VOIDED: "void", ApprovalState.CANCELED: "taken_back"}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Named(_Part):
    """Something by its id and its name."""

    id: str
    name: str


class Proposed(_Part):
    """What was proposed: the bytes of a message, or the canonical arguments of a call."""

    kind: Literal["message", "call"]
    tool: str
    sha256: str
    at: datetime
    expires_at: datetime


class Decided(_Part):
    """One person's decision, with how they looked at it, as far as that is known."""

    who: str
    role: str
    decision: Literal["first", "approved", "edited", "rejected", "returned"]
    way: Literal["page", "batch", "api"]
    opened_at: datetime | None
    decided_at: datetime
    milliseconds: int | None
    end_on_screen: Literal["seen", "unseen", "unknown", "none"]
    source_on_screen: Literal["seen", "unseen", "unknown", "none"]
    words: int
    changed_words: int
    too_quick: bool
    flags: list[str]


class Approver(_Part):
    """Who approved, and when."""

    who: str
    at: datetime


class Evidence(_Part):
    """What stood beside the proposal: its id, and the SHA-256 of its bytes or canonical JSON."""

    kind: Literal["answered", "thread", "attachment", "marks", "flags"]
    id: str
    sha256: str


class NamedReceipt(_Part):
    """A receipt of the matter, by its place in the workspace's chain."""

    id: str
    seq: int | None
    tool: str
    sha256: str


class Planted(_Part):
    """That it was made up to see whether a reviewer notices, and did one; no agent proposed it."""

    kind: str
    verdict: Literal["caught", "missed", "undecided"]


class DecisionRecord(_Part):
    """A decision on a proposal of an agent."""

    format: Literal["chancery-decision-1"]
    exported_at: datetime
    exported_by: str
    approval_id: str
    workspace: Named
    agent: Named
    proposed: Proposed
    outcome: Literal[
        "waiting", "approved", "modified", "rejected", "returned", "expired", "void", "taken_back"
    ]
    reason: str
    decisions: list[Decided]
    first_approver: Approver | None
    second_approver: Approver | None
    flags: list[str]
    # The approval before or behind an edit or an undo.
    replaces: str | None
    replaced_by: str | None
    # The hash of what was approved and the state of the message; null where nothing was to leave.
    approved_sha256: str | None
    submission_state: str | None
    evidence: list[Evidence]
    receipts: list[NamedReceipt]
    # Null for what an agent really proposed, and while it waits.
    planted: Planted | None


def export_decision(actor: Actor, approval: Approval) -> DecisionRecord:
    """Return the record of an approval that this actor may see."""
    before = Approval.objects.visible_to(actor).filter(replaced_by=approval).first()
    measures = _measures(actor, approval)
    submission = approval.submission
    return DecisionRecord(
        format=FORMAT, exported_at=timezone.now(), exported_by=actor.name,
        approval_id=approval.public_id,
        workspace=Named(id=approval.workspace.public_id, name=approval.workspace.name),
        agent=Named(id=approval.agent.public_id, name=approval.agent.name),
        proposed=Proposed(
            kind="message" if submission else "call", tool=approval.tool, sha256=approval.sha256,
            at=approval.created_at, expires_at=approval.expires_at,
        ),
        outcome=_outcome(approval, measures), reason=str(approval.note),
        decisions=[_decided(row) for row in measures],
        first_approver=_approver(approval.first_approver, approval.first_approved_at),
        second_approver=_second(approval),
        flags=_codes(approval), replaces=before.public_id if before else None,
        replaced_by=approval.replaced_by.public_id if approval.replaced_by else None,
        approved_sha256=submission.approved_sha256 or None if submission else None,
        submission_state=str(submission.state) if submission else None,
        evidence=_evidence(actor, approval), receipts=_receipts(actor, approval, before),
        planted=_planted(approval),
    )  # fmt: skip


def _measures(actor: Actor, approval: Approval) -> list[DecisionMeasure]:
    """Return the decisions on it, and the edit from which it came."""
    edit = Q(approval__replaced_by=approval, verb=DecisionVerb.EDITED)
    rows = DecisionMeasure.objects.visible_to(actor).filter(Q(approval=approval) | edit)
    return list(rows.select_related("user").order_by("decided_at", "pk"))


def _decided(row: DecisionMeasure) -> Decided:
    given: dict[str, Any] = {
        "who": row.user.get_username() if row.user else "", "role": row.role,
        "decision": row.verb, "way": row.way, "opened_at": row.opened_at,
        "decided_at": row.decided_at, "milliseconds": row.milliseconds, "end_on_screen": row.end,
        "source_on_screen": row.source, "words": row.words, "changed_words": row.changed_words,
        "too_quick": row.is_quick, "flags": row.flags.split(),
    }  # fmt: skip
    return Decided(**given)


def _outcome(approval: Approval, measures: Sequence[DecisionMeasure]) -> Any:
    is_edited = any(row.verb == DecisionVerb.EDITED for row in measures)
    if is_edited and approval.state in {ApprovalState.VOIDED, ApprovalState.APPROVED}:
        return "modified"
    return _OUTCOMES.get(ApprovalState(approval.state), str(approval.state))


def _approver(person: Any, at: datetime | None) -> Approver | None:
    return Approver(who=person.get_username(), at=at) if person and at else None


def _second(approval: Approval) -> Approver | None:
    """Return who approved it after another had."""
    first, last = approval.first_approver, approval.decided_by
    was_approved = approval.state in {ApprovalState.APPROVED, ApprovalState.CANCELED}
    if first is None or first == last or not was_approved:
        return None
    return _approver(last, approval.decided_at)


def _planted(approval: Approval) -> Planted | None:
    item = approval.planted_item
    if item is None or approval.state == ApprovalState.WAITING:
        return None
    verdict: Any = item.verdict or "undecided"
    return Planted(kind=item.kind, verdict=verdict)


def _codes(approval: Approval) -> list[str]:
    return sorted({flag.flag for flag in read_flags(approval.risk_flags)})


def _evidence(actor: Actor, approval: Approval) -> list[Evidence]:
    found = [
        Evidence(kind="marks", id=approval.public_id, sha256=_hash(approval.marks)),
        Evidence(kind="flags", id=approval.public_id, sha256=_hash(approval.risk_flags)),
    ]
    submission = approval.submission
    if submission is None:
        return found
    answered = submission.draft.in_reply_to_id
    wanted = Q(pk=answered)
    if submission.thread_id is not None:
        wanted |= Q(thread_id=submission.thread_id, created_at__lte=approval.created_at)
    rows = Message.objects.visible_to(actor).filter(wanted).select_related("blob")
    rows = rows.only("pk", "blob__sha256").order_by("-received_at", "-pk")
    for row in rows[:_MOST_MESSAGES]:
        kind: Any = "answered" if row.pk == answered else "thread"
        found.append(Evidence(kind=kind, id=row.public_id, sha256=row.blob.sha256))
    for _filename, _type, sha256 in submission.attachments:
        found.append(Evidence(kind="attachment", id=submission.public_id, sha256=sha256))
    return found


def _receipts(actor: Actor, approval: Approval, before: Approval | None) -> list[NamedReceipt]:
    names = [approval.public_id, *([before.public_id] if before else [])]
    rows = Receipt.objects.visible_to(actor)
    rows = rows.filter(Q(approval__in=names) | Q(pk=approval.receipt_id)).order_by("pk")
    rows = rows.only("pk", "seq", "tool", "hash")
    return [
        NamedReceipt(id=row.public_id, seq=row.seq, tool=row.tool, sha256=row.hash)
        for row in rows[:_MOST_RECEIPTS]
    ]


def _hash(value: Any) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()
