"""Drafts: what is being written, to be read and changed by its address."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.contracts.flags import FlagShape, stored_shapes
from agents.lists.filters import Filters, IdFilter, OneOf, before, since
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from inbox import ids
from inbox.actor import Actor
from inbox.models import Draft, DraftStatus, Inbox, ReplyPolicy, Thread
from inbox.models.base import VisibleQuerySet

State: TypeAlias = Literal["open", "proposed", "returned", "sent"]


class Addressee(Closed):
    """Whom a draft is for."""

    name: OrAbsent[str] = None
    email: str


class DraftRow(Closed):
    """A draft in a list: all but its text and its files."""

    id: str
    inbox_id: str
    thread_id: OrAbsent[str] = None
    sender: Addressee
    to: list[Addressee]
    cc: list[Addressee]
    bcc: list[Addressee]
    subject: str
    status: State
    version: int
    # Who wrote the newest version.
    author: str
    policy_id: OrAbsent[str] = None
    risk_flags: list[FlagShape]
    # What a reviewer wrote when sending it back.
    feedback: OrAbsent[str] = None
    created_at: Moment
    updated_at: Moment


class DraftFile(Closed):
    """A file that goes with a draft."""

    name: str
    content_type: str
    size: int
    sha256: str


class DraftShape(DraftRow):
    """A draft whole."""

    body: str
    attachments: list[DraftFile]


class DraftFilters(Filters):
    """Drafts by inbox, thread, status and the time of the last change."""

    inbox_id = IdFilter(Inbox.ID_PREFIX, "inbox")
    thread_id = IdFilter(Thread.ID_PREFIX, "thread")
    status = OneOf([(value, value) for value in DraftStatus.values if value != "discarded"])
    updated_since = since("updated_at")
    updated_before = before("updated_at")


def kept_drafts(actor: Actor) -> VisibleQuerySet[Any]:
    """Return the drafts that the actor may see, but for those that were deleted or discarded."""
    rows = Draft.objects.visible_to(actor).kept().exclude(status=DraftStatus.DISCARDED)
    return rows.select_related("identity")


def whole_drafts(actor: Actor) -> VisibleQuerySet[Any]:
    """Return the same with their files."""
    return kept_drafts(actor).prefetch_related("attachments__blob")


def _listed(actor: Actor) -> VisibleQuerySet[Any]:
    return kept_drafts(actor).defer("body", "goal", "calendar")


def _rows(rows: Sequence[Draft]) -> list[DraftRow]:
    return [DraftRow(**_fields(row)) for row in rows]


def draft_shape(draft: Draft) -> DraftShape:
    """Return a draft whole."""
    files = [
        DraftFile(
            name=file.filename, content_type=file.content_type, size=file.blob.size,
            sha256=file.blob.sha256,
        )
        for file in draft.attachments.all()
    ]  # fmt: skip
    return DraftShape(**_fields(draft), body=draft.body, attachments=files)


def _fields(draft: Draft) -> dict[str, Any]:
    identity, policy = draft.identity, draft.policy_id
    return {
        "id": draft.public_id,
        "inbox_id": ids.encode(Inbox.ID_PREFIX, draft.inbox_id),
        "thread_id": ids.encode(Thread.ID_PREFIX, draft.thread_id) if draft.thread_id else None,
        "sender": Addressee(name=identity.name or None, email=identity.email),
        "to": _addressees(draft.to),
        "cc": _addressees(draft.cc),
        "bcc": _addressees(draft.bcc),
        "subject": draft.subject,
        "status": draft.status,
        "version": draft.version,
        "author": draft.author_name,
        "policy_id": ids.encode(ReplyPolicy.ID_PREFIX, policy) if policy else None,
        "risk_flags": stored_shapes(draft.risk_flags),
        "feedback": draft.feedback or None,
        "created_at": draft.created_at,
        "updated_at": draft.updated_at,
    }


def _addressees(addresses: list[dict[str, str]]) -> list[Addressee]:
    return [Addressee(name=one.get("name") or None, email=one["email"]) for one in addresses]


declare(
    Collection(
        noun="drafts", one="draft", domain="comms", rows=_listed, item=DraftRow, shapes=_rows,
        whole=DraftShape, whole_shape=draft_shape, whole_rows=whole_drafts, filters=DraftFilters,
        search=("subject", "body"),
        orders={"updated_at": Order("updated_at"), "created_at": Order("created_at")},
        default="-updated_at",
        words="the drafts of the accounts that the caller was granted, without their texts.",
    )
)  # fmt: skip
