"""From a draft to sealed bytes that wait for a person, and from a person's leave to what leaves."""

from collections.abc import Iterable
from typing import Any, ClassVar

from agents.approval.checks.risks import find_risks, may_be_blocked
from agents.approval.pending import review_url
from agents.approval.plan import Approved, Plan, SealedMail
from agents.contracts import ToolError
from agents.contracts.flags import flag_shapes
from agents.contracts.records import AnswerT
from agents.models import Approval, ApprovalState
from inbox.actor import Actor
from inbox.flags import Flag
from inbox.models import Draft, Inbox, InboxStatus
from inbox.operations.sending.submissions import propose_submission, release_submission
from inbox.submission_states import SubmissionState


def check_not_paused(inbox: Inbox) -> None:
    """Refuse what would leave from a paused inbox; raises ToolError `conflict`."""
    if inbox.status == InboxStatus.PAUSED:
        raise ToolError(
            "conflict", f"The inbox {inbox.address} is paused: nothing leaves from it now"
        )


def seal_checked(actor: Actor, draft: Draft) -> SealedMail:
    """Seal a draft as it stands, unless a policy forbids it.

    What else is found in it is looked for afterwards, by `agents.approval.checking`. Raises
    ToolError `policy_blocked` and `conflict`.
    """
    check_not_paused(draft.inbox)
    if may_be_blocked(actor, draft):
        _refuse_blocked(find_risks(actor, draft))
    return SealedMail(propose_submission(actor=actor, draft=draft))


def _refuse_blocked(risks: Iterable[Flag]) -> None:
    blocked = [risk for risk in risks if risk.flag == "policy_blocked"]
    if blocked:
        shapes = [shape.model_dump(exclude_none=True) for shape in flag_shapes(blocked)]
        raise ToolError("policy_blocked", " ".join(blocked[0].reasons), {"risk_flags": shapes})


class SendingPlan(Plan[AnswerT]):
    """A plan that sends what it sealed, once a person has approved it."""

    sends: ClassVar[bool] = True

    def seal(self) -> SealedMail | None:
        """Write what would leave and seal it; None where nothing would."""
        raise NotImplementedError

    @classmethod
    def release(cls, approved: Approved) -> AnswerT:
        """Let it leave, and return the answer; raises SubmissionError where it cannot."""
        approval = approved.approval
        submission, by = approval.submission, approval.decided_by
        assert submission is not None and by is not None  # noqa: S101, PT018 (see `Plan.release`)
        release_submission(
            submission=submission, approved_by=by, sha256=approval.sha256,
            undo_seconds=approved.undo_seconds,
        )  # fmt: skip
        return cls.answer(approval)


def queued_fields(approval: Approval) -> dict[str, Any]:
    """Return what a send answers as its submission stands: `queued` until the server has taken it.

    With the message that it becomes, where there is one, and where a person decides on it.
    """
    submission = approval.submission
    fields = {"approval_id": approval.public_id, "review_url": review_url(approval)}
    if submission is None:
        done = approval.state == ApprovalState.APPROVED
        return {"status": "sent" if done else "queued", **fields}
    sent = submission.state == SubmissionState.SENT
    status = "sent" if sent else "queued"
    return {"status": status, "message_id": submission.message_public_id, **fields}
