"""Context entries: values that agents share under keys."""

from collections.abc import Sequence
from typing import Any

from pydantic import RootModel

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, IdFilter, TextFilter, since
from agents.lists.pages import Order
from agents.models import Agent
from agents.models.mesh import ContextEntry
from agents.resources.collection import Collection, declare
from inbox import ids
from inbox.actor import Actor
from inbox.models.base import VisibleQuerySet


class JsonValue(RootModel[Any]):
    """Any JSON value, as it was pushed, null among them."""


class ContextRow(Closed):
    """A context entry in a list: all but its value."""

    id: str
    key: str
    author_id: str
    # Whether every agent of the workspace may read it.
    is_open: bool
    ttl: OrAbsent[int] = None
    expires_at: OrAbsent[Moment] = None
    created_at: Moment
    updated_at: Moment


class WholeContext(ContextRow):
    """A context entry with its value."""

    value: JsonValue


class ContextFilters(Filters):
    """Context entries by key, author and the time of the last change."""

    key = TextFilter(lookup_expr="exact")
    author_id = IdFilter(Agent.ID_PREFIX, "author")
    updated_since = since("updated_at")


def _listed(actor: Actor) -> VisibleQuerySet[Any]:
    return ContextEntry.objects.visible_to(actor).defer("text")


def _whole_rows(actor: Actor) -> VisibleQuerySet[Any]:
    return ContextEntry.objects.visible_to(actor)


def _shapes(rows: Sequence[ContextEntry]) -> list[ContextRow]:
    return [ContextRow(**_fields(row)) for row in rows]


def _whole(row: ContextEntry) -> WholeContext:
    return WholeContext(**_fields(row), value=JsonValue(row.value))


def _fields(row: ContextEntry) -> dict[str, Any]:
    same = ("key", "is_open", "ttl", "expires_at", "created_at", "updated_at")
    return {
        "id": row.public_id,
        "author_id": ids.encode(Agent.ID_PREFIX, row.author_id),
        **{name: getattr(row, name) for name in same},
    }


declare(
    Collection(
        noun="contexts", one="context", domain="memory", rows=_listed, item=ContextRow,
        shapes=_shapes, whole=WholeContext, whole_shape=_whole, whole_rows=_whole_rows,
        filters=ContextFilters, search=("key",),
        orders={"key": Order("key", "text"), "updated_at": Order("updated_at")}, default="key",
        words="the context entries that the caller may read, without their values.",
    )
)  # fmt: skip
