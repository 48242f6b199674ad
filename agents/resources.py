"""What is read by its address: the mail contract's five resources, and the lists beside them."""

from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, parse_qsl, urlsplit

from django.db.models import QuerySet
from pydantic import Field

from agents import pages
from agents.contracts import RESOURCES, Effect, tool
from agents.contracts.fields import WHOLE, Closed, Maybe, Moment, OrAbsent
from agents.errors import ToolError, invalid, not_found
from agents.filters import PAGING, InboxFilter, NameFilter, filter_rows
from agents.rows import find_promised, get_row, get_thread_row, newest_messages
from agents.tools.mail import ListThreads, ThreadPage, list_threads
from agents.tools.shapes import (
    Id,
    InboxShape,
    MessageShape,
    ThreadShape,
    ThreadSummary,
    inbox_shape,
    message_shape,
    promised_shape,
    thread_shapes,
)
from inbox.actor import Actor
from inbox.compose import summarise
from inbox.models import ExtractionSchema, Inbox, Message, ReplyPolicy, Taxonomy

resource = partial(tool, family="resource", domain="inbox", effect=Effect.READ, registry=RESOURCES)


class OneInbox(Closed):
    """Which inbox."""

    inbox_id: Id


class OneThread(Closed):
    """Which thread."""

    thread_id: Id


class OneMessage(Closed):
    """Which message."""

    message_id: Id


@resource()
def read_inbox(actor: Actor, args: OneInbox) -> InboxShape:
    """`email://inboxes/{inbox_id}`: an inbox, its mailboxes as labels."""
    rows = Inbox.objects.visible_to(actor).prefetch_related("mailboxes")
    return inbox_shape(get_row(rows, args.inbox_id, "inbox", "/inbox_id"))


@resource()
def read_threads(actor: Actor, args: ListThreads) -> ThreadPage:
    """`email://inboxes/{inbox_id}/threads?status=&label=`: what `list_threads` lists."""
    return list_threads(actor, args)  # type: ignore[return-value]


@resource()
def read_thread(actor: Actor, args: OneThread) -> ThreadShape:
    """`email://threads/{thread_id}`: a thread; the id of a joined one leads to the whole."""
    return thread_shapes([get_thread_row(actor, args.thread_id)])[0]


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


@resource()
def read_thread_summary(actor: Actor, args: OneThread) -> ThreadSummary:
    """`email://threads/{thread_id}/summary`: who wants what, how it stands and what is open."""
    thread = get_thread_row(actor, args.thread_id)
    summary = summarise(newest_messages(actor, thread))
    return ThreadSummary(thread_id=thread.public_id, summary=summary, updated_at=thread.updated_at)


class Paged(Closed):
    """Which page."""

    limit: Annotated[int, Field(ge=1, le=200), WHOLE] = 50
    cursor: Maybe[str] = None


class ListInboxes(Paged):
    """Which inboxes."""

    address: Maybe[str] = None
    status: Maybe[Literal["active", "paused"]] = None


class InboxPage(Closed):
    """Inboxes, newest first."""

    inboxes: list[InboxShape]
    next_cursor: OrAbsent[str] = None


@resource()
def list_inboxes(actor: Actor, args: ListInboxes) -> InboxPage:
    """List the inboxes that the caller was granted, by address and status."""
    rows = Inbox.objects.visible_to(actor).prefetch_related("mailboxes")
    page, cursor = _page("list_inboxes", filter_rows(InboxFilter, args, rows), "created_at", args)
    return InboxPage(inboxes=[inbox_shape(inbox) for inbox in page], next_cursor=cursor)


class ListNamed(Paged):
    """Which, by name."""

    name: Maybe[str] = None


class Named(Closed):
    """What a workspace teaches, as of its version."""

    id: str
    name: str
    version: int
    updated_at: Moment


class TaxonomyPage(Closed):
    """Taxonomies, last changed first."""

    taxonomies: list[Named]
    next_cursor: OrAbsent[str] = None


class NamedSchema(Named):
    """A JSON Schema of what to find in a message."""

    json_schema: dict[str, Any]


class SchemaPage(Closed):
    """Extraction schemas, last changed first."""

    schemas: list[NamedSchema]
    next_cursor: OrAbsent[str] = None


