"""Emails in the shapes of Microsoft Graph, as the operations answer them, from messages and drafts.

Texts are cut as the database hands them out, so that a list of long mail costs what it shows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from django.db.models.functions import Left, Length
from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from agents.contracts.fields import Closed, Moment, OrAbsent, ZonedTime
from agents.contracts.plain import moment
from agents.tools.budget import fair_cut
from agents.tools.cached import Cached
from agents.tools.stored import Stored, stored_list, written_once
from inbox import ids
from inbox.compose.outgoing import MOST_RECIPIENTS
from inbox.models import Attachment, Draft, DraftAttachment, Message, Thread
from inbox.models.base import VisibleQuerySet
from inbox.operations.mail.message_changes import categories_of, flag_status

Rows = TypeVar("Rows", bound=VisibleQuerySet[Any])

# In a list each text is cut there.
LIST_BODY = 20_000
UNNAMED = "attachment"

ItemColumns: TypeAlias = tuple[str, ...]
ITEM_COLUMNS: ItemColumns = (
    "submission_id", "thread_id", "from_email", "from_name", "to", "cc", "subject", "received_at",
    "has_attachments", "keywords",
)  # fmt: skip
WHOLE_COLUMNS: ItemColumns = (*ITEM_COLUMNS, "importance", "inference", "follow_up")
DRAFT_COLUMNS: ItemColumns = ("identity", "thread_id", "to", "cc", "subject", "updated_at")


class AttachmentColumns(NamedTuple):
    """What of an attachment is shown, as stored."""

    pk: int
    filename: str
    size: int
    content_type: str


class _Graph(Closed):
    """An object whose fields are named as Microsoft Graph names them."""

    model_config = ConfigDict(alias_generator=to_camel)


class EmailAddress(_Graph):
    """An address, and the name beside it."""

    name: OrAbsent[str] = None
    address: str


class EmailRecipient(_Graph):
    """Somebody whom an email names."""

    email_address: EmailAddress


class EmailBody(_Graph):
    """The text; where it was cut, `total_length` says how many characters it has."""

    content: str
    content_type: Literal["text"] = "text"
    truncated: OrAbsent[Literal[True]] = None
    total_length: OrAbsent[int] = Field(default=None, alias="total_length")


class FlagShape(_Graph):
    """What is to be done with an email, and when."""

    flag_status: Literal["notFlagged", "flagged", "complete"]
    start_date_time: OrAbsent[ZonedTime] = None
    due_date_time: OrAbsent[ZonedTime] = None
    completed_date_time: OrAbsent[ZonedTime] = None


class EmailAttachment(_Graph):
    """A file that goes with an email; never its bytes."""

    id: str
    name: str
    size: int
    content_type: str


class EmailItem(_Graph):
    """An email in a list."""

    id: str
    subject: str
    from_: OrAbsent[EmailRecipient] = Field(default=None, alias="from")
    to_recipients: list[EmailRecipient]
    cc_recipients: list[EmailRecipient]
    received_date_time: Moment
    has_attachments: bool
    conversation_id: OrAbsent[str] = None
    is_read: bool
    body: OrAbsent[EmailBody] = None


class ListedEmail(EmailItem, Cached):
    """An email in a list, and how old the answer is."""


class Email(EmailItem):
    """An email whole."""

    is_draft: bool
    importance: Literal["low", "normal", "high"]
    categories: list[str]
    flag: FlagShape
    inference_classification: Literal["focused", "other"]
    attachments: OrAbsent[list[EmailAttachment]] = None


class CachedEmail(Email, Cached):
    """An email whole, and how old the answer is."""


@dataclass(slots=True)
class EmailColumns:
    """What of a message an `EmailItem` shows, as stored; `shown` and `length` as of `with_text`."""

    pk: int
    submission_id: int | None
    thread_id: int
    from_email: str
    from_name: str
    to: Stored
    cc: Stored
    subject: str
    received_at: datetime | str
    has_attachments: bool
    keywords: Stored
    shown: str | None = None
    length: int = 0


def with_text(rows: Rows, column: str, longest: int) -> Rows:
    """Add the beginning of a text column as `shown`, and its length in characters as `length`."""
    return rows.annotate(shown=Left(column, longest), length=Length(column))


def share_texts(rows: Iterable[Any]) -> None:
    """Cut what was read `with_text` so that all of it together keeps to an answer's budget."""
    read = [row for row in rows if getattr(row, "shown", None) is not None]
    longest = fair_cut([len(row.shown) for row in read])
    for row in read:
        row.shown = row.shown[:longest]


