"""The line about what was approved together: how much, until when, and the one way back."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.models import Approval
from inbox.submission_states import SubmissionState
from inbox.viewer import Viewer

_NO_BATCH = UUID(int=0)
_MOVING = (SubmissionState.PENDING, SubmissionState.SENDING)


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """How the messages of a batch stand; `state` is that of the one that is furthest behind."""

    batch_id: UUID
    number: int
    state: str
    words: str
    milliseconds_left: int
    may_undo: bool

    @property
    def is_moving(self) -> bool:
        """Whether any is on its way, so that the page asks what became of them."""
        return self.state in _MOVING


def read_batch_id(text: str) -> UUID:
    """Return the batch that an address or a form names; one that nothing is in for other texts."""
    try:
        return UUID(text)
    except ValueError:
        return _NO_BATCH


def read_line(viewer: Viewer, batch_id: UUID) -> BatchStatus | None:
    """Return how a batch stands, in one query; None where one may see nothing of it that leaves."""
    rows = Approval.objects.visible_to(viewer.actor).filter(batch=batch_id)
    rows = rows.filter(submission__isnull=False).select_related("submission")
    found = list(rows.defer("submission__mime"))
    if not found:
        return None
    states = Counter(one.progress for one in found)
    waiting = [
        one.submission.send_at for one in found
        if one.submission and one.submission.send_at and one.progress == SubmissionState.PENDING
    ]  # fmt: skip
    left = min(waiting) - timezone.now() if waiting else None
    moving = [state for state in _MOVING if states[state]]
    ended = SubmissionState.SENT if set(states) == {SubmissionState.SENT} else "mixed"
    return BatchStatus(
        batch_id=batch_id,
        number=len(waiting) or len(found),
        state=str(moving[0] if moving else ended),
        words=_in_words(states),
        milliseconds_left=max(int(left.total_seconds() * 1000), 0) if left else 0,
        may_undo=any(viewer.may_decide(one.workspace_id) for one in found),
    )


def _in_words(states: Counter[str]) -> str:
    """Say how many have left, are leaving, and did not."""
    sent, moving = states[SubmissionState.SENT], sum(states[state] for state in _MOVING)
    rest = states.total() - sent - moving
    said: Sequence[tuple[int, str]] = (
        (sent, ngettext("%(n)d was sent.", "%(n)d were sent.", sent)),
        (moving, ngettext("%(n)d is being sent.", "%(n)d are being sent.", moving)),
        (rest, ngettext("%(n)d was not sent.", "%(n)d were not sent.", rest)),
    )
    return " ".join(words % {"n": n} for n, words in said if n) or _("Nothing was sent.")
