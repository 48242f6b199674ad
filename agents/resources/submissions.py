"""Submissions: what is sealed to leave, how it stands, and its bytes by their own address."""

from collections.abc import Sequence
from typing import Any, Literal

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.filters import Filters, IdFilter, OneOf, before, since
from agents.pages import Order
from agents.resources.collection import Collection, declare, resource
from agents.rows import get_row
from agents.tools.shapes import Id
from inbox import ids
from inbox.actor import Actor
from inbox.models import DeliveryReport, Draft, ReportKind, Submission, Thread
from inbox.models.base import VisibleQuerySet
from inbox.submission_states import SubmissionState

MOST_CAME_BACK = 20


class SealedFile(Closed):
    """A file in the sealed bytes."""

    name: str
    content_type: str
    sha256: str


class CameBack(Closed):
    """What a message says of one recipient; anyone whom the mail reached could have written it."""

    kind: Literal[tuple(ReportKind.values)]  # type: ignore[valid-type]
    recipient: OrAbsent[str] = None
    # An enhanced status code (RFC 3463).
    status: OrAbsent[str] = None
    words: OrAbsent[str] = None
    message_id: OrAbsent[str] = None
    at: Moment


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


def _rows(actor: Actor) -> VisibleQuerySet:
    return Submission.objects.visible_to(actor).defer("mime")


def _shapes(rows: Sequence[Submission]) -> list[SubmissionShape]:
    reports = _came_back(rows)
    return [_shape(row, reports.get(row.pk)) for row in rows]


def _came_back(rows: Sequence[Submission]) -> dict[int, list[CameBack]]:
    """Return what came back by submission, the newest first; these are few."""
    found: dict[int, list[CameBack]] = {}
    reports = DeliveryReport.objects.filter(submission__in=[row.pk for row in rows])
    columns = ("kind", "recipient", "status", "words", "created_at", "submission_id", "message_id")
    for report in (
        reports.order_by("-pk").only(*columns, "message__submission_id").select_related("message")
    ):
        of_one = found.setdefault(report.submission_id, [])
        if len(of_one) < MOST_CAME_BACK:
            of_one.append(_report(report))
    return found


def _report(report: DeliveryReport) -> CameBack:
    return CameBack(
        kind=report.kind,
        recipient=report.recipient or None,
        status=report.status or None,
        words=report.words or None,
        message_id=report.message.public_id if report.message else None,
        at=report.created_at,
    )


def _shape(row: Submission, came_back: list[CameBack] | None) -> SubmissionShape:
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
        "came_back": came_back,
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
