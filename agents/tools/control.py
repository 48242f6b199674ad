"""What became of what the caller proposed."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from agents.approval.due import check_due
from agents.approval.pending import review_url
from agents.contracts import REGISTRY, Effect, tool
from agents.contracts.fields import WHOLE, Closed, Maybe, Moment, OrAbsent
from agents.contracts.flags import FlagShape, stored_shapes
from agents.contracts.schemas import published
from agents.dispatching.rows import get_row
from agents.events.returned import ReturnedReport, came_back
from agents.lists import pages
from agents.models import Approval, ApprovalState
from inbox.actor import Actor
from inbox.models import Submission

State: TypeAlias = Literal[
    "waiting", "approved", "rejected", "returned", "expired", "voided", "canceled"
]


class ApprovalShape(Closed):
    """A call that waits for a person, or what was decided of it."""

    model_config = published("chancery/approval.json")

    approval_id: str
    tool: str
    state: State
    created_at: Moment
    expires_at: Moment
    reason: str
    risk_flags: list[FlagShape]
    # The reviewer's words: why it was rejected, or what ended it.
    note: OrAbsent[str] = None
    # What to change before proposing again, where it was sent back.
    feedback: OrAbsent[str] = None
    decided_at: OrAbsent[Moment] = None
    message_id: OrAbsent[str] = None
    thread_id: OrAbsent[str] = None
    draft_id: OrAbsent[str] = None
    # How the mail itself stands: held, pending, sending, sent, failed, unknown, ….
    submission_state: OrAbsent[str] = None
    # Since when the mail waits for a login of its account that works.
    waits_since: OrAbsent[Moment] = None
    # The newest bounces, delays and automatic answers that name the mail, once it has left.
    came_back: OrAbsent[list[ReturnedReport]] = None
    replaced_by: OrAbsent[str] = None
    review_url: str


REGISTRY.publish_model(ApprovalShape, "chancery/approval.json")


class ListApprovals(Closed):
    """Which approvals."""

    state: Maybe[State] = None
    limit: Annotated[int, Field(ge=1, le=200), WHOLE] = 50
    cursor: Maybe[str] = None


class ApprovalPage(Closed):
    """Approvals, newest first."""

    approvals: list[ApprovalShape]
    next_cursor: OrAbsent[str] = None


@tool(
    family="house",
    domain="control_plane",
    effect=Effect.READ,
    shows=False,
    example={"state": "returned"},
)
def list_approvals(actor: Actor, args: ListApprovals) -> ApprovalPage:
    """List what the caller proposed and a person decides on, newest first, with what was decided.

    What was sent back has the state `returned` and the reviewer's `feedback`.
    """
    rows = _approvals(actor)
    if args.state is not None:
        rows = rows.filter(state=args.state)
    query = ["list_approvals", args.state]
    rows = pages.newest_after(rows, "created_at", args.cursor, query)
    page, cursor = pages.take_page(list(rows[: args.limit + 1]), args.limit, "created_at", query)
    return ApprovalPage(approvals=_shapes(page), next_cursor=cursor)


class GetApproval(Closed):
    """Which approval."""

    approval_id: Annotated[str, Field(min_length=1)]


@tool(
    family="house",
    domain="control_plane",
    effect=Effect.READ,
    shows=False,
    example={"approval_id": "apr_8fXoQ2mKpL"},
)
def get_approval(actor: Actor, args: GetApproval) -> ApprovalShape:
    """Tell how a call of the caller's that waits for a person stands, and what was decided."""
    row = get_row(_approvals(actor), args.approval_id, "approval", "/approval_id")
    return _shapes([row])[0]


def _shapes(rows: Sequence[Approval]) -> list[ApprovalShape]:
    check_due(rows)
    reports = came_back(row.submission_id for row in rows if row.submission_id is not None)
    return [_shape(row, reports.get(row.submission_id or 0)) for row in rows]


def _approvals(actor: Actor) -> Any:
    rows = Approval.objects.visible_to(actor)
    return rows.select_related("submission__draft", "submission__thread", "replaced_by").defer(
        "submission__mime"
    )


def _shape(approval: Approval, reports: list[ReturnedReport] | None) -> ApprovalShape:
    """Return an approval as its proposer sees it."""
    fields: dict[str, Any] = {
        "approval_id": approval.public_id,
        "tool": approval.tool,
        "state": approval.state,
        "created_at": approval.created_at,
        "expires_at": approval.expires_at,
        "reason": approval.reason,
        "risk_flags": stored_shapes(approval.risk_flags),
        "note": approval.note or None,
        "feedback": approval.note if approval.state == ApprovalState.RETURNED else None,
        "decided_at": approval.decided_at,
        "replaced_by": approval.replaced_by.public_id if approval.replaced_by else None,
        "review_url": review_url(approval),
    }
    return ApprovalShape(**fields, **_mail(approval.submission), came_back=reports)


def _mail(submission: Submission | None) -> dict[str, Any]:
    if submission is None:
        return {}
    return {
        "message_id": submission.message_public_id,
        "thread_id": submission.thread.public_id if submission.thread else None,
        "draft_id": submission.draft.public_id,
        "submission_state": submission.state,
        "waits_since": submission.waits_since if submission.awaits_login else None,
    }
