"""The line about what was decided just before: what became of it, until when, and the way back."""

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from agents.admin.review.batch_status import read_batch_id, read_line
from agents.models import Approval, ApprovalState
from agents.planted.told import PlantedTold, read_told
from inbox.rfc5322.parse import parse_outgoing
from inbox.submission_states import SubmissionState
from inbox.viewer import Viewer

TEMPLATE = "chancery/queue/just_decided.html"
_MOVING = {SubmissionState.PENDING, SubmissionState.SENDING}


@dataclass(frozen=True, slots=True)
class JustDecided:
    """What was decided before this page came, and until when that can be taken back."""

    approval: Approval
    what: str
    state: str
    milliseconds_left: int
    may_undo: bool
    planted: PlantedTold | None = None

    @property
    def is_moving(self) -> bool:
        """Whether it is on its way, so that the page asks what became of it."""
        return self.state in _MOVING


def read_just_decided(viewer: Viewer, named: str) -> dict[str, Any]:
    """Return what the line shows of an approval, or of a batch, that an address names."""
    together = read_line(viewer, read_batch_id(named))
    if together is not None:
        return {"together": together}
    return {"decided": _read(viewer, named)}


def _read(viewer: Viewer, named: str) -> JustDecided | None:
    rows = Approval.objects.visible_to(viewer.actor).with_public_id(named)
    approval = rows.select_related("submission", "agent", "planted").first()
    if approval is None:
        return None
    submission, state = approval.submission, approval.progress
    what = parse_outgoing(submission.mime_bytes).subject if submission else ""
    left = submission.send_at - timezone.now() if submission and submission.send_at else None
    is_snoozed = approval.snoozed_until is not None and approval.snoozed_until > timezone.now()
    if approval.state == ApprovalState.WAITING:
        state = "snoozed" if is_snoozed else ""
    milliseconds = max(int(left.total_seconds() * 1000), 0) if left else 0
    may_undo = viewer.may_decide(approval.workspace_id)
    return JustDecided(approval, what, state, milliseconds, may_undo, read_told(approval))
