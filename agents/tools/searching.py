"""One search over the mail, events and files of an account."""

from collections.abc import Callable, Collection
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from agents.contracts import Effect, ToolError, tool
from agents.contracts.fields import WHOLE, Closed, Maybe, OrAbsent, WithRemarks
from agents.dispatching.rows import get_account
from agents.tools.cached import ForceRefresh, UseCache, consult_for, measured, plain_cache_fields
from agents.tools.calendar.event_shapes import ListedEvent
from agents.tools.calendar.events import search_events
from agents.tools.corrections import remarks_of
from agents.tools.files import CachedFile, cached_files
from agents.tools.mail.email_rows import messages_of
from agents.tools.mail.email_shapes import ITEM_COLUMNS, ListedEmail, item_fields
from agents.tools.shapes import AccountId, Skip
from calendar_app.event_search import EVENTS
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import Account, Inbox
from inbox.search import rank_messages
from inbox.search.files import FILES, find_files
from inbox.search.operators import OPERATORS
from inbox.syncing.mirror import Freshness

EntityType: TypeAlias = Literal["message", "event", "driveItem"]
# What a token needs for each, beside the scope of the search itself.
_SCOPES: dict[EntityType, str] = {
    "message": "inbox:read", "event": "calendar:read", "driveItem": "storage:read",
}  # fmt: skip
# What of an account is read for each (`inbox.operations.mirror_entries.READ_FOR`).
_READS: dict[EntityType, str] = {"message": "mail", "event": "calendar", "driveItem": "files"}
_MOST_INBOXES = 100
# The rows of one kind, and what is to be said of them.
_Answer: TypeAlias = tuple[list[Any], list[str]]


class SearchUnified(Closed):
    """What to look for, and among what."""

    query: Annotated[str, Field(min_length=1, max_length=512)]
    account_id: AccountId
    entity_types: Maybe[
        Annotated[
            EntityType | list[EntityType],
            Field(description="Default: all that the token may read."),
        ]
    ] = None
    limit: Annotated[int, Field(ge=1, le=500, description="So many of each type."), WHOLE] = 50
    skip: Skip = 0
    use_cache: UseCache = True
    force_refresh: ForceRefresh = False


class FoundItems(WithRemarks):
    """What was found, by its type; a type that was not searched is left out."""

    model_config = ConfigDict(alias_generator=to_camel)

    message: OrAbsent[list[ListedEmail]] = None
    event: OrAbsent[list[ListedEvent]] = None
    drive_item: OrAbsent[list[CachedFile]] = None


@tool(
    family="operations",
    domain="inbox",
    effect=Effect.READ,
    unified=[
        ("search", "emails", {"entity_types": "message"}),
        ("search", "events", {"entity_types": "event"}),
        ("search", "unified"),
    ],
    example={
        "query": "quarterly report",
        "account_id": "acc_8fXoQ2mKpL",
        "entity_types": ["message", "driveItem"],
    },
)
def search_unified(actor: Actor, args: SearchUnified) -> FoundItems:
    """Search the emails, events and files of an account by words, best first.

    Each by its operators as well: after: before: -without OR, emails from: is: and so on, events
    title: with: where: in: is:recurring, files type: in:. What only one type has as an operator
    finds nothing of another. Events want the scope calendar:read besides, files storage:read.
    """
    account = get_account(actor, args.account_id)
    wanted = _wanted(actor, args)
    asked = {"query": args.query, "types": wanted, "limit": args.limit, "skip": args.skip}
    found = consult_for(args, account, "search", asked, {_READS[kind] for kind in wanted})
    answers: dict[str, Any] = {}
    refused: list[DomainError] = []
    said: list[str] = []
    for kind in wanted:
        try:
            answers[kind], remarks = _SEARCHES[kind](actor, account, args, found)
            said += remarks
        except DomainError as error:
            if error.field != "query":
                raise
            # A value that only one kind takes is no condition that another fulfils.
            refused.append(error)
            answers[kind] = []
    if refused and len(refused) == len(wanted):
        raise refused[0]
    return measured(found, FoundItems(**answers)).with_remarks(said)


def _elsewhere(actor: Actor, args: SearchUnified) -> list[str]:
    """Return the operators of all that is searched."""
    return [name for kind in _wanted(actor, args) for name in _OPERATORS[kind]]


def _wanted(actor: Actor, args: SearchUnified) -> list[EntityType]:
    """Return the types to search; raises ToolError where the token does not open one of them."""
    lacking = {
        kind for kind, scope in _SCOPES.items()
        if actor.kind == "agent" and scope not in actor.scopes
    }  # fmt: skip
    given = args.entity_types
    if given is None:
        return [kind for kind in _SCOPES if kind not in lacking]
    named: list[EntityType] = [given] if isinstance(given, str) else list(dict.fromkeys(given))
    for kind in named:
        if kind in lacking:
            raise ToolError(
                "permission_denied", f"The token lacks the scope {_SCOPES[kind]}.",
                {"pointer": "/entity_types"},
            )  # fmt: skip
    return named


def _search_messages(
    actor: Actor, account: Account, args: SearchUnified, found: Freshness
) -> _Answer:
    inboxes = Inbox.objects.visible_to(actor).filter(account=account).order_by("pk")
    most = args.skip + args.limit
    scores = rank_messages(inboxes=list(inboxes[:_MOST_INBOXES]), query=args.query, limit=most)
    rows = messages_of(actor, account).filter(pk__in=scores).only(*ITEM_COLUMNS)
    best = sorted(rows, key=lambda row: (scores[row.pk], row.received_at), reverse=True)
    page = best[args.skip :]
    cached = plain_cache_fields(found)
    listed = [ListedEmail.model_validate(item_fields(message, cached)) for message in page]
    return listed, remarks_of(scores.instead, scores.looked_through)


def _search_events(
    actor: Actor, account: Account, args: SearchUnified, found: Freshness
) -> _Answer:
    page, others = slice(args.skip, args.skip + args.limit), _elsewhere(actor, args)
    return search_events(actor, account, args.query, page, found, elsewhere=others), []


def _search_files(actor: Actor, account: Account, args: SearchUnified, found: Freshness) -> _Answer:
    most = args.skip + args.limit
    hits = find_files(
        actor=actor, accounts=[account], query=args.query, limit=most,
        elsewhere=_elsewhere(actor, args),
    )  # fmt: skip
    return cached_files(actor, (hit.file for hit in hits[args.skip :]), found), []


_OPERATORS: dict[EntityType, Collection[str]] = {
    "message": OPERATORS, "event": EVENTS.operators, "driveItem": FILES.operators,
}  # fmt: skip
_SEARCHES: dict[EntityType, Callable[..., _Answer]] = {
    "message": _search_messages,
    "event": _search_events,
    "driveItem": _search_files,
}
