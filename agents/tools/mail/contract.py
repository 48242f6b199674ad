"""The tools of the mail contract that read."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from pydantic import Field

from agents.contracts import Effect, tool
from agents.contracts.fields import WHOLE, Closed, Maybe, OrAbsent, WithRemarks
from agents.contracts.plain import Plain
from agents.dispatching.rows import MOST_JOINS, get_inbox, read_key
from agents.errors import invalid, not_found
from agents.lists import pages
from agents.tools.budget import MOST_HTML, cut, fair_cut
from agents.tools.corrections import remarks_of
from agents.tools.mail.thread_rows import (
    MessageColumns,
    ThreadColumns,
    message_columns,
    thread_columns,
    write_message,
    write_thread,
)
from agents.tools.shapes import Id, InboxId, MessageShape, ThreadShape, ThreadState, Timestamp
from inbox import ids
from inbox.actor import Actor
from inbox.models import Inbox, Mailbox, Message, Thread
from inbox.prepared import Prepared
from inbox.search import search_messages

READ = Effect.READ
_WHOLE = "the resource email://messages/{message_id}, or email_get,"


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
def list_threads(actor: Actor, args: ListThreads) -> Plain[ThreadPage]:
    """List the threads of an inbox, the last updated first.

    `label` is the name or role of a mailbox, without regard to case; `updated_after` leaves out
    what was updated at that very time. Where there is more, `next_cursor` goes on from there; it
    belongs to the same filters and keeps its place while mail comes in.
    """
    inbox_id = read_key(Inbox, args.inbox_id, "inbox", "/inbox_id")
    query = ["list_threads", args.model_dump(mode="json", exclude={"cursor", "limit"})]
    given: dict[str, Any] = {"actor": actor, "inbox": inbox_id}
    if args.status is not None:
        given["status"] = args.status
    if args.updated_after is not None:
        given["after"] = args.updated_after
    if args.cursor is not None:
        given["moment"], given["key"] = pages.place_of(args.cursor, _NEWEST, query)
    if args.label is None:
        rows: Iterable[Any] = _THREADS.fetched(args.limit + 1, **given)
    else:
        # How a label is looked for depends on its letters.
        (rows,) = _threads(args.limit + 1, label=args.label, **given)
    found = [ThreadColumns(*row) for row in rows]
    if not found:
        # Either there are none, or the caller may not see the inbox; its threads say that it may.
        get_inbox(actor, args.inbox_id)
    fields: dict[str, Any] = {"threads": [write_thread(row) for row in found[: args.limit]]}
    if len(found) > args.limit:
        fields["next_cursor"] = pages.cursor_after(found[args.limit - 1], _NEWEST, query)
    return Plain(fields)


def _threads(most: int, *, actor: Actor, inbox: int, **given: Any) -> Sequence[QuerySet[Any]]:
    rows = Thread.objects.visible_to(actor).filter(
        inbox=inbox, merged_into=None, message_count__gt=0
    )
    if "status" in given:
        rows = rows.filter(status=given["status"])
    if "after" in given:
        rows = rows.filter(updated_at__gt=given["after"])
    if "label" in given:
        rows = rows.filter(Exists(_labelled(actor, inbox, given["label"])))
    ordered = _NEWEST.arrange(rows)
    if "key" in given:
        ordered = _NEWEST.skip(ordered, given["moment"], given["key"])
    return [thread_columns(ordered)[:most]]


_NEWEST = pages.Order("updated_at", descending=True)
_THREADS = Prepared(_threads)


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


class WholeThread(WithRemarks):
    """A thread and its messages."""

    thread: ThreadShape
    messages: OrAbsent[list[MessageShape]] = None


@tool(family="mail", domain="inbox", effect=READ, example={"thread_id": "thr_8fXoQ2mKpL"})
def get_thread(actor: Actor, args: GetThread) -> Plain[WholeThread]:
    """Fetch a thread with its messages, oldest first; the id of a joined thread leads to the whole.

    With `include_messages` false the messages are left out.
    """
    thread = _whole_thread(actor, args.thread_id)
    fields: dict[str, Any] = {"thread": write_thread(thread)}
    if not args.include_messages:
        return Plain(fields)
    messages = [MessageColumns(*row) for row in _MESSAGES.fetched(actor=actor, thread=thread.pk)]
    fields["messages"], remarks = _within_budget(messages, fields["thread"]["id"])
    return Plain(fields, remarks)


def _whole_thread(actor: Actor, public_id: str) -> ThreadColumns:
    """Return the thread of this id, the whole where it was joined to another."""
    thread = _find_thread(actor, read_key(Thread, public_id, "thread", "/thread_id"))
    for _ in range(MOST_JOINS):
        if thread.merged_into_id is None:
            break
        thread = _find_thread(actor, thread.merged_into_id)
    return thread


def _find_thread(actor: Actor, key: int) -> ThreadColumns:
    for row in _THREAD.fetched(actor=actor, key=key):
        return ThreadColumns(*row)
    raise not_found("thread", "/thread_id")


def _thread(*, actor: Actor, key: int) -> Sequence[QuerySet[Any]]:
    return [thread_columns(Thread.objects.visible_to(actor).filter(pk=key))]


def _messages(*, actor: Actor, thread: int) -> Sequence[QuerySet[Any]]:
    rows = Message.objects.visible_to(actor).kept().filter(thread=thread)
    return [message_columns(rows.order_by("received_at", "id"))]


_THREAD, _MESSAGES = Prepared(_thread), Prepared(_messages)


def _within_budget(
    messages: list[MessageColumns], thread_id: str
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Return the messages without the HTML, and with texts cut, where it is too much; say so."""
    remarks = []
    has_html = sum(len(message.html) for message in messages) <= MOST_HTML
    if not has_html:
        remarks.append(f"The HTML is left out; {_WHOLE} has it.")
    longest = fair_cut([len(message.text) for message in messages])
    if any(len(message.text) > longest for message in messages):
        remarks.append(f"Texts are cut at {longest:,} characters; {_WHOLE} has one whole.")
    written = [
        write_message(one, thread_id, cut(one.text, longest), one.html if has_html else "")
        for one in messages
    ]
    return written, tuple(remarks)


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


class SearchResults(WithRemarks):
    """What was found, best first; a remark says which words were looked for in place of others."""

    results: list[SearchHit]


@tool(
    family="mail",
    domain="inbox",
    effect=READ,
    example={"inbox_id": "inb_8fXoQ2mKpL", "query": "invoice april", "top_k": 5},
)
def search_inbox(actor: Actor, args: SearchInbox) -> SearchResults:
    """Search the messages of an inbox: subjects, senders, attachment names and texts, best first.

    What has every word comes first, then what has some; a whole message may be asked with. For a
    word that no mail has the nearest is looked for, unless it is quoted; a remark says so.
    Operators: from: to: subject: filename: label: has: is: after: before:, "words together",
    -without, OR. `time_range` keeps what was received from `start` on and before `end`;
    `snippet` shows the hit.
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
    ).with_remarks(remarks_of(hits.instead, hits.looked_through))
