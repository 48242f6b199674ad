"""What the workspace teaches: taxonomies, schemas to fill in, and policies for replies."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from agents.contracts.fields import Closed, Moment
from agents.lists.filters import Filters, TextFilter
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from inbox.actor import Actor
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy
from inbox.models.base import VisibleQuerySet


class Named(Closed):
    """What a workspace teaches, as of its version."""

    id: str
    name: str
    version: int
    updated_at: Moment


class Taught(Named):
    """The same with its text, which is YAML."""

    source: str


class NamedSchema(Named):
    """A JSON Schema of what to find in a message."""

    json_schema: dict[str, Any]


class NameFilters(Filters):
    """Rows by their name, without regard to case."""

    name = TextFilter()


def _name(row: Any) -> dict[str, Any]:
    return {
        "id": row.public_id, "name": row.name, "version": row.version,
        "updated_at": row.updated_at,
    }  # fmt: skip


def _named(rows: Sequence[Any]) -> list[Named]:
    return [Named(**_name(row)) for row in rows]


def _schemas(rows: Sequence[Any]) -> list[NamedSchema]:
    return [NamedSchema(**_name(row), json_schema=row.schema) for row in rows]


def _taught(row: Any) -> Taught:
    return Taught(**_name(row), source=row.source)


def _all(model: type[Taxonomy | ExtractionSchema | ReplyPolicy]) -> Callable[[Actor], Any]:
    def rows(actor: Actor) -> VisibleQuerySet[Any]:
        return model.objects.visible_to(actor)

    return rows


_taught_collection = partial(
    Collection, domain="inbox", filters=NameFilters, search=("name",), default="-updated_at",
    orders={"updated_at": Order("updated_at"), "name": Order("name", "text")},
)  # fmt: skip

declare(
    _taught_collection(
        noun="taxonomies", one="taxonomy", named=Taxonomy.ID_PREFIX,
        rows=_all(Taxonomy), item=Named, shapes=_named,
        whole=Taught, whole_shape=_taught, words="the taxonomies that `triage_message` takes.",
    )
)  # fmt: skip
declare(
    _taught_collection(
        noun="policies", one="policy", named=ReplyPolicy.ID_PREFIX,
        rows=_all(ReplyPolicy), item=Named, shapes=_named,
        whole=Taught, whole_shape=_taught,
        words="the policies that `draft_reply_with_policy` takes.",
    )
)  # fmt: skip
declare(
    _taught_collection(
        noun="schemas", one="schema", named=ExtractionSchema.ID_PREFIX,
        rows=_all(ExtractionSchema), item=NamedSchema,
        shapes=_schemas, words="the schemas that `extract_to_schema` takes.",
    )
)  # fmt: skip
