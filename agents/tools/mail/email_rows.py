"""Emails by the ids in a call: each must be of the account that is named beside it."""

from django.db.models import Max, OuterRef, Subquery

from agents.dispatching.rows import get_row
from agents.errors import not_found
from inbox import ids
from inbox.actor import Actor
from inbox.models import (
    Account,
    Attachment,
    Draft,
    DraftAttachment,
    Mailbox,
    Message,
    MessageMailbox,
)
from inbox.models.drafts import DraftQuerySet
from inbox.models.mail import MessageQuerySet
from inbox.operations.drafts.writing import EDITABLE

_KIND = "email"


def messages_of(actor: Actor, account: Account | int) -> MessageQuerySet:
    """Return the kept messages of an account's inboxes."""
    return Message.objects.visible_to(actor).kept().filter(inbox__account=account)


def drafts_of(actor: Actor, account: Account) -> DraftQuerySet:
    """Return the drafts of an account that can still be changed."""
    return Draft.objects.visible_to(actor).kept().filter(account=account, status__in=EDITABLE)


def is_draft_id(public_id: str) -> bool:
    """Return True if an email's id is, by its form, one of a draft."""
    return public_id.startswith(f"{Draft.ID_PREFIX}_")


def get_message(rows: MessageQuerySet, email_id: str) -> Message:
    """Return the message of this id among the rows; raises ToolError `not_found`."""
    return get_row(rows, email_id, _KIND, "/email_id")


def get_draft(rows: DraftQuerySet, email_id: str) -> Draft:
    """Return the draft of this id among the rows; raises ToolError `not_found`."""
    return get_row(rows, email_id, _KIND, "/email_id")


def get_attachment(actor: Actor, message: Message, attachment_id: str) -> Attachment:
    """Return a file of this message; raises ToolError `not_found`."""
    rows = Attachment.objects.visible_to(actor).filter(message=message).select_related("blob")
    return get_row(rows, attachment_id, "attachment", "/attachment_id")


def get_draft_attachment(draft: Draft, attachment_id: str) -> DraftAttachment:
    """Return a file of this draft; raises ToolError `not_found`."""
    match ids.decode(Attachment.ID_PREFIX, attachment_id):
        case (1, key):
            found = draft.attachments.filter(pk=key).select_related("blob").first()
            if found is not None:
                return found
    raise not_found("attachment", "/attachment_id")


def newest_in(rows: MessageQuerySet, mailboxes: list[int], most: int) -> MessageQuerySet:
    """Keep the newest of the messages that are in one of the mailboxes (keys), newest first.

    Each mailbox has an index of its own in that order, so that only as many as are asked for are
    looked at, whatever lies elsewhere: in one mailbox its first, in several all since the time
    from which on one of them alone has enough.
    """
    inside = MessageMailbox.objects.filter(message__deleted_at=None)
    newest = inside.order_by("-received_at", "-message_id")
    if len(mailboxes) == 1:
        found = newest.filter(mailbox=mailboxes[0])[:most]
    else:
        keys = mailboxes
        last = newest.filter(mailbox=OuterRef("pk")).values("received_at")[most - 1 : most]
        since = Mailbox.objects.filter(pk__in=keys).aggregate(at=Max(Subquery(last)))["at"]
        found = inside.filter(mailbox__in=keys, **({"received_at__gte": since} if since else {}))
    return rows.filter(pk__in=found.values("message_id")).order_by("-received_at", "-id")[:most]
