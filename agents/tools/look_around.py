"""Who the caller is, and what there is to work with: every id that is no mail or event."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, model_validator

from agents.contracts import REGISTRY, Effect, tool
from agents.contracts.fields import Closed, Maybe, OrAbsent
from agents.contracts.schemas import published
from agents.directory import kinds_for, list_kind
from agents.lists.pages import LONGEST_CURSOR
from agents.models import Agent
from inbox import ids
from inbox.actor import Actor
from inbox.models import Workspace

KindName: TypeAlias = Literal[
    "accounts", "identities", "inboxes", "mailboxes", "calendars", "policies", "taxonomies",
    "schemas", "files", "agents",
]  # fmt: skip
# So many rows of each kind, and of one that is asked for by itself.
_OF_EACH = 20
_OF_ONE = 100
_LONGEST_SEARCH = 200
# Said once for all kinds: the list of tools is read by models.
_LISTED = "chancery/listed.json"


class LookAround(Closed):
    """Everything, or one kind, or what has these words in its name."""

    kind: Maybe[
        Annotated[KindName, Field(description="Only these, and more of them; default: all.")]
    ] = None
    search: Maybe[
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=_LONGEST_SEARCH,
                description="Words that the name or address has to have.",
            ),
        ]
    ] = None
    cursor: Maybe[
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=LONGEST_CURSOR,
                description="The next_cursor of the page before, with its kind and search.",
            ),
        ]
    ] = None

    @model_validator(mode="after")
    def _pages_one_kind(self) -> "LookAround":
        if self.cursor is not None and self.kind is None:
            raise ValueError("takes a cursor with its kind alone")
        return self


class Caller(Closed):
    """Who calls, in which workspaces, and what the token may; `tools` where it is for some."""

    kind: Literal["agent", "person", "system"]
    name: str
    agent_id: OrAbsent[str] = None
    workspaces: list[str]
    scopes: list[str]
    tools: OrAbsent[list[str]] = None


class Listed(Closed):
    """Something with an id; what it has no such name of, and nobody's, is left out.

    `default` is true for what counts where none is given.
    """

    model_config = published(_LISTED)

    id: str
    address: OrAbsent[str] = None
    name: OrAbsent[str] = None
    path: OrAbsent[str] = None
    description: OrAbsent[str] = None
    # Of a mailbox: inbox, sent, drafts, trash, … (RFC 8621 2).
    role: OrAbsent[str] = None
    inbox_id: OrAbsent[str] = None
    account_id: OrAbsent[str] = None
    default: OrAbsent[bool] = None


class Overview(Closed):
    """Who the caller is, and what it can work with; kinds that it has no use for are left out.

    Of a `kind` that was asked for, its rows alone. `more` names the kinds of which there are
    others: ask for one by `kind`, and with `search`.
    """

    you: OrAbsent[Caller] = None
    accounts: OrAbsent[list[Listed]] = None
    identities: OrAbsent[list[Listed]] = None
    inboxes: OrAbsent[list[Listed]] = None
    mailboxes: OrAbsent[list[Listed]] = None
    calendars: OrAbsent[list[Listed]] = None
    policies: OrAbsent[list[Listed]] = None
    taxonomies: OrAbsent[list[Listed]] = None
    schemas: OrAbsent[list[Listed]] = None
    files: OrAbsent[list[Listed]] = None
    agents: OrAbsent[list[Listed]] = None
    more: OrAbsent[list[KindName]] = None
    next_cursor: OrAbsent[str] = None


REGISTRY.publish_model(Listed, _LISTED)


@tool(
    family="house", domain="control_plane", effect=Effect.READ, shows=False, needs_scope=False,
    example={"kind": "mailboxes", "search": "invoices"},
)  # fmt: skip
def look_around(actor: Actor, args: LookAround) -> Overview:
    """Tell who you are and what there is, with the ids and names that other tools take.

    Start here. `default` marks what counts where none is given. The first 20 of each kind; with
    `kind`, 100 and a `next_cursor` where there are more.
    """
    wanted = [kind for kind in kinds_for(actor) if args.kind in (None, kind.plural)]
    limit = _OF_EACH if args.kind is None else _OF_ONE
    fields: dict[str, Any] = {"you": _caller(actor)} if args.kind is None else {args.kind: []}
    more: list[Any] = []
    for kind in wanted:
        rows, after = list_kind(actor, kind, search=args.search, cursor=args.cursor, limit=limit)
        fields[kind.plural] = [Listed(**row) for row in rows]
        if after is not None:
            more.append(kind.plural)
            fields["next_cursor"] = after if args.kind is not None else None
    return Overview(**fields, more=more or None)


def _caller(actor: Actor) -> Caller:
    slugs = Workspace.objects.visible_to(actor).order_by("slug").values_list("slug", flat=True)
    is_agent = actor.kind == "agent"
    return Caller(
        kind=actor.kind,
        name=actor.name,
        agent_id=ids.encode(Agent.ID_PREFIX, actor.id) if is_agent else None,
        workspaces=list(slugs),
        scopes=sorted(actor.scopes),
        tools=sorted(actor.tools) or None,
    )
