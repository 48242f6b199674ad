"""All that the review page shows of one approval, read in a constant number of queries."""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.urls import reverse
from django.utils import timezone

from agents.admin.activity_changes import ActivityChanges, in_words, read_changes
from agents.admin.calendar_proposal import Proposal, read_proposal
from agents.admin.came_back import CameBack, read_came_back
from agents.admin.differences import Piece, difference
from agents.admin.letter import Flag, Letter, read_flags, read_letter
from agents.models import Approval, ApprovalState
from calendar_app.operations.sent import find_calendar_drift
from inbox.admin.reading import Reading, read_thread
from inbox.models import Draft, DraftVersion, Submission
from inbox.operations.submissions import find_drift
from inbox.submission_states import SubmissionState
from inbox.viewer import Viewer

# As much of a thread stands beside the letter; the thread's own page has the rest.
NEWEST_BESIDE = 12
NEWEST_VERSIONS = 6
_GONE = {
    SubmissionState.SENDING, SubmissionState.SENT, SubmissionState.FAILED, SubmissionState.UNKNOWN,
}  # fmt: skip
_MOVING = {SubmissionState.PENDING, SubmissionState.SENDING}


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the draft, and how it differs from the one before."""

    number: int
    author: str
    by_person: bool
    at: datetime
    pieces: tuple[Piece, ...]
    changed_fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """What the page shows. `state` is the submission's where something is to leave."""

    approval: Approval
    submission: Submission | None
    state: str
    letter: Letter | None
    proposal: Proposal | None
    flags: tuple[Flag, ...]
    changes: tuple[ActivityChanges, ...]
    arguments: tuple[tuple[str, str], ...]
    thread: tuple[Reading, ...]
    versions: tuple[Version, ...]
    came_back: tuple[CameBack, ...]
    drift: tuple[str, ...]
    is_expired: bool
    may_decide: bool
    milliseconds_left: int

    @property
    def is_open(self) -> bool:
        """Whether this person may decide on it now."""
        return (
            self.may_decide
            and self.approval.state == ApprovalState.WAITING
            and not self.is_expired
            and not self.drift
        )

    @property
    def title(self) -> str:
        """The sealed subject, or what would be done."""
        if self.letter:
            return self.letter.subject
        return self.approval.tool.replace("_", " ").capitalize()

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for a person at all."""
        return self.approval.state == ApprovalState.WAITING

    @property
    def is_moving(self) -> bool:
        """Whether it is on its way, so that the page asks again what became of it."""
        return self.state in _MOVING

    @property
    def replaced_url(self) -> str:
        """Where the approval is that took this one's place."""
        newer = self.approval.replaced_by
        return reverse("review", args=[newer.public_id]) if newer else ""


def state_of(approval: Approval) -> str:
    """Return one word for where it stands: the submission's state once that says more."""
    submission = approval.submission
    if submission is not None and approval.state == ApprovalState.APPROVED:
        return str(submission.state)
    return str(approval.state)


def read_review(viewer: Viewer, approval: Approval) -> Review:
    """Read the approval's letter, thread, versions, and what has changed since."""
    submission, now = approval.submission, timezone.now()
    letter = read_letter(viewer.actor, submission, approval.risk_flags) if submission else None
    is_waiting = approval.state == ApprovalState.WAITING
    send_at = submission.send_at if submission else None
    return Review(
        approval=approval,
        submission=submission,
        state=state_of(approval),
        letter=letter,
        proposal=read_proposal(viewer.actor, submission) if submission else None,
        flags=letter.flags if letter else read_flags(approval.risk_flags),
        changes=() if submission else _changes(viewer, approval),
        arguments=() if submission else _arguments(approval),
        thread=_thread(viewer, submission),
        versions=_versions(submission.draft) if submission else (),
        came_back=_came_back(viewer, submission),
        drift=_drift(submission) if submission and is_waiting else (),
        is_expired=is_waiting and approval.expires_at <= now,
        may_decide=viewer.may_decide(approval.workspace_id),
        milliseconds_left=max(int((send_at - now).total_seconds() * 1000), 0) if send_at else 0,
    )


def _drift(submission: Submission) -> tuple[str, ...]:
    return (*find_drift(submission), *find_calendar_drift(submission))


def _came_back(viewer: Viewer, submission: Submission | None) -> tuple[CameBack, ...]:
    if submission is None or submission.state not in _GONE:
        return ()
    return read_came_back(viewer.actor, submission)


def _changes(viewer: Viewer, approval: Approval) -> tuple[ActivityChanges, ...]:
    rows = approval.activities.all().visible_to(viewer.actor).order_by("-created_at", "-id")
    return tuple(read_changes(approval, rows[:200]))


def _arguments(approval: Approval) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), in_words(value)) for name, value in approval.arguments.items())


def _thread(viewer: Viewer, submission: Submission | None) -> tuple[Reading, ...]:
    if submission is None or submission.thread is None:
        return ()
    cited = frozenset(submission.draft.cited.values_list("pk", flat=True))
    thread = submission.thread.merged_into or submission.thread
    return tuple(read_thread(viewer.actor, thread, newest=NEWEST_BESIDE, cited=cited))


def _versions(draft: Draft) -> tuple[Version, ...]:
    """Return the newest versions, newest first, each compared with the one before it."""
    rows = list(draft.versions.order_by("-version")[: NEWEST_VERSIONS + 1])
    if len(rows) < 2:
        return ()
    return tuple(_version(new, old) for new, old in pairwise(rows))


def _version(new: DraftVersion, old: DraftVersion) -> Version:
    fields: dict[str, Any] = {"to": "To", "cc": "Cc", "bcc": "Bcc", "subject": "Subject"}
    return Version(
        number=new.version,
        author=new.author_name,
        by_person=new.author.startswith("person:"),
        at=new.created_at,
        pieces=tuple(difference(old.body, new.body)) if old.body != new.body else (),
        changed_fields=tuple(
            f"{label}: {_written(getattr(old, name))} → {_written(getattr(new, name))}"
            for name, label in fields.items()
            if getattr(old, name) != getattr(new, name)
        ),
    )


def _written(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(one.get("email", "")) for one in value) or "nobody"
    return str(value) or "nothing"
