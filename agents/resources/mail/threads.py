"""Threads of every inbox, one of them, and its summary."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django_filters import CharFilter

from agents.consulting.summarising import summary_of_model
from agents.contracts.fields import Closed
from agents.dispatching.rows import get_thread_row, newest_messages
from agents.lists.filters import Filters, IdFilter, OneOf, before, since
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare, resource
from agents.tools.shapes import Id, ThreadShape, ThreadSummary, thread_shapes
from inbox.actor import Actor
from inbox.compose.summary import summarise
from inbox.models import Inbox, Thread, ThreadStatus


class OneThread(Closed):
    """Which thread."""

    thread_id: Id


@resource()
def read_thread(actor: Actor, args: OneThread) -> ThreadShape:
    """`email://threads/{thread_id}`: a thread; the id of a joined one leads to the whole."""
    return thread_shapes([get_thread_row(actor, args.thread_id)])[0]


@resource()
def read_thread_summary(actor: Actor, args: OneThread) -> ThreadSummary:
    """`email://threads/{thread_id}/summary`: who wants what, how it stands and what is open."""
    thread = get_thread_row(actor, args.thread_id)
    messages = newest_messages(actor, thread)
    summary = summary_of_model(messages) or summarise(messages)
    return ThreadSummary(thread_id=thread.public_id, summary=summary, updated_at=thread.updated_at)


class LabelFilter(CharFilter):  # type: ignore[misc]
    """Rows in a mailbox of this name or role, without regard to case."""

    def filter(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep the rows in such a mailbox of their inbox."""
        if not value:
            return rows
        row = rows.model._meta.model_name
        through = rows.model.mailboxes.through.objects
        named = Q(mailbox__name__iexact=value) | Q(mailbox__role__iexact=value)
        return rows.filter(Exists(through.filter(named, **{f"{row}_id": OuterRef("pk")})))


class ThreadFilters(Filters):
    """Threads by inbox, status, label and the time of the last change."""

    inbox_id = IdFilter(Inbox.ID_PREFIX, "inbox")
    status = OneOf(ThreadStatus.choices)
    label = LabelFilter(strip=False)
    updated_since = since("updated_at")
    updated_before = before("updated_at")


declare(
    Collection(
        noun="threads", one="thread", domain="inbox",
        rows=lambda actor: Thread.objects.visible_to(actor).current(), item=ThreadShape,
        shapes=thread_shapes, filters=ThreadFilters, search=("subject",),
        orders={
            "updated_at": Order("updated_at"), "last_message_at": Order("last_message_at"),
            "message_count": Order("message_count", "number"),
        },
        default="-updated_at", list_name="browse_threads", read_name="read_thread",
        words="the threads of every inbox that the caller was granted. `label` is the name or role "
        "of a mailbox.",
    )
)  # fmt: skip
