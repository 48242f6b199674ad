"""Approvals: the calls that wait for a person, and what was decided of them."""

from typing import Annotated, Any, Literal

from agents.approval.due import check_due
from agents.approval.pending import review_url
from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.contracts.flags import FlagShape, stored_shapes
from agents.evidence.claims.records import Kind, Part, SourceType, State
from agents.evidence.recalled import read_used_memories
from agents.lists.filters import Filters, IdFilter, OneOf, TextFilter, before, since
from agents.lists.pages import Order
from agents.models import Agent, Approval, ApprovalState, HeldBy
from agents.resources.collection import Collection, declare
from agents.resources.shapes import From, IdOf, Made
from inbox.actor import system_actor
from inbox.models import Draft, Submission, Thread

_LONGEST_EXCERPT = 200


def _flag_shapes(approval: Approval) -> list[FlagShape]:
    check_due([approval])
    return stored_shapes(approval.risk_flags)


class ApprovalRow(Closed):
    """A call that waits for a person, or what was decided of it."""

    id: str
    agent_id: Annotated[str, IdOf(Agent)]
    tool: str
    state: Literal[tuple(ApprovalState.values)]  # type: ignore[valid-type]
    reason: str
    risk_flags: Annotated[list[FlagShape], Made(_flag_shapes)]
    # Of the sealed bytes, or of the arguments: what is approved is exactly what has this hash.
    sha256: str
    submission_id: Annotated[OrAbsent[str], IdOf(Submission)] = None
    message_id: Annotated[OrAbsent[str], From("submission.message_public_id")] = None
    thread_id: Annotated[OrAbsent[str], IdOf(Thread, "submission.thread_id")] = None
    draft_id: Annotated[OrAbsent[str], IdOf(Draft, "submission.draft_id")] = None
    # Why it was rejected or sent back, or what ended it.
    note: OrAbsent[str] = None
    # Whose quota holds it beside the queue: `reason` says which.
    held_by: Annotated[
        OrAbsent[Literal[tuple(HeldBy.values)]],  # type: ignore[valid-type]
        From("held_by", lambda it: it or None),
    ] = None
    created_at: Moment
    expires_at: Moment
    decided_at: OrAbsent[Moment] = None
    # When a first person approved it; a policy has it wait for a second one.
    first_approved_at: OrAbsent[Moment] = None
    # The approval that took its place.
    replaced_by: Annotated[OrAbsent[str], IdOf(Approval, "replaced_by_id")] = None
    review_url: Annotated[str, Made(review_url)]


class MarkSource(Closed):
    """Words that a claim rests on, or that differ from it; `id` is empty for what has none."""

    type: SourceType
    id: str
    excerpt: str


class MarkShape(Closed):
    """A claim of the message, and what became of it: characters `start` to `end` of a part.

    `expected` is what the source has in its place, where they differ. `by` is `model` where a
    language model found it, whose quotes stand where they should.
    """

    kind: Kind
    part: Part
    excerpt: str
    start: int
    end: int
    state: State
    expected: OrAbsent[str] = None
    sources: list[MarkSource]
    by: OrAbsent[Literal["model"]] = None


def _mark_shapes(approval: Approval) -> list[MarkShape]:
    check_due([approval])
    return [
        MarkShape.model_validate(
            {**one, "expected": one["expected"] or None, "by": one.get("by") or None}
        )
        for one in approval.marks
    ]


class UsedMemoryShape(Closed):
    """A memory that the agent recalled before it proposed this, since its proposal before."""

    id: str
    excerpt: str
    is_strangers: bool


def _memory_shapes(approval: Approval) -> list[UsedMemoryShape]:
    actor = system_actor(approval.workspace_id, "approvals")
    return [
        UsedMemoryShape(
            id=one.public_id, excerpt=one.memory.content[:_LONGEST_EXCERPT],
            is_strangers=one.is_strange,
        )
        for one in read_used_memories(actor, approval)
    ]  # fmt: skip


class WholeApproval(ApprovalRow):
    """An approval with the arguments of its call, what became of its message's claims, and more."""

    arguments: dict[str, Any]
    # What of its own memory the agent had before it.
    memories: Annotated[list[UsedMemoryShape], Made(_memory_shapes)]
    marks: Annotated[list[MarkShape], Made(_mark_shapes)]


class ApprovalFilters(Filters):
    """Approvals by state, tool, agent and the time of the proposal."""

    state = OneOf(ApprovalState.choices)
    tool = TextFilter(lookup_expr="exact")
    agent_id = IdFilter(Agent.ID_PREFIX, "agent")
    submission_id = IdFilter(Submission.ID_PREFIX, "submission")
    created_since = since("created_at")
    created_before = before("created_at")


APPROVALS = declare(
    Collection(
        noun="approvals", one="approval", domain="control_plane",
        rows=lambda actor: (
            Approval.objects.visible_to(actor).select_related("submission").defer("submission__mime")
        ),
        item=ApprovalRow, whole=WholeApproval, whole_columns=("arguments", "marks"),
        filters=ApprovalFilters, search=("tool", "reason", "note"),
        orders={"created_at": Order("created_at"), "expires_at": Order("expires_at")},
        default="-created_at", list_name="browse_approvals",
        words="what the caller proposed and a person decides on. A person who is signed in decides "
        "with `POST /api/v1/approvals/{approval_id}/decision`.",
    )
)  # fmt: skip
