"""All that the review page shows of one approval, read in a constant number of queries."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import Any

from django.urls import reverse
from django.utils import timezone

from agents.admin.evidence.activity_changes import ActivityChanges, read_changes
from agents.admin.evidence.calendar.proposal import Proposal, read_proposal
from agents.admin.evidence.held_call import HeldCall, read_held_call
from agents.admin.evidence.versions import MessageVersion
from agents.admin.review.evidence import Evidence, read_evidence
from agents.admin.review.flags import FlagsSeen
from agents.admin.review.returned_mail import ReturnedMail, read_delivery_reports
from agents.admin.review.sealed_message import SealedMessage
from agents.approval.demands import read_demands
from agents.models import Approval, ApprovalState, HeldBy
from agents.planted.told import PlantedTold, read_told
from calendar_app.operations.sent import find_calendar_drift
from inbox.admin.messages.layout import Reading
from inbox.models import Submission
from inbox.operations.sending.submissions import find_drift
from inbox.policies.demands import Demands
from inbox.reasons import ReasonText
from inbox.submission_states import SubmissionState
from inbox.viewer import Viewer

MOST_CHANGED = 1_000
_GONE = {
    SubmissionState.SENDING, SubmissionState.SENT, SubmissionState.FAILED, SubmissionState.UNKNOWN,
}  # fmt: skip
_MOVING = {SubmissionState.PENDING, SubmissionState.SENDING}


@dataclass(frozen=True, slots=True)
class Review:
    """What the page shows. `state` is the submission's where something is to leave."""

    approval: Approval
    submission: Submission | None
    state: str
    evidence: Evidence
    proposal: Proposal | None
    changes: tuple[ActivityChanges, ...]
    held_call: HeldCall | None
    came_back: tuple[ReturnedMail, ...]
    drift: tuple[ReasonText, ...]
    is_expired: bool
    may_decide: bool
    viewer_id: int
    milliseconds_left: int
    demands: Demands
    # Of what was planted, once it does not wait any more.
    planted: PlantedTold | None = None

    @property
    def message(self) -> SealedMessage | None:
        """What would leave; None where nothing would."""
        return self.evidence.message

    @property
    def flags(self) -> FlagsSeen:
        """What is risky about it."""
        return self.evidence.flags

    @property
    def thread(self) -> tuple[Reading, ...]:
        """The messages of the thread, newest first."""
        return tuple(one.reading for one in self.evidence.thread)

    @property
    def versions(self) -> tuple[MessageVersion, ...]:
        """What the message was before, and is: the newest first; none where there is but one."""
        comparison = self.evidence.comparison
        return comparison.editions[::-1] if comparison else ()

    @property
    def is_open(self) -> bool:
        """Whether this person may decide on it now."""
        return (
            self.may_decide
            and not (self.is_to_send and self.approval.agent.person_id != self.viewer_id)
            and self.approval.state == ApprovalState.WAITING
            and not self.is_expired
            and not self.drift
        )

    @property
    def is_to_send(self) -> bool:
        """Whether it waits for the person who writes it, and for nobody else yet."""
        return self.approval.held_by == HeldBy.WRITER

    @property
    def title(self) -> str:
        """The sealed subject, or what would be done."""
        if self.message:
            return self.message.subject
        return self.approval.tool.replace("_", " ").capitalize()

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a person at all."""
        return self.approval.state == ApprovalState.WAITING

    @property
    def is_snoozed(self) -> bool:
        """Whether it is out of the queue for now."""
        until = self.approval.snoozed_until
        return self.is_open and until is not None and until > timezone.now()

    @property
    def news(self) -> tuple[Reading, ...]:
        """The messages of the thread that came in since it was sealed, the newest last."""
        since = self.approval.created_at
        return tuple(
            one
            for one in self.thread
            if one.message.created_at > since and one.message.direction == "inbound"
        )

    @property
    def grounds(self) -> Hashable:
        """What is said of why it waits, by which that part of the page is kept."""
        approval, agent = self.approval, self.approval.agent
        return (
            approval.public_id, approval.tool, approval.reason, approval.created_at,
            approval.expires_at, approval.receipt_id, agent.pk, agent.name,
            agent.person and agent.person.get_username(),
            self.submission and self.submission.draft.goal, self.evidence.policy,
            self.is_waiting, self.is_expired, bool(self.message),
        )  # fmt: skip

    @property
    def outlook(self) -> Hashable:
        """What is said of what approving does, by which that part of the page is kept."""
        approval, submission = self.approval, self.submission
        waits_for_second = self.demands.second and not approval.first_approver_id
        if submission is None or waits_for_second:
            return bool(waits_for_second), None
        account = submission.account
        return (
            False, account.undo_seconds, account.address, submission.envelope_from,
            next(iter(submission.envelope_to), ""), len(submission.envelope_to),
        )  # fmt: skip

    @property
    def is_moving(self) -> bool:
        """Whether it is on its way, so that the page asks again what became of it."""
        return self.state in _MOVING

    @property
    def replaced_url(self) -> str:
        """Where the approval is that took this one's place."""
        newer = self.approval.replaced_by
        return reverse("review", args=[newer.public_id]) if newer else ""


def read_review(
    viewer: Viewer,
    approval: Approval,
    *,
    zone: tzinfo = UTC,
    picked: Mapping[str, Any] = MappingProxyType({}),
) -> Review:
    """Read the approval's message, what stands beside it, and what has changed since.

    `zone` is the reader's; `picked` names the versions to compare.
    """
    submission, now = approval.submission, timezone.now()
    is_waiting = approval.state == ApprovalState.WAITING
    send_at = submission.send_at if submission else None
    changes = () if submission else _changes(viewer, approval)
    return Review(
        approval=approval,
        submission=submission,
        state=approval.progress,
        evidence=read_evidence(viewer.actor, approval, picked),
        proposal=read_proposal(viewer.actor, submission, zone) if submission else None,
        changes=changes,
        held_call=_held_call(viewer, approval, changes),
        came_back=_came_back(viewer, submission),
        drift=find_drift_of(approval) if is_waiting else (),
        is_expired=is_waiting and approval.expires_at <= now,
        may_decide=viewer.may_decide(approval.workspace_id),
        viewer_id=viewer.actor.id,
        milliseconds_left=max(int((send_at - now).total_seconds() * 1000), 0) if send_at else 0,
        demands=read_demands(viewer.actor, [approval])[approval.pk] if is_waiting else Demands(),
        planted=read_told(approval),
    )


def find_drift_of(approval: Approval) -> tuple[ReasonText, ...]:
    """Return in words what has changed since it was sealed; empty: nothing."""
    submission = approval.submission
    if submission is None:
        return ()
    return (*find_drift(submission), *find_calendar_drift(submission))


def _came_back(viewer: Viewer, submission: Submission | None) -> tuple[ReturnedMail, ...]:
    if submission is None or submission.state not in _GONE:
        return ()
    return read_delivery_reports(viewer.actor, submission)


def _changes(viewer: Viewer, approval: Approval) -> tuple[ActivityChanges, ...]:
    rows = approval.activities.all().visible_to(viewer.actor).order_by("-created_at", "-id")
    # As many as a call may name.
    return tuple(read_changes(approval, rows[:MOST_CHANGED]))


def _held_call(
    viewer: Viewer, approval: Approval, changes: tuple[ActivityChanges, ...]
) -> HeldCall | None:
    """Return what else the call would do than to change activities or to send something."""
    return None if approval.submission or changes else read_held_call(viewer.actor, approval)
