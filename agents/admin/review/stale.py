"""What took an item's place, or changed under it: found for pages that look at what is over."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.urls import reverse

from agents.admin.review.comparing import Difference, compare, read_draft, read_sealed
from agents.models import Approval, ApprovalState
from inbox.actor import Actor
from inbox.models import DraftVersion, Submission
from inbox.prepared import Prepared
from inbox.viewer import Viewer


@dataclass(frozen=True, slots=True)
class StateChange:
    """How what is now differs from what was sealed; `url` leads to it, empty for a mere draft."""

    difference: Difference
    url: str
    is_waiting: bool


@dataclass(frozen=True, slots=True)
class RequestedChange:
    """What a person asked of the agent when sending back what this proposal takes the place of."""

    words: str
    by: User | None
    at: datetime | None
    url: str
    difference: Difference | None


def read_changes_since(viewer: Viewer, approval: Approval) -> StateChange | None:
    """Return what stands there now instead of what is sealed in this approval; None: the same."""
    submission = approval.submission
    if submission is None:
        return None
    newer = _newer(viewer, approval, submission)
    if newer is not None and newer.submission is not None:
        return StateChange(
            compare(read_sealed(submission), read_sealed(newer.submission)),
            reverse("review", args=[newer.public_id]),
            newer.state == ApprovalState.WAITING,
        )
    return _shift_of_draft(submission)


def _newer(viewer: Viewer, approval: Approval, submission: Submission) -> Approval | None:
    """Return the newest approval that took the place of this one, or is of the same draft."""
    rows = Approval.objects.visible_to(viewer.actor).select_related("submission")
    about = Q(pk=approval.replaced_by_id) | Q(submission__draft_id=submission.draft_id)
    rows = rows.filter(about, pk__gt=approval.pk)
    return rows.order_by("-pk").first()


def _shift_of_draft(submission: Submission) -> StateChange | None:
    draft = submission.draft
    if draft.version == submission.draft_version:
        return None
    versions = DraftVersion.objects.filter(draft=draft, version=submission.draft_version)
    sealed = versions.first()
    if sealed is None:
        return None
    return StateChange(compare(read_draft(sealed), read_draft(draft)), "", is_waiting=False)


def _returned(*, actor: Actor, approval: int, drafts: tuple[int, ...]) -> list[Any]:
    about = Q(replaced_by=approval)
    if drafts:
        about |= Q(submission__draft_id__in=drafts)
    rows = Approval.objects.visible_to(actor).filter(
        about, state=ApprovalState.RETURNED, pk__lt=approval
    )
    return [rows.select_related("submission", "decided_by").order_by("-pk")[:1]]


_RETURNED = Prepared(_returned)


def read_changes_asked_for(viewer: Viewer, approval: Approval) -> RequestedChange | None:
    """Return the feedback that this proposal answers, and what it made of what was sent back."""
    submission = approval.submission
    drafts = (submission.draft_id,) if submission is not None else ()
    found = _RETURNED.rows(actor=viewer.actor, approval=approval.pk, drafts=drafts)
    back: Approval | None = next(found, None)
    if back is None:
        return None
    answered = None
    if submission is not None and back.submission is not None:
        answered = compare(read_sealed(back.submission), read_sealed(submission))
    url = reverse("review", args=[back.public_id])
    return RequestedChange(back.note, back.decided_by, back.decided_at, url, answered)
