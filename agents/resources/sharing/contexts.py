"""Context entries: values that agents share under keys."""

from typing import Annotated, Any

from pydantic import RootModel

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, IdFilter, TextFilter, since
from agents.lists.pages import Order
from agents.models import Agent
from agents.models.mesh import ContextEntry
from agents.resources.collection import Collection, declare
from agents.resources.shapes import From, IdOf
from agents.resources.trust import Trust


class JsonValue(RootModel[Any]):
    """Any JSON value, as it was pushed, null among them."""


class ContextRow(Closed):
    """A context entry in a list: all but its value."""

    id: str
    key: str
    author_id: Annotated[str, IdOf(Agent)]
    # Whether every agent of the workspace may read it.
    is_open: bool
    ttl: OrAbsent[int] = None
    expires_at: OrAbsent[Moment] = None
    created_at: Moment
    updated_at: Moment
    trust: Trust = None


class WholeContext(ContextRow):
    """A context entry with its value."""

    value: Annotated[JsonValue, From("value", JsonValue)]


class ContextFilters(Filters):
    """Context entries by key, author and the time of the last change."""

    key = TextFilter(lookup_expr="exact")
    author_id = IdFilter(Agent.ID_PREFIX, "author")
    updated_since = since("updated_at")


declare(
    Collection(
        noun="contexts", one="context", domain="memory", rows=ContextEntry.objects.visible_to,
        item=ContextRow, whole=WholeContext, whole_columns=("text",), filters=ContextFilters,
        search=("key",), orders={"key": Order("key", "text"), "updated_at": Order("updated_at")},
        default="key", words="the context entries that the caller may read, without their values.",
    )
)  # fmt: skip
