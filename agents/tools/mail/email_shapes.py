"""Emails in the shapes of Microsoft Graph, as the operations answer them, from messages and drafts.

Texts are cut as the database hands them out, so that a list of long mail costs what it shows.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypeVar

from django.db.models.functions import Left, Length
from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from agents.contracts.fields import Closed, Moment, OrAbsent, ZonedTime
from agents.tools.budget import fair_cut
from agents.tools.cached import Cached
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


def with_text(rows: Rows, column: str, longest: int) -> Rows:
    """Add the beginning of a text column as `shown`, and its length in characters as `length`."""
    return rows.annotate(shown=Left(column, longest), length=Length(column))


def share_texts(rows: Iterable[Any]) -> None:
    """Cut what was read `with_text` so that all of it together keeps to an answer's budget."""
    read = [row for row in rows if getattr(row, "shown", None) is not None]
    longest = fair_cut([len(row.shown) for row in read])
    for row in read:
        row.shown = row.shown[:longest]


def item_fields(message: Message) -> dict[str, Any]:
    """Return the arguments of an `EmailItem`; the text where the row was read `with_text`."""
    return {
        "id": message.public_id,
        "subject": message.subject,
        "from_": _recipient(message.sender) if message.from_email or message.from_name else None,
        "to_recipients": _recipients(message.to),
        "cc_recipients": _recipients(message.cc),
        "received_date_time": message.received_at,
        "has_attachments": message.has_attachments,
        "conversation_id": ids.encode(Thread.ID_PREFIX, message.thread_id),
        "is_read": "$seen" in message.keywords,
        "body": _body(message),
    }


def email_fields(
    message: Message, attachments: Iterable[Attachment] | None = None
) -> dict[str, Any]:
    """Return the arguments of an `Email`; without attachments these are left out."""
    return {
        **item_fields(message),
        "is_draft": False,
        "importance": message.importance,
        "categories": categories_of(message),
        "flag": _flag(message),
        "inference_classification": message.inference,
        "attachments": None if attachments is None else [_attachment(it) for it in attachments],
    }


def draft_item_fields(draft: Draft, *, has_attachments: bool) -> dict[str, Any]:
    """Return the arguments of an `EmailItem` for a draft, received when it was last changed."""
    thread = draft.thread_id and ids.encode(Thread.ID_PREFIX, draft.thread_id)
    identity = draft.identity
    return {
        "id": draft.public_id,
        "subject": draft.subject,
        "from_": _recipient({"name": identity.name, "email": identity.email}),
        "to_recipients": _recipients(draft.to),
        "cc_recipients": _recipients(draft.cc),
        "received_date_time": draft.updated_at,
        "has_attachments": has_attachments,
        "conversation_id": thread,
        "is_read": True,
        "body": _body(draft),
    }


def draft_fields(
    draft: Draft, attachments: list[DraftAttachment], *, shows_them: bool = True
) -> dict[str, Any]:
    """Return the arguments of an `Email` for a draft."""
    return {
        **draft_item_fields(draft, has_attachments=bool(attachments)),
        "is_draft": True,
        "importance": "normal",
        "categories": [],
        "flag": FlagShape(flag_status="notFlagged"),
        "inference_classification": "focused",
        "attachments": [_draft_attachment(it) for it in attachments] if shows_them else None,
    }


def draft_attachment_id(attachment: DraftAttachment) -> str:
    """Return the id of a draft's file: `(1, key)`, where a received one's is its key alone."""
    return ids.encode(Attachment.ID_PREFIX, 1, attachment.pk)


def _recipient(address: dict[str, str]) -> EmailRecipient:
    name, email = address.get("name") or None, address.get("email", "")
    return EmailRecipient(email_address=EmailAddress(name=name, address=email))


def _recipients(addresses: list[dict[str, str]]) -> list[EmailRecipient]:
    return [_recipient(address) for address in addresses[:MOST_RECIPIENTS]]


def _body(row: Any) -> EmailBody | None:
    shown: str | None = getattr(row, "shown", None)
    if shown is None:
        return None
    if row.length > len(shown):
        return EmailBody(content=shown, truncated=True, total_length=row.length)
    return EmailBody(content=shown)


def _flag(message: Message) -> FlagShape:
    times = {
        f"{part}_date_time": ZonedTime.of(datetime.fromisoformat(kept["at"]), kept["zone"])
        for part, kept in message.follow_up.items()
    }
    fields: dict[str, Any] = {"flag_status": flag_status(message), **times}
    return FlagShape(**fields)


def _attachment(attachment: Attachment) -> EmailAttachment:
    return EmailAttachment(
        id=attachment.public_id,
        name=attachment.filename or UNNAMED,
        size=attachment.size,
        content_type=attachment.content_type,
    )


def _draft_attachment(attachment: DraftAttachment) -> EmailAttachment:
    return EmailAttachment(
        id=draft_attachment_id(attachment),
        name=attachment.filename,
        size=attachment.blob.size,
        content_type=attachment.content_type,
    )