class PolicyPage(Closed):
    """Reply policies, last changed first."""

    policies: list[Named]
    next_cursor: OrAbsent[str] = None


@resource()
def list_taxonomies(actor: Actor, args: ListNamed) -> TaxonomyPage:
    """List the taxonomies that `triage_message` takes."""
    page, cursor = _named("list_taxonomies", Taxonomy.objects.visible_to(actor), args)
    return TaxonomyPage(taxonomies=[Named(**_name(row)) for row in page], next_cursor=cursor)


@resource()
def list_schemas(actor: Actor, args: ListNamed) -> SchemaPage:
    """List the schemas that `extract_to_schema` takes."""
    page, cursor = _named("list_schemas", ExtractionSchema.objects.visible_to(actor), args)
    found = [NamedSchema(**_name(row), json_schema=row.schema) for row in page]
    return SchemaPage(schemas=found, next_cursor=cursor)


@resource()
def list_policies(actor: Actor, args: ListNamed) -> PolicyPage:
    """List the policies that `draft_reply_with_policy` takes."""
    page, cursor = _named("list_policies", ReplyPolicy.objects.visible_to(actor), args)
    return PolicyPage(policies=[Named(**_name(row)) for row in page], next_cursor=cursor)


def _named(name: str, rows: QuerySet[Any], args: ListNamed) -> tuple[Any, str | None]:
    return _page(name, filter_rows(NameFilter, args, rows), "updated_at", args)


def _page(name: str, rows: QuerySet[Any], field: str, args: Paged) -> tuple[Any, str | None]:
    query = [name, args.model_dump(mode="json", exclude=PAGING)]
    ordered = pages.newest_after(rows, field, args.cursor, query)
    return pages.take_page(list(ordered[: args.limit + 1]), args.limit, field, query)


def _name(row: Any) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "name": row.name,
        "version": row.version,
        "updated_at": row.updated_at,
    }


def read_uri(uri: str) -> tuple[str, dict[str, Any]]:
    """Return the resource that an `email://…` URI names, and its arguments.

    Raises ToolError `invalid_input` where it is none of the five.
    """
    parts, query = _split(uri)
    steps = [parts.netloc, *parts.path.split("/")[1:]]
    if parts.scheme != "email" or parts.fragment:
        raise _bad_uri()
    match steps:
        case ["inboxes", key, "threads"] if key:
            return "read_threads", {**_filters(query), "inbox_id": key}
        case ["inboxes", key] if key and not query:
            return "read_inbox", {"inbox_id": key}
        case ["threads", key, "summary"] if key and not query:
            return "read_thread_summary", {"thread_id": key}
        case ["threads", key] if key and not query:
            return "read_thread", {"thread_id": key}
        case ["messages", key] if key and not query:
            return "read_message", {"message_id": key}
    raise _bad_uri()


def read_query(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the parameters of a query string as arguments; raises ToolError for a repeated one."""
    arguments: dict[str, Any] = {}
    for name, value in pairs:
        if name in arguments:
            raise invalid(f"/{name}", "is given twice", "one value")
        is_number = name == "limit" and value.isascii() and value.isdigit() and len(value) < 10
        arguments[name] = int(value) if is_number else value
    return arguments


def _split(uri: str) -> tuple[SplitResult, list[tuple[str, str]]]:
    if not uri.isprintable():
        # urlsplit would pass over line breaks and read another address than was given.
        raise _bad_uri()
    try:
        parts = urlsplit(uri)
        strict = bool(parts.query)
        return parts, parse_qsl(parts.query, keep_blank_values=True, strict_parsing=strict)
    except ValueError:
        raise _bad_uri() from None


def _filters(query: list[tuple[str, str]]) -> dict[str, Any]:
    filters = read_query(query)
    if "inbox_id" in filters:
        raise invalid("/inbox_id", "stands in the address already", "no such parameter")
    return filters


def _bad_uri() -> ToolError:
    accepted = (
        "email://inboxes/{inbox_id}, email://inboxes/{inbox_id}/threads?status=&label=, "
        "email://threads/{thread_id}, email://messages/{message_id} or "
        "email://threads/{thread_id}/summary"
    )
    return invalid("/uri", "is no resource", accepted)