def item_fields(row: Any, cached: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return an `EmailItem` of a message or its columns; the text where it was read `with_text`.

    `cached` are the fields that say how old the answer is.
    """
    number, key = (0, row.pk) if row.submission_id is None else (1, row.submission_id)
    return {
        **(cached or {}),
        "id": ids.encode(Message.ID_PREFIX, number, key),
        "subject": row.subject,
        **_from(row.from_name, row.from_email),
        "toRecipients": _recipients(row.to),
        "ccRecipients": _recipients(row.cc),
        "receivedDateTime": moment(row.received_at),
        "hasAttachments": bool(row.has_attachments),
        "conversationId": ids.encode(Thread.ID_PREFIX, row.thread_id),
        "isRead": "$seen" in stored_list(row.keywords),
        **_body(row),
    }


def email_fields(
    message: Message,
    attachments: Iterable[AttachmentColumns | Attachment] | None = None,
    cached: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return an `Email`; without attachments these are left out. `cached` as for `item_fields`."""
    fields = {
        **item_fields(message, cached),
        "isDraft": False,
        "importance": message.importance,
        "categories": categories_of(message),
        "flag": _flag(message),
        "inferenceClassification": message.inference,
    }
    if attachments is not None:
        fields["attachments"] = [_attachment(it) for it in attachments]
    return fields


def draft_item_fields(
    draft: Draft, *, has_attachments: bool, cached: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return an `EmailItem` of a draft, received when it was last changed."""
    thread = draft.thread_id and ids.encode(Thread.ID_PREFIX, draft.thread_id)
    return {
        **(cached or {}),
        "id": draft.public_id,
        "subject": draft.subject,
        "from": _recipient(draft.identity.name, draft.identity.email),
        "toRecipients": _recipients(draft.to),
        "ccRecipients": _recipients(draft.cc),
        "receivedDateTime": moment(draft.updated_at),
        "hasAttachments": has_attachments,
        **({"conversationId": thread} if thread else {}),
        "isRead": True,
        **_body(draft),
    }


def draft_fields(
    draft: Draft,
    attachments: list[DraftAttachment],
    *,
    shows_them: bool = True,
    cached: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return an `Email` of a draft."""
    fields = {
        **draft_item_fields(draft, has_attachments=bool(attachments), cached=cached),
        "isDraft": True,
        "importance": "normal",
        "categories": [],
        "flag": {"flagStatus": "notFlagged"},
        "inferenceClassification": "focused",
    }
    if shows_them:
        fields["attachments"] = [_draft_attachment(it) for it in attachments]
    return fields


def draft_attachment_id(attachment: DraftAttachment) -> str:
    """Return the id of a draft's file: `(1, key)`, where a received one's is its key alone."""
    return ids.encode(Attachment.ID_PREFIX, 1, attachment.pk)


def _from(name: str, address: str) -> dict[str, Any]:
    return {"from": _recipient(name, address)} if name or address else {}


def _recipient(name: str | None, address: str) -> dict[str, Any]:
    named = {"name": name, "address": address} if name else {"address": address}
    return {"emailAddress": named}


@written_once
def _recipients(addresses: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
    return [
        _recipient(one.get("name"), one.get("email", "")) for one in addresses[:MOST_RECIPIENTS]
    ]


def _body(row: Any) -> dict[str, Any]:
    shown: str | None = getattr(row, "shown", None)
    if shown is None:
        return {}
    body: dict[str, Any] = {"content": shown, "contentType": "text"}
    if row.length > len(shown):
        body |= {"truncated": True, "total_length": row.length}
    return {"body": body}


def _flag(message: Message) -> dict[str, Any]:
    times = {
        f"{part}DateTime": ZonedTime.of(datetime.fromisoformat(kept["at"]), kept["zone"])
        for part, kept in message.follow_up.items()
    }
    flag = FlagShape.model_validate({"flagStatus": flag_status(message), **times})
    return flag.model_dump(mode="json", by_alias=True, exclude_none=True)


def _attachment(attachment: AttachmentColumns | Attachment) -> dict[str, Any]:
    return {
        "id": ids.encode(Attachment.ID_PREFIX, attachment.pk),
        "name": attachment.filename or UNNAMED,
        "size": attachment.size,
        "contentType": attachment.content_type,
    }


def _draft_attachment(attachment: DraftAttachment) -> dict[str, Any]:
    return {
        "id": draft_attachment_id(attachment),
        "name": attachment.filename,
        "size": attachment.blob.size,
        "contentType": attachment.content_type,
    }
