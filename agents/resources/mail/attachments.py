"""Attachments of messages, and their bytes."""

from typing import Annotated, Any

from django.db.models import F
from django_filters import BooleanFilter

from agents.contracts.fields import Closed
from agents.dispatching.rows import get_row
from agents.errors import ToolError
from agents.lists.filters import Filters, IdFilter, MessageIdFilter, TextFilter
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare, resource
from agents.resources.shapes import From, IdOf, Made
from agents.resources.trust import Trust
from agents.tools.shapes import Id, Timestamp
from inbox import ids
from inbox.actor import Actor
from inbox.models import Attachment, Message, Thread
from inbox.models.base import VisibleQuerySet


def _message_id(row: Any) -> str:
    ours = row.submission_key is not None
    numbers = (1, row.submission_key) if ours else (0, row.message_id)
    return ids.encode(Message.ID_PREFIX, *numbers)


class AttachmentShape(Closed):
    """A file that came with a message. Its name and type are what the sender says."""

    id: Id
    message_id: Annotated[Id, Made(_message_id)]
    thread_id: Annotated[Id, IdOf(Thread, "thread_key")]
    name: Annotated[str, From("filename")]
    content_type: str
    inline: bool
    size: int
    sha256: str
    created_at: Annotated[Timestamp, From("received_at")]
    trust: Trust = None


class OneAttachment(Closed):
    """Which attachment."""

    attachment_id: Id


class AttachmentContent(Closed):
    """Which bytes were handed out."""

    id: Id
    name: str
    size: int
    sha256: str


@resource()
def read_attachment_content(actor: Actor, args: OneAttachment) -> AttachmentContent:
    """`GET /api/v1/attachments/{attachment_id}/content`: the bytes, to be saved.

    They are never handed out under the type that their sender chose, nor to be shown in place.
    """
    row = find_attachment(actor, args.attachment_id)
    return AttachmentContent(
        id=row.public_id, name=row.filename, size=row.blob.size, sha256=row.blob.sha256
    )


def find_attachment(actor: Actor, public_id: str) -> Any:
    """Return an attachment with its blob; raises ToolError `not_found`."""
    rows = _rows(actor).select_related("blob")
    return get_row(rows, public_id, "attachment", "/attachment_id")


def read_content(row: Attachment) -> bytes:
    """Return the bytes; raises ToolError `internal` where the storage has lost or changed them."""
    try:
        return row.blob.read()
    except (FileNotFoundError, ValueError) as error:
        raise ToolError("internal", "The stored bytes are lost or have changed") from error


class AttachmentFilters(Filters):
    """Attachments by where they are and what they say they are."""

    message_id = MessageIdFilter("message")
    thread_id = IdFilter(Thread.ID_PREFIX, "message__thread")
    content_type = TextFilter()
    inline = BooleanFilter()


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    rows = Attachment.objects.visible_to(actor).annotate(
        submission_key=F("message__submission_id"), thread_key=F("message__thread_id"),
        sha256=F("blob__sha256"),
    )  # fmt: skip
    return rows.filter(message__deleted_at=None)


declare(
    Collection(
        noun="attachments", one="attachment", domain="inbox", rows=_rows, item=AttachmentShape,
        filters=AttachmentFilters, search=("filename",),
        orders={
            "id": Order("id", "number"), "created_at": Order("received_at"),
            "size": Order("size", "number"),
        },
        default="-id",
        words="the files that came with messages; `id` is the order in which they came in.",
    )
)  # fmt: skip
