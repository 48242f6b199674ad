"""Submissions: what is sealed to leave, how it stands, and its bytes by their own address."""

from typing import Annotated, Literal

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.dispatching.rows import get_row
from agents.events import returned
from agents.lists.filters import Filters, IdFilter, OneOf, before, since
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare, resource
from agents.resources.shapes import From, IdOf, Made, Together
from agents.tools.shapes import Id
from inbox.actor import Actor
from inbox.models import Draft, Submission, Thread
from inbox.submission_states import SubmissionState


class SealedFile(Closed):
    """A file in the sealed bytes."""

    name: str
    content_type: str
    sha256: str


def _sealed(files: list[tuple[str, str, str]]) -> list[SealedFile]:
    return [SealedFile(name=name, content_type=kind, sha256=sha256) for name, kind, sha256 in files]


class SubmissionShape(Closed):
    """What is to leave, or has left: its envelope, the hash of its bytes and where it stands."""

    id: str
    state: Literal[tuple(SubmissionState.values)]  # type: ignore[valid-type]
    draft_id: Annotated[str, IdOf(Draft)]
    draft_version: int
    thread_id: Annotated[OrAbsent[str], IdOf(Thread)] = None
    # The message that it becomes.
    message_id: Annotated[str, From("message_public_id")]
    message_id_header: str
    envelope_from: str
    envelope_to: list[str]
    attachments: Annotated[list[SealedFile], From("attachments", _sealed)]
    sha256: str
    size: int
    proposed_by: Annotated[str, From("proposed_by_name")]
    proposed_at: Moment
    expires_at: Moment
    approved_at: OrAbsent[Moment] = None
    # When it leaves, until when it can be taken back.
    send_at: OrAbsent[Moment] = None
    # Since when it waits for a login of its account that works; `outcome` says what is refused.
    waits_since: Annotated[
        OrAbsent[Moment], Made(lambda row: row.waits_since if row.awaits_login else None)
    ] = None
    finished_at: OrAbsent[Moment] = None
    # What the server said, or what ended it.
    outcome: OrAbsent[str] = None
    # The newest bounces, delays and automatic answers that name it.
    came_back: Annotated[OrAbsent[list[returned.ReturnedReport]], Together(returned.came_back)] = (
        None
    )


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
    row = get_row(SUBMISSIONS.rows(actor), args.submission_id, "submission", "/submission_id")
    return SubmissionMime(id=row.public_id, size=row.size, sha256=row.sha256)


def find_mime(actor: Actor, public_id: str) -> bytes:
    """Return the sealed bytes; raises ToolError `not_found`."""
    rows = Submission.objects.visible_to(actor).only("mime")
    found = get_row(rows, public_id, "submission", "/submission_id")
    return found.mime_bytes


class SubmissionFilters(Filters):
    """Submissions by state, draft, thread and the time of the proposal."""

    state = OneOf(SubmissionState.choices)
    draft_id = IdFilter(Draft.ID_PREFIX, "draft")
    thread_id = IdFilter(Thread.ID_PREFIX, "thread")
    proposed_since = since("proposed_at")
    proposed_before = before("proposed_at")


SUBMISSIONS = declare(
    Collection(
        noun="submissions", one="submission", domain="comms",
        rows=lambda actor: Submission.objects.visible_to(actor).defer("mime"), item=SubmissionShape,
        filters=SubmissionFilters, search=("message_id_header", "outcome"),
        orders={"proposed_at": Order("proposed_at"), "size": Order("size", "number")},
        default="-proposed_at",
        words="what is sealed to leave from the accounts that the caller was granted, or has left.",
    )
)  # fmt: skip
