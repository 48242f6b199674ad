"""What pages show of a decision that was made just before."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.contrib.messages import get_messages
from django.http import HttpRequest
from django.utils import timezone

from agents.admin.activities.finding import UNDO_TAG
from agents.admin.review.batch_status import read_batch_id, read_line
from agents.admin.review.queries import state_of
from agents.admin.review.queue_path import BEFORE, read_wanted
from agents.models import Approval, ApprovalState
from inbox.rfc5322.parse import parse_outgoing
from inbox.submission_states import SubmissionState
from inbox.viewer import viewer_of

register = template.Library()
_MOVING = {SubmissionState.PENDING, SubmissionState.SENDING}


@dataclass(frozen=True, slots=True)
class JustDecided:
    """What was decided before this page came, and until when that can be taken back."""

    approval: Approval
    what: str
    state: str
    milliseconds_left: int
    may_undo: bool

    @property
    def is_moving(self) -> bool:
        """Whether it is on its way, so that the page asks what became of it."""
        return self.state in _MOVING


@register.inclusion_tag("chancery/queue/just_decided.html", takes_context=True)
def just_decided(context: dict[str, Any]) -> dict[str, Any]:
    """Show the line about what was decided just before, as the address names it."""
    request = context.get("request")
    shown = {name: context.get(name) for name in ("csrf_token", "request")}
    if not isinstance(request, HttpRequest) or BEFORE not in request.GET:
        return shown
    # One key takes one action back: that of the line above, if there is one.
    is_taken = any(UNDO_TAG in message.tags.split() for message in get_messages(request))
    query = read_wanted(request).to_query()
    together = read_line(viewer_of(request), read_batch_id(request.GET[BEFORE]))
    if together is not None:
        return {**shown, "together": together, "query": query, "has_key": not is_taken}
    return {**shown, "decided": _read(request), "query": query, "has_key": not is_taken}


def _read(request: HttpRequest) -> JustDecided | None:
    viewer = viewer_of(request)
    rows = Approval.objects.visible_to(viewer.actor).with_public_id(request.GET[BEFORE])
    approval = rows.select_related("submission", "agent").first()
    if approval is None:
        return None
    submission, state = approval.submission, state_of(approval)
    what = parse_outgoing(submission.mime_bytes).subject if submission else ""
    left = submission.send_at - timezone.now() if submission and submission.send_at else None
    is_snoozed = approval.snoozed_until is not None and approval.snoozed_until > timezone.now()
    if approval.state == ApprovalState.WAITING:
        state = "snoozed" if is_snoozed else ""
    milliseconds = max(int(left.total_seconds() * 1000), 0) if left else 0
    may_undo = viewer.may_decide(approval.workspace_id)
    return JustDecided(approval, what, state, milliseconds, may_undo)
