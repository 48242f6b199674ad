"""What there is of a kind, a page at a time."""

from collections.abc import Sequence
from typing import Any

from agents.directory.kinds import Kind
from agents.lists import pages
from agents.lists.filters import search_rows
from agents.lists.pages import Order
from inbox.actor import Actor

_ORDER = Order("id", "number")


def list_kind(
    actor: Actor, kind: Kind, *, search: str | None, cursor: str | None, limit: int
) -> tuple[list[dict[str, Any]], str | None]:
    """Return rows that the actor may see, the first made first, and the cursor to go on with.

    `search` keeps those with each of its words in a name. Raises ToolError for a search without
    words and for a cursor of another query.
    """
    query = ["look_around", kind.plural, search]
    found = search_rows(kind.rows(actor), kind.names, search)
    ordered = pages.rows_after(kind.shown(found, actor), _ORDER, cursor, query)
    rows: Sequence[Any] = list(ordered[: limit + 1])
    page, after = pages.take_ordered(rows, limit, _ORDER, query)
    return [kind.describe(row) for row in page], after
