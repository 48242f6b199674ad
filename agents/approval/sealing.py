"""From a draft to sealed bytes that wait for a person, and from a person's leave to what leaves."""

from typing import Any

from agents.approval.pending import review_url
from agents.approval.provenance import find_risks
from agents.contracts import Seal, Sealed, ToolError
from agents.contracts.flags import flag_shapes
from agents.models import Approval
from inbox.actor import Actor
from inbox.flags import as_json
from inbox.models import Draft, Inbox, InboxStatus
from inbox.operations.sending.submissions import propose_submission, release_submission
from inbox.submission_states import SubmissionState


def check_not_paused(inbox: Inbox) -> None:
    """Refuse what would leave from a paused inbox; raises ToolError `conflict`."""
    if inbox.status == InboxStatus.PAUSED:
        raise ToolError(
            "conflict", f"The inbox {inbox.address} is paused: nothing leaves from it now"
        )


def seal_checked(actor: Actor, draft: Draft) -> Sealed:
    """Check a draft and seal it as it stands; raises ToolError `policy_blocked` and `conflict`."""
    check_not_paused(draft.inbox)
    risks = find_risks(actor, draft)
    blocked = [risk for risk in risks if risk.flag == "policy_blocked"]
    if blocked:
        shapes = [shape.model_dump(exclude_none=True) for shape in flag_shapes(blocked)]
        raise ToolError("policy_blocked", " ".join(blocked[0].reasons), {"risk_flags": shapes})
    return Sealed(propose_submission(actor=actor, draft=draft), as_json(risks))


def release(seal: Seal) -> None:
    """Let what a person approved leave; raises SubmissionError as `release_submission` does."""
    release_submission(
        submission=seal.submission, approved_by=seal.approved_by, sha256=seal.sha256,
        undo_seconds=seal.batch.undo_seconds if seal.batch else 0,
    )  # fmt: skip


def queued_fields(approval: Approval) -> dict[str, Any]:
    """Return what a send answers as its submission stands: `queued` until the server has taken it.

    With the message that it becomes, and where a person decides on it.
    """
    submission = approval.submission
    assert submission is not None  # noqa: S101 (what is sealed has one)
    sent = submission.state == SubmissionState.SENT
    return {
        "status": "sent" if sent else "queued",
        "message_id": submission.message_public_id,
        "approval_id": approval.public_id,
        "review_url": review_url(approval),
    }
