"""The kinds of rows that may be named instead of given by their id, and who is shown them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, get_args, get_origin

from django.db.models import BooleanField, ExpressionWrapper, F, Q, QuerySet, Subquery
from pydantic import BaseModel

from agents.contracts import REGISTRY, RESOURCES
from agents.contracts.fields import IdOrName
from agents.models import Agent
from calendar_app.models import Calendar
from inbox import ids
from inbox.actor import Actor
from inbox.models import (
    Account,
    ExtractionSchema,
    FileNode,
    Identity,
    Inbox,
    Mailbox,
    ReplyPolicy,
    Taxonomy,
)
from inbox.models.base import PublicModel, VisibleQuerySet
from inbox.models.files import NodeKind

# Columns that are told under another name.
CALLED = {"email": "address"}


@dataclass(frozen=True)
class Kind:
    """Rows of one kind: `names` are the columns that name one, `owners` say whose it is.

    `about` are columns that are told beside them and name nothing; `path_key` is the column by
    which a path is found. `account` is the path to its account, `owners` are paths to keys, each
    with its model. `default` finds the rows that count where none is given; where `first_counts`
    that is the first.
    """

    plural: str
    one: str
    model: type[PublicModel]
    rows: Callable[[Actor], VisibleQuerySet[Any]]
    names: tuple[str, ...]
    about: tuple[str, ...] = ()
    path_key: str = ""
    account: str = ""
    owners: tuple[tuple[str, type[PublicModel]], ...] = ()
    default: Q | None = None
    first_counts: bool = False

    @property
    def prefix(self) -> str:
        """What its ids begin with."""
        return self.model.ID_PREFIX

    def shown(self, rows: QuerySet[Any], actor: Actor) -> QuerySet[Any]:
        """Return the rows with the columns that `describe` reads, and no others."""
        paths = [path for path, _ in self.owners]
        joins = [path.rpartition("__")[0] for path in paths if "__" in path]
        read = rows.only(*self.names, *self.about, *joins, *paths)
        if joins:
            read = read.select_related(*joins)
        counts = self._counting(actor)
        if counts is not None:
            is_counting = ExpressionWrapper(counts, BooleanField())
            read = read.annotate(counts_where_none_is_given=is_counting)
        return read

    def _counting(self, actor: Actor) -> Q | None:
        if not self.first_counts:
            return self.default
        return Q(pk=Subquery(self.rows(actor).order_by("pk").values("pk")[:1]))

    def describe(self, row: Any) -> dict[str, Any]:
        """Return the id and the names of a row, whose it is, and whether it is the default."""
        told = {CALLED.get(name, name): getattr(row, name) for name in (*self.names, *self.about)}
        named = {name: value for name, value in told.items() if value}
        whose = {
            f"{model.__name__.lower()}_id": ids.encode(
                model.ID_PREFIX, attrgetter(path.replace("__", "."))(row)
            )
            for path, model in self.owners
        }
        default = {"default": True} if getattr(row, "counts_where_none_is_given", False) else {}
        return {"id": row.public_id, **named, **whose, **default}


def _visible(model: Any, actor: Actor) -> VisibleQuerySet[Any]:
    found: VisibleQuerySet[Any] = model.objects.visible_to(actor)
    return found


def _identities(actor: Actor) -> VisibleQuerySet[Any]:
    return Identity.objects.visible_to(actor).offered()


def _calendars(actor: Actor) -> VisibleQuerySet[Any]:
    return Calendar.objects.visible_to(actor).kept()


def _files(actor: Actor) -> VisibleQuerySet[Any]:
    return FileNode.objects.visible_to(actor).kept().filter(kind=NodeKind.FILE)


_ACCOUNT: tuple[tuple[str, type[PublicModel]], ...] = (("account_id", Account),)
# In the order in which they are shown.
KINDS = {
    kind.plural: kind
    for kind in (
        Kind("accounts", "account", Account, partial(_visible, Account), ("address", "name"),
             first_counts=True),
        Kind("identities", "identity", Identity, _identities, ("email",),
             about=("name",), account="account", owners=_ACCOUNT, default=Q(is_default=True)),
        Kind("inboxes", "inbox", Inbox, partial(_visible, Inbox), ("address",),
             account="account", owners=_ACCOUNT, default=Q(address=F("account__address"))),
        Kind("mailboxes", "mailbox", Mailbox, partial(_visible, Mailbox), ("name", "role"),
             account="inbox__account", default=Q(role="inbox"),
             owners=(("inbox_id", Inbox), ("inbox__account_id", Account))),
        Kind("calendars", "calendar", Calendar, _calendars, ("name",),
             account="account", owners=_ACCOUNT, default=Q(is_default=True)),
        Kind("policies", "policy", ReplyPolicy, partial(_visible, ReplyPolicy), ("name",),
             first_counts=True),
        Kind("taxonomies", "taxonomy", Taxonomy, partial(_visible, Taxonomy), ("name",),
             first_counts=True),
        Kind("schemas", "schema", ExtractionSchema, partial(_visible, ExtractionSchema), ("name",)),
        Kind("files", "file", FileNode, _files, ("path",),
             path_key="path_key", account="account", owners=_ACCOUNT),
        Kind("agents", "agent", Agent, partial(_visible, Agent), ("name",), about=("description",)),
    )
}  # fmt: skip
_BY_PREFIX = {kind.prefix: kind for kind in KINDS.values()}


@dataclass(frozen=True, slots=True)
class NamedField:
    """An argument that takes an id or a name, and what its `IdOrName` says of it."""

    name: str
    kind: Kind
    is_list: bool
    filters: bool
    by_tool: bool


@lru_cache(maxsize=1024)
def named_fields(model: type[BaseModel]) -> tuple[NamedField, ...]:
    """Return the arguments of a tool that take a name, those that name an account first."""
    found = []
    for name, field in model.model_fields.items():
        mark, is_list = _find_mark(field.annotation, field.metadata, is_list=False)
        kind = _BY_PREFIX.get(mark.prefix) if mark else None
        if mark and kind:
            found.append(NamedField(name, kind, is_list, mark.filters, mark.by_tool))
    return tuple(sorted(found, key=lambda field: field.kind.model is not Account))


def _find_mark(annotation: Any, metadata: Any, *, is_list: bool) -> tuple[IdOrName | None, bool]:
    """Return what a type says of the names it takes, and whether it is a list of them."""
    mark = next((one for one in metadata if isinstance(one, IdOrName)), None)
    if mark is not None:
        return mark, is_list
    if hasattr(annotation, "__metadata__"):
        return _find_mark(annotation.__origin__, annotation.__metadata__, is_list=is_list)
    inside = is_list or get_origin(annotation) is list
    for inner in get_args(annotation):
        found = _find_mark(inner, (), is_list=inside)
        if found[0] is not None:
            return found
    return None, False


def kinds_for(actor: Actor) -> tuple[Kind, ...]:
    """Return the kinds that something takes which the actor may call; a person sees them all."""
    return _kinds_of(actor.scopes, actor.tools) if actor.kind == "agent" else tuple(KINDS.values())


@lru_cache(maxsize=256)
def _kinds_of(scopes: frozenset[str], only: frozenset[str]) -> tuple[Kind, ...]:
    taken = {
        field.kind.plural
        for registry in (REGISTRY, RESOURCES)
        for tool in registry.tools
        if tool.opens_to(scopes, only)
        for field in named_fields(tool.arguments)
    }
    return tuple(kind for kind in KINDS.values() if kind.plural in taken)
