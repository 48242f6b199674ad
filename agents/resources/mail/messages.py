"""Messages of every inbox, and one of them whole."""

from typing import Annotated

from django.db.models import QuerySet
from django_filters import BooleanFilter

from agents.contracts.fields import Closed, OrAbsent
from agents.dispatching.rows import find_promised
from agents.errors import not_found
from agents.lists.filters import Filters, IdFilter, OneOf, TextFilter, before, since
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare, resource
from agents.resources.mail.threads import LabelFilter
from agents.resources.shapes import From, IdOf
from agents.resources.trust import Trust
from agents.tools.shapes import (
    DirectionShape,
    Id,
    MessageShape,
    Participant,
    Timestamp,
    message_shape,
    participant,
    participants,
    promised_shape,
)
from inbox.actor import Actor
from inbox.models import Direction, Inbox, Message, Thread
from inbox.search import MOST_SEARCHED, keep_matching


class OneMessage(Closed):
    """Which message."""

    message_id: Id


@resource()
def read_message(actor: Actor, args: OneMessage) -> MessageShape:
    """`email://messages/{message_id}`: a message, or what waits to be sent under this id."""
    rows = Message.objects.visible_to(actor).kept().select_related("thread")
    message = rows.with_public_id(args.message_id).first()
    if message is not None:
        return message_shape(message, message.thread.public_id)
    submission = find_promised(actor, args.message_id)
    if submission is None:
        raise not_found("message", "/message_id")
    sent = rows.filter(submission=submission).first()
    return message_shape(sent, sent.thread.public_id) if sent else promised_shape(submission)


class MessageRow(Closed):
    """A message in a list: all but its texts, of which `snippet` is the beginning."""

    id: Id
    thread_id: Annotated[Id, IdOf(Thread)]
    inbox_id: Annotated[Id, IdOf(Inbox)]
    direction: DirectionShape
    sender: Annotated[OrAbsent[Participant], From("sender", participant)] = None
    to: Annotated[list[Participant], From("to", participants)]
    cc: Annotated[list[Participant], From("cc", participants)]
    subject: str
    snippet: str
    keywords: list[str]
    has_attachments: bool
    size: int
    created_at: Annotated[Timestamp, From("received_at")]
    trust: Trust = None


class MessageFilters(Filters):
    """Messages by where they are, whom they came from, which way they went and when."""

    inbox_id = IdFilter(Inbox.ID_PREFIX, "inbox")
    thread_id = IdFilter(Thread.ID_PREFIX, "thread")
    direction = OneOf(Direction.choices)
    sender = TextFilter("from_email")
    label = LabelFilter(strip=False)
    has_attachments = BooleanFilter()
    created_since = since("received_at")
    created_before = before("received_at")


def _keep_found(actor: Actor, rows: QuerySet[Message], text: str) -> QuerySet[Message]:
    inboxes = Inbox.objects.visible_to(actor).order_by("pk")
    return keep_matching(rows, inboxes=list(inboxes[:MOST_SEARCHED]), query=text)


declare(
    Collection(
        noun="messages", one="message", domain="inbox",
        rows=lambda actor: Message.objects.visible_to(actor).kept().defer(*Message.LIST_DEFERRED),
        item=MessageRow, filters=MessageFilters,
        search=("subject", "from_name", "from_email", "text"), keep_found=_keep_found,
        found_as="search_inbox",
        read_name="read_message",
        orders={"created_at": Order("received_at"), "size": Order("size", "number")},
        default="-created_at",
        words="the messages of every inbox that the caller was granted, without their texts; "
        "`search_inbox` has the best hits first.",
    )
)  # fmt: skip
