"""The tools of the mail contract that read."""

from typing import Annotated, Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from pydantic import Field

from agents.contracts import Effect, tool
from agents.contracts.fields import WHOLE, Closed, Maybe, OrAbsent
from agents.dispatching.rows import get_inbox, get_thread_row, read_key
from agents.errors import invalid
from agents.lists import pages
from agents.tools.shapes import (
    SHOWN_OF_A_MESSAGE,
    Id,
    InboxId,
    MessageShape,
    ThreadShape,
    ThreadState,
    Timestamp,
    message_shape,
    thread_shapes,
)
from inbox import ids
from inbox.actor import Actor
from inbox.models import Inbox, Mailbox, Message, Thread
from inbox.search import search_messages

READ = Effect.READ


class ListThreads(Closed):
    """Which threads."""

    inbox_id: InboxId
    status: Maybe[ThreadState] = None
    label: Maybe[str] = None
    updated_after: Maybe[Timestamp] = None
    limit: Annotated[int, Field(ge=1, le=200), WHOLE] = 50
    cursor: Maybe[str] = None


class ThreadPage(Closed):
    """Threads, newest first."""

    threads: list[ThreadShape]
    next_cursor: OrAbsent[str] = None


@tool(
    family="mail",
    domain="inbox",
    effect=READ,
    example={"inbox_id": "inb_8fXoQ2mKpL", "status": "open", "label": "inbox", "limit": 20},
)
def list_threads(actor: Actor, args: ListThreads) -> ThreadPage:
    """List the threads of an inbox, the last updated first.

    `label` is the name or role of a mailbox, without regard to case; `updated_after` leaves out
    what was updated at that very time. Where there is more, `next_cursor` goes on from there; it
    belongs to the same filters and keeps its place while mail comes in.
    """
    inbox_id = read_key(Inbox, args.inbox_id, "inbox", "/inbox_id")
    rows = Thread.objects.visible_to(actor).filter(
        inbox=inbox_id, merged_into=None, message_count__gt=0
    )
    if args.status is not None:
        rows = rows.filter(status=args.status)
    if args.updated_after is not None:
        rows = rows.filter(updated_at__gt=args.updated_after)
    if args.label is not None:
        rows = rows.filter(Exists(_labelled(actor, inbox_id, args.label)))
    query = args.model_dump(mode="json", exclude={"cursor", "limit"})
    ordered = pages.newest_after(rows, "updated_at", args.cursor, ["list_threads", query])
    found = list(ordered[: args.limit + 1])
    if not found:
        # Either there are none, or the caller may not see the inbox; its threads say that it may.
        get_inbox(actor, args.inbox_id)
    page, cursor = pages.take_page(found, args.limit, "updated_at", ["list_threads", query])
    return ThreadPage(threads=thread_shapes(page), next_cursor=cursor)


def _labelled(actor: Actor, inbox_id: int, label: str) -> QuerySet[Any]:
    mailboxes = Mailbox.objects.visible_to(actor).filter(
        Q(name__iexact=label) | Q(role__iexact=label), inbox=inbox_id
    )
    through = Thread.mailboxes.through.objects
    return through.filter(thread_id=OuterRef("pk"), mailbox_id__in=mailboxes.values("pk"))


class GetThread(Closed):
    """Which thread."""

    thread_id: Id
    include_messages: bool = True


class WholeThread(Closed):
    """A thread and its messages."""

    thread: ThreadShape
    messages: OrAbsent[list[MessageShape]] = None


@tool(family="mail", domain="inbox", effect=READ, example={"thread_id": "thr_8fXoQ2mKpL"})
def get_thread(actor: Actor, args: GetThread) -> WholeThread:
    """Fetch a thread with its messages, oldest first; the id of a joined thread leads to the whole.

    With `include_messages` false the messages are left out.
    """
    thread = get_thread_row(actor, args.thread_id)
    (shape,) = thread_shapes([thread])
    if not args.include_messages:
        return WholeThread(thread=shape)
    rows = Message.objects.visible_to(actor).kept().filter(thread=thread)
    rows = rows.only(*SHOWN_OF_A_MESSAGE)
    messages = [
        message_shape(message, thread.public_id) for message in rows.order_by("received_at", "id")
    ]
    return WholeThread(thread=shape, messages=messages)


class TimeRange(Closed):
    """From `start` on, and before `end`."""

    start: Maybe[Timestamp] = None
    end: Maybe[Timestamp] = None


class SearchInbox(Closed):
    """What to look for, and where."""

    inbox_id: InboxId
    query: str
    top_k: Annotated[int, Field(ge=1, le=50), WHOLE] = 10
    time_range: Maybe[TimeRange] = None


class SearchHit(Closed):
    """A message that was found."""

    message_id: Id
    thread_id: Id
    score: float
    snippet: OrAbsent[str] = None


class SearchResults(Closed):
    """What was found, best first."""

    results: list[SearchHit]


@tool(
    family="mail",
    domain="inbox",
    effect=READ,
    example={"inbox_id": "inb_8fXoQ2mKpL", "query": "invoice april", "top_k": 5},
)
def search_inbox(actor: Actor, args: SearchInbox) -> SearchResults:
    """Search the messages of an inbox: subjects, senders, attachment names and texts, best first.

    What has every word comes first, then what has some; a whole message may be asked with.
    `time_range` keeps what was received from `start` on and before `end`; `snippet` shows the hit.
    """
    inbox = get_inbox(actor, args.inbox_id)
    span = args.time_range or TimeRange()
    if span.start and span.end and span.end <= span.start:
        raise invalid("/time_range/end", "is not after the start", "a time after /time_range/start")
    hits = search_messages(
        actor=actor, inbox=inbox, query=args.query, top_k=args.top_k, start=span.start, end=span.end
    )
    return SearchResults(
        results=[
            SearchHit(
                message_id=hit.message.public_id,
                thread_id=ids.encode(Thread.ID_PREFIX, hit.message.thread_id),
                score=hit.score,
                snippet=hit.snippet,
            )
            for hit in hits
        ]
    )
