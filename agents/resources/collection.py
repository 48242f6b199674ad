"""One declaration for each collection under `/api/v1/`; its list and its rows derive from it.

A list takes the filters, `search`, `ordering`, `limit` and `cursor`, and a cursor goes on where the
same query ended. The address, the arguments, the OpenAPI document and the reference follow.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Field, create_model

from agents.contracts import RESOURCES, Effect, tool
from agents.contracts.fields import WHOLE, Closed, IdOrName, Maybe, OrAbsent
from agents.dispatching.rows import get_row
from agents.errors import invalid
from agents.lists import pages
from agents.lists.filters import Filters, filter_rows, search_rows
from agents.lists.pages import LONGEST_CURSOR, Order
from agents.resources.shapes import shape_of, shapes_of
from agents.tools.shapes import Id
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models.base import VisibleQuerySet

LONGEST_SEARCH = 200
resource = partial(tool, family="resource", domain="inbox", effect=Effect.READ, registry=RESOURCES)

Shapes: TypeAlias = Callable[[Sequence[Any]], Sequence[BaseModel]]


class Paged(Closed):
    """Which page."""

    limit: Annotated[int, Field(ge=1, le=200), WHOLE] = 50
    cursor: Maybe[Annotated[str, Field(min_length=1, max_length=LONGEST_CURSOR)]] = None


@dataclass(frozen=True)
class Collection:
    """Rows of one kind, to be listed and read one by one.

    `noun` is the address and `one` what a row is called. `rows` are those that an actor may see,
    with whatever the fields of `item` are read from: these say where (`agents.resources.shapes`).
    """

    noun: str
    one: str
    domain: str
    rows: Callable[[Actor], VisibleQuerySet[Any]]
    item: type[BaseModel]
    orders: dict[str, Order]
    # Like `-updated_at`: what the list is ordered by unless something else is asked for.
    default: str
    filters: type[Filters] = Filters
    # The columns in which every word of `search` is looked for.
    search: tuple[str, ...] = ()
    # What keeps the rows that a `search` finds, where that is more than words in columns; the
    # names of the columns then only say where.
    keep_found: Callable[[Actor, Any, str], Any] | None = field(default=None, repr=False)
    # The tool whose operators that takes.
    found_as: str = ""
    # What a list shows, in words; its first sentence stands in the reference.
    words: str = ""
    # What is shown of a single row, where that is more than of one in the list; the columns and
    # the related rows that only this is made of.
    whole: type[BaseModel] | None = None
    whole_columns: tuple[str, ...] = ()
    whole_with: tuple[str, ...] = ()
    # What makes the shapes of rows, where tools have the same.
    shapes: Shapes | None = field(default=None, repr=False)
    # The name of the resource that lists them, where the usual one is that of a tool.
    list_name: str = ""
    # The name of a resource that reads one, where it is declared by itself.
    read_name: str = ""
    # What the ids of its rows begin with, where one may be read by its name as well.
    named: str = ""

    @property
    def key(self) -> str:
        """The field of the answer that has the rows."""
        return self.noun.replace("-", "_")

    @property
    def id_field(self) -> str:
        """The argument that names a row."""
        return f"{self.one}_id"

    @property
    def lists(self) -> str:
        """The name of the resource that lists them."""
        return self.list_name or f"list_{self.key}"

    @property
    def reads(self) -> str:
        """The name of the resource that reads one of them."""
        return self.read_name or f"read_{self.one}"

    @property
    def orderings(self) -> list[str]:
        """What `ordering` takes: each column either way."""
        return [sign + name for name in self.orders for sign in ("", "-")]

    def listed(self, actor: Actor) -> VisibleQuerySet[Any]:
        """Return the rows that an actor may see, as a list reads them."""
        return self.rows(actor).defer(*self.whole_columns)

    def single(self, actor: Actor) -> VisibleQuerySet[Any]:
        """Return the same rows as one of them is read."""
        return self.rows(actor).prefetch_related(*self.whole_with)

    def show(self, rows: Sequence[Any]) -> Sequence[BaseModel]:
        """Return what a list tells of the rows."""
        return self.shapes(rows) if self.shapes else shapes_of(self.item, rows)

    def show_one(self, row: Any) -> BaseModel:
        """Return all that is told of one."""
        return shape_of(self.whole, row) if self.whole else self.show([row])[0]

    def order_by(self, name: str) -> Order:
        """Return the order of this name, like `-updated_at`."""
        found = self.orders[name.removeprefix("-")]
        return Order(found.column, found.kind, name.startswith("-"), found.nullable)


COLLECTIONS: dict[str, Collection] = {}


def declare(collection: Collection) -> Collection:
    """Declare a collection: its list, and the reading of one row unless it names one."""
    COLLECTIONS[collection.noun] = collection
    _declare_list(collection)
    if not collection.read_name:
        _declare_one(collection)
    return collection


def _declare_list(collection: Collection) -> None:
    arguments = create_model(
        f"List_{collection.key}",
        __base__=Paged,
        __doc__="Which rows, in which order.",
        **collection.filters.arguments(),
        **_search_and_order(collection),
    )
    shown: dict[str, Any] = {
        collection.key: (list[collection.item], ...),  # type: ignore[name-defined]
        "next_cursor": (OrAbsent[str], None),  # type: ignore[misc]
    }
    page = create_model(
        f"Page_of_{collection.key}",
        __base__=Closed,
        __doc__="A page of rows, and where there are more, the cursor to go on with.",
        **shown,
    )

    def run(actor: Actor, args: Any) -> BaseModel:
        found, cursor = list_rows(collection, actor, args)
        return page(**{collection.key: list(collection.show(found)), "next_cursor": cursor})

    _name(run, collection.lists, _describe_list(collection), arguments, page)
    resource(domain=collection.domain, shows=collection.domain != "control_plane")(run)


def _search_and_order(collection: Collection) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if collection.search:
        text = Annotated[str, Field(min_length=1, max_length=LONGEST_SEARCH)]
        fields["search"] = (Maybe[text], None)  # type: ignore[misc]
    fields["ordering"] = (Literal[tuple(collection.orderings)], collection.default)
    return fields


def _declare_one(collection: Collection) -> None:
    row_id: Any = Annotated[Id, IdOrName(collection.named)] if collection.named else Id
    fields: dict[str, Any] = {collection.id_field: (row_id, ...)}
    arguments = create_model(
        f"Read_{collection.one}", __base__=Closed, __doc__="Which row.", **fields
    )

    def run(actor: Actor, args: Any) -> BaseModel:
        public_id: str = getattr(args, collection.id_field)
        kind = collection.one.replace("_", " ")
        row = get_row(collection.single(actor), public_id, kind, f"/{collection.id_field}")
        return collection.show_one(row)

    words = f"`GET /api/v1/{collection.noun}/{{{collection.id_field}}}`: one of the list, whole."
    _name(run, collection.reads, words, arguments, collection.whole or collection.item)
    resource(domain=collection.domain, shows=collection.domain != "control_plane")(run)


def _name(run: Any, name: str, words: str, takes: type[BaseModel], gives: type[BaseModel]) -> None:
    """Give a function the name, words and types from which a tool is declared."""
    run.__name__, run.__doc__ = name, words
    run.__annotations__ = {"actor": Actor, "args": takes, "return": gives}


def _describe_list(collection: Collection) -> str:
    orders = ", ".join(f"`{name}`" for name in collection.orders)
    searched = ""
    if collection.search:
        searched = " Every word of `search` stands in one of the fields that are looked through."
    if collection.keep_found:
        searched = (
            " `search` takes words, which all must hit, and the operators of "
            f"`{collection.found_as}`."
        )
    return (
        f"`GET /api/v1/{collection.noun}`: {collection.words}\n\n"
        f"By {orders}, with `-` before it the other way round; `{collection.default}` unless "
        f"`ordering` says otherwise.{searched} Where there is more, `next_cursor` goes on from "
        "there; it belongs to this very query and keeps its place while rows come and go."
    )


def _search(collection: Collection, actor: Actor, rows: Any, text: str | None) -> Any:
    if text is None or collection.keep_found is None:
        return search_rows(rows, collection.search, text)
    try:
        return collection.keep_found(actor, rows, text)
    except DomainError as error:
        raise invalid("/search", error.message, error.accepted) from error


def list_rows(collection: Collection, actor: Actor, args: Any) -> tuple[Sequence[Any], str | None]:
    """Return a page of the rows that validated arguments ask for, and the cursor to go on with."""
    asked = args.model_dump(exclude_none=True, exclude={"limit", "cursor", "search", "ordering"})
    rows = filter_rows(collection.filters, asked, collection.listed(actor))
    rows = _search(collection, actor, rows, getattr(args, "search", None))
    order = collection.order_by(args.ordering)
    query = [collection.lists, args.model_dump(mode="json", exclude={"limit", "cursor"})]
    ordered = pages.rows_after(rows, order, args.cursor, query)
    return pages.take_ordered(list(ordered[: args.limit + 1]), args.limit, order, query)
