"""Inboxes, and the threads of one."""

from django.db.models import Prefetch

from agents.contracts.fields import Closed
from agents.contracts.plain import Plain
from agents.dispatching.rows import get_row
from agents.lists.filters import Filters, OneOf, TextFilter
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare, resource
from agents.tools.mail.contract import ListThreads, ThreadPage, list_threads
from agents.tools.shapes import InboxId, InboxShape, inbox_shape
from inbox.actor import Actor
from inbox.models import Inbox, InboxStatus, Mailbox
from inbox.models.base import VisibleQuerySet


class OneInbox(Closed):
    """Which inbox."""

    inbox_id: InboxId


@resource()
def read_inbox(actor: Actor, args: OneInbox) -> InboxShape:
    """`email://inboxes/{inbox_id}`: an inbox, its mailboxes as labels."""
    return inbox_shape(get_row(INBOXES.rows(actor), args.inbox_id, "inbox", "/inbox_id"))


@resource()
def read_threads(actor: Actor, args: ListThreads) -> Plain[ThreadPage]:
    """`email://inboxes/{inbox_id}/threads?status=&label=`: what `list_threads` lists."""
    return list_threads(actor, args)


class InboxFilters(Filters):
    """Inboxes by address, without regard to case, and status."""

    address = TextFilter()
    status = OneOf(InboxStatus.choices)


def _rows(actor: Actor) -> VisibleQuerySet[Inbox]:
    mailboxes = Prefetch("mailboxes", Mailbox.objects.visible_to(actor))
    return Inbox.objects.visible_to(actor).prefetch_related(mailboxes)


INBOXES = declare(
    Collection(
        noun="inboxes", one="inbox", domain="inbox",
        rows=_rows,
        item=InboxShape, shapes=lambda rows: [inbox_shape(row) for row in rows],
        filters=InboxFilters, search=("address",), read_name="read_inbox",
        orders={"created_at": Order("created_at"), "address": Order("address", "text")},
        default="-created_at", words="the inboxes that the caller was granted.",
    )
)  # fmt: skip
