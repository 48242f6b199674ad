"""Submissions: what is sealed to leave, how it stands, and its bytes by their own address."""

from collections.abc import Sequence
from typing import Any, Literal

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.dispatching.rows import get_row
from agents.events.returned import CameBack, came_back
from agents.lists.filters import Filters, IdFilter, OneOf, before, since
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare, resource
from agents.tools.shapes import Id
from inbox import ids
from inbox.actor import Actor
from inbox.models import Draft, Submission, Thread
from inbox.models.base import VisibleQuerySet
from inbox.submission_states import SubmissionState


class SealedFile(Closed):
    """A file in the sealed bytes."""

    name: str
    content_type: str
    sha256: str


class SubmissionShape(Closed):
    """What is to leave, or has left: its envelope, the hash of its bytes and where it stands."""

    id: str
    state: Literal[tuple(SubmissionState.values)]  # type: ignore[valid-type]
    draft_id: str
    draft_version: int
    thread_id: OrAbsent[str] = None
    # The message that it becomes.
    message_id: str
    message_id_header: str
    envelope_from: str
    envelope_to: list[str]
    attachments: list[SealedFile]
    sha256: str
    size: int
    proposed_by: str
    proposed_at: Moment
    expires_at: Moment
    approved_at: OrAbsent[Moment] = None
    # When it leaves, until when it can be taken back.
    send_at: OrAbsent[Moment] = None
    # Since when it waits for a login of its account that works; `outcome` says what is refused.
    waits_since: OrAbsent[Moment] = None
    finished_at: OrAbsent[Moment] = None
    # What the server said, or what ended it.
    outcome: OrAbsent[str] = None
    # The newest bounces, delays and automatic answers that name it.
    came_back: OrAbsent[list[CameBack]] = None


class OneSubmission(Closed):
    """Which submission."""

    submission_id: Id


class SubmissionMime(Closed):
    """Which bytes were handed out."""

    id: Id
    size: int
    sha256: str


@resource(domain="comms")
def read_submission_mime(actor: Actor, args: OneSubmission) -> SubmissionMime:
    """`GET /api/v1/submissions/{submission_id}/mime`: the sealed bytes (RFC 5322), to be saved.

    `Repr-Digest` has their SHA-256 (RFC 9530), which is the one that a person approves.
    """
    row = get_row(_rows(actor), args.submission_id, "submission", "/submission_id")
    return SubmissionMime(id=row.public_id, size=row.size, sha256=row.sha256)


def find_mime(actor: Actor, public_id: str) -> bytes:
    """Return the sealed bytes; raises ToolError `not_found`."""
    rows = Submission.objects.visible_to(actor).only("mime")
    found: Submission = get_row(rows, public_id, "submission", "/submission_id")
    return found.mime_bytes


class SubmissionFilters(Filters):
    """Submissions by state, draft, thread and the time of the proposal."""

    state = OneOf(SubmissionState.choices)
    draft_id = IdFilter(Draft.ID_PREFIX, "draft")
    thread_id = IdFilter(Thread.ID_PREFIX, "thread")
    proposed_since = since("proposed_at")
    proposed_before = before("proposed_at")


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    return Submission.objects.visible_to(actor).defer("mime")


def _shapes(rows: Sequence[Submission]) -> list[SubmissionShape]:
    reports = came_back(row.pk for row in rows)
    return [_shape(row, reports.get(row.pk)) for row in rows]


def _shape(row: Submission, reports: list[CameBack] | None) -> SubmissionShape:
    fields: dict[str, Any] = {
        "id": row.public_id,
        "draft_id": ids.encode(Draft.ID_PREFIX, row.draft_id),
        "thread_id": ids.encode(Thread.ID_PREFIX, row.thread_id) if row.thread_id else None,
        "message_id": row.message_public_id,
        "attachments": [
            SealedFile(name=name, content_type=kind, sha256=sha256)
            for name, kind, sha256 in row.attachments
        ],
        "proposed_by": row.proposed_by_name,
        "outcome": row.outcome or None,
        "came_back": reports,
        "waits_since": row.waits_since if row.awaits_login else None,
    }
    same = (
        "state", "draft_version", "message_id_header", "envelope_from", "envelope_to", "sha256",
        "size", "proposed_at", "expires_at", "approved_at", "send_at", "finished_at",
    )  # fmt: skip
    return SubmissionShape(**fields, **{name: getattr(row, name) for name in same})


declare(
    Collection(
        noun="submissions", one="submission", domain="comms", rows=_rows, item=SubmissionShape,
        shapes=_shapes, filters=SubmissionFilters, search=("message_id_header", "outcome"),
        orders={"proposed_at": Order("proposed_at"), "size": Order("size", "number")},
        default="-proposed_at",
        words="what is sealed to leave from the accounts that the caller was granted, or has left.",
    )
)  # fmt: skip
