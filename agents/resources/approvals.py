"""Approvals: the calls that wait for a person, and what was decided of them."""

from collections.abc import Sequence
from typing import Any, Literal

from agents.approval.pending import review_url
from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.contracts.flags import FlagShape, stored_shapes
from agents.lists.filters import Filters, IdFilter, OneOf, TextFilter, before, since
from agents.lists.pages import Order
from agents.models import Agent, Approval, ApprovalState
from agents.resources.collection import Collection, declare
from inbox import ids
from inbox.actor import Actor
from inbox.models import Draft, Submission, Thread
from inbox.models.base import VisibleQuerySet


class ApprovalRow(Closed):
    """A call that waits for a person, or what was decided of it."""

    id: str
    agent_id: str
    tool: str
    state: Literal[tuple(ApprovalState.values)]  # type: ignore[valid-type]
    reason: str
    risk_flags: list[FlagShape]
    # Of the sealed bytes, or of the arguments: what is approved is exactly what has this hash.
    sha256: str
    submission_id: OrAbsent[str] = None
    message_id: OrAbsent[str] = None
    thread_id: OrAbsent[str] = None
    draft_id: OrAbsent[str] = None
    # Why it was rejected or sent back, or what ended it.
    note: OrAbsent[str] = None
    created_at: Moment
    expires_at: Moment
    decided_at: OrAbsent[Moment] = None
    # The approval that took its place.
    replaced_by: OrAbsent[str] = None
    review_url: str


class WholeApproval(ApprovalRow):
    """An approval with the arguments of its call."""

    arguments: dict[str, Any]


class ApprovalFilters(Filters):
    """Approvals by state, tool, agent and the time of the proposal."""

    state = OneOf(ApprovalState.choices)
    tool = TextFilter(lookup_expr="exact")
    agent_id = IdFilter(Agent.ID_PREFIX, "agent")
    submission_id = IdFilter(Submission.ID_PREFIX, "submission")
    created_since = since("created_at")
    created_before = before("created_at")


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    rows = Approval.objects.visible_to(actor).select_related("submission")
    return rows.defer("submission__mime", "arguments")


def whole_approvals(actor: Actor) -> VisibleQuerySet[Any]:
    """Return the approvals that the actor may see, with their arguments."""
    return Approval.objects.visible_to(actor).select_related("submission").defer("submission__mime")


def _shapes(rows: Sequence[Approval]) -> list[ApprovalRow]:
    return [ApprovalRow(**_fields(row)) for row in rows]


def approval_whole(row: Approval) -> WholeApproval:
    """Return an approval with the arguments of its call."""
    return WholeApproval(**_fields(row), arguments=row.arguments)


def _fields(row: Approval) -> dict[str, Any]:
    newer = row.replaced_by_id
    return {
        "id": row.public_id,
        "agent_id": ids.encode(Agent.ID_PREFIX, row.agent_id),
        "tool": row.tool,
        "state": row.state,
        "reason": row.reason,
        "risk_flags": stored_shapes(row.risk_flags),
        "sha256": row.sha256,
        "note": row.note or None,
        "created_at": row.created_at,
        "expires_at": row.expires_at,
        "decided_at": row.decided_at,
        "replaced_by": ids.encode(Approval.ID_PREFIX, newer) if newer else None,
        "review_url": review_url(row),
        **_leaving(row.submission),
    }


def _leaving(submission: Submission | None) -> dict[str, Any]:
    if submission is None:
        return {}
    thread = submission.thread_id
    draft = submission.draft_id
    return {
        "submission_id": submission.public_id,
        "message_id": submission.message_public_id,
        "thread_id": ids.encode(Thread.ID_PREFIX, thread) if thread else None,
        "draft_id": ids.encode(Draft.ID_PREFIX, draft) if draft else None,
    }


declare(
    Collection(
        noun="approvals", one="approval", domain="control_plane", rows=_rows, item=ApprovalRow,
        shapes=_shapes, whole=WholeApproval, whole_shape=approval_whole,
        whole_rows=whole_approvals, filters=ApprovalFilters, search=("tool", "reason", "note"),
        orders={"created_at": Order("created_at"), "expires_at": Order("expires_at")},
        default="-created_at", list_name="browse_approvals",
        words="what the caller proposed and a person decides on. A person who is signed in decides "
        "with `POST /api/v1/approvals/{approval_id}/decision`.",
    )
)  # fmt: skip
