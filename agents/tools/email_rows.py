"""Emails by the ids in a call: each must be of the account that is named beside it."""

from django.db.models import Exists, OuterRef

from agents.errors import not_found
from agents.rows import get_row
from inbox import ids
from inbox.actor import Actor
from inbox.models import Account, Attachment, Draft, DraftAttachment, Mailbox, Message
from inbox.models.drafts import DraftQuerySet
from inbox.models.mail import MessageQuerySet
from inbox.operations.drafts import EDITABLE

_KIND = "email"
# A mailbox of so many is read from its own end; in one of more the newest are soon met.
_MOST_SORTED = 2000


def messages_of(actor: Actor, account: Account) -> MessageQuerySet:
    """Return the kept messages of an account's inboxes."""
    return Message.objects.visible_to(actor).kept().filter(inbox__account=account)


def drafts_of(actor: Actor, account: Account) -> DraftQuerySet:
    """Return the drafts of an account that can still be changed."""
    return Draft.objects.visible_to(actor).kept().filter(account=account, status__in=EDITABLE)


def is_draft_id(public_id: str) -> bool:
    """Tell whether an email's id is, by its form, one of a draft."""
    return public_id.startswith(f"{Draft.ID_PREFIX}_")


def get_message(rows: MessageQuerySet, email_id: str) -> Message:
    """Return the message of this id among the rows; raises ToolError `not_found`."""
    message: Message = get_row(rows, email_id, _KIND, "/email_id")
    return message


def get_draft(rows: DraftQuerySet, email_id: str) -> Draft:
    """Return the draft of this id among the rows; raises ToolError `not_found`."""
    draft: Draft = get_row(rows, email_id, _KIND, "/email_id")
    return draft


def get_attachment(actor: Actor, message: Message, attachment_id: str) -> Attachment:
    """Return a file of this message; raises ToolError `not_found`."""
    rows = Attachment.objects.visible_to(actor).filter(message=message).select_related("blob")
    found: Attachment = get_row(rows, attachment_id, "attachment", "/attachment_id")
    return found


def get_draft_attachment(draft: Draft, attachment_id: str) -> DraftAttachment:
    """Return a file of this draft; raises ToolError `not_found`."""
    match ids.decode(Attachment.ID_PREFIX, attachment_id):
        case (1, key):
            found = draft.attachments.filter(pk=key).select_related("blob").first()
            if found is not None:
                return found
    raise not_found("attachment", "/attachment_id")


def in_mailboxes(rows: MessageQuerySet, mailboxes: list[Mailbox]) -> MessageQuerySet:
    """Keep the messages that are in one of the mailboxes, newest first."""
    inboxes = sorted({mailbox.inbox_id for mailbox in mailboxes})
    # A plain equals lets the index of an inbox, which is in this order, serve the newest first.
    rows = rows.filter(inbox=inboxes[0]) if len(inboxes) == 1 else rows.filter(inbox__in=inboxes)
    newest = rows.order_by("-received_at", "-id")
    inside = Message.mailboxes.through.objects.filter(mailbox__in=[box.pk for box in mailboxes])
    keys = list(inside.values_list("message_id", flat=True)[: _MOST_SORTED + 1])
    if len(keys) <= _MOST_SORTED:
        return newest.filter(pk__in=keys)
    return newest.filter(Exists(inside.filter(message_id=OuterRef("pk"))))
