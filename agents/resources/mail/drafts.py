"""Drafts: what is being written, to be read and changed by its address."""

from typing import Annotated, Literal, TypeAlias

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.contracts.flags import FlagShape, stored_shapes
from agents.lists.filters import Filters, IdFilter, OneOf, before, since
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from agents.resources.shapes import From, IdOf, shape_of, shapes_of
from inbox.actor import Actor
from inbox.models import Draft, DraftStatus, Inbox, ReplyPolicy, Thread
from inbox.models.base import VisibleQuerySet

State: TypeAlias = Literal["open", "proposed", "returned", "sent"]


class Addressee(Closed):
    """Whom a draft is for."""

    name: OrAbsent[str] = None
    email: str


def _addressees(addresses: list[dict[str, str]]) -> list[Addressee]:
    return [Addressee(name=one.get("name") or None, email=one["email"]) for one in addresses]


class DraftRow(Closed):
    """A draft in a list: all but its text and its files."""

    id: str
    inbox_id: Annotated[str, IdOf(Inbox)]
    thread_id: Annotated[OrAbsent[str], IdOf(Thread)] = None
    sender: Annotated[Addressee, From("identity", lambda one: shape_of(Addressee, one))]
    to: Annotated[list[Addressee], From("to", _addressees)]
    cc: Annotated[list[Addressee], From("cc", _addressees)]
    bcc: Annotated[list[Addressee], From("bcc", _addressees)]
    subject: str
    status: State
    version: int
    # Who wrote the newest version.
    author: Annotated[str, From("author_name")]
    policy_id: Annotated[OrAbsent[str], IdOf(ReplyPolicy)] = None
    risk_flags: Annotated[list[FlagShape], From("risk_flags", stored_shapes)]
    # What a reviewer wrote when sending it back.
    feedback: OrAbsent[str] = None
    created_at: Moment
    updated_at: Moment


class DraftFile(Closed):
    """A file that goes with a draft."""

    name: Annotated[str, From("filename")]
    content_type: str
    size: Annotated[int, From("blob.size")]
    sha256: Annotated[str, From("blob.sha256")]


class DraftShape(DraftRow):
    """A draft whole."""

    body: str
    attachments: Annotated[
        list[DraftFile], From("attachments", lambda files: shapes_of(DraftFile, files.all()))
    ]


class DraftFilters(Filters):
    """Drafts by inbox, thread, status and the time of the last change."""

    inbox_id = IdFilter(Inbox.ID_PREFIX, "inbox")
    thread_id = IdFilter(Thread.ID_PREFIX, "thread")
    status = OneOf([(value, value) for value in DraftStatus.values if value != "discarded"])
    updated_since = since("updated_at")
    updated_before = before("updated_at")


def kept_drafts(actor: Actor) -> VisibleQuerySet[Draft]:
    """Return the drafts that the actor may see, but for those that were deleted or discarded."""
    rows = Draft.objects.visible_to(actor).kept().exclude(status=DraftStatus.DISCARDED)
    return rows.select_related("identity")


DRAFTS = declare(
    Collection(
        noun="drafts", one="draft", domain="comms", rows=kept_drafts, item=DraftRow,
        whole=DraftShape, whole_columns=("body", "goal", "calendar"),
        whole_with=("attachments__blob",), filters=DraftFilters, search=("subject", "body"),
        orders={"updated_at": Order("updated_at"), "created_at": Order("created_at")},
        default="-updated_at",
        words="the drafts of the accounts that the caller was granted, without their texts.",
    )
)  # fmt: skip
