"""What the workspace teaches: taxonomies, schemas to fill in, and policies for replies."""

from functools import partial
from typing import Annotated, Any

from agents.contracts.fields import Closed, Moment
from agents.lists.filters import Filters, TextFilter
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from agents.resources.shapes import From
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy


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

    json_schema: Annotated[dict[str, Any], From("schema")]


class NameFilters(Filters):
    """Rows by their name, without regard to case."""

    name = TextFilter()


_taught_collection = partial(
    Collection, domain="inbox", filters=NameFilters, search=("name",), default="-updated_at",
    orders={"updated_at": Order("updated_at"), "name": Order("name", "text")},
)  # fmt: skip

declare(
    _taught_collection(
        noun="taxonomies", one="taxonomy", named=Taxonomy.ID_PREFIX,
        rows=Taxonomy.objects.visible_to, item=Named, whole=Taught,
        words="the taxonomies that `triage_message` takes.",
    )
)  # fmt: skip
declare(
    _taught_collection(
        noun="policies", one="policy", named=ReplyPolicy.ID_PREFIX,
        rows=ReplyPolicy.objects.visible_to, item=Named, whole=Taught,
        words="the policies that `draft_reply_with_policy` takes.",
    )
)  # fmt: skip
declare(
    _taught_collection(
        noun="schemas", one="schema", named=ExtractionSchema.ID_PREFIX,
        rows=ExtractionSchema.objects.visible_to, item=NamedSchema,
        words="the schemas that `extract_to_schema` takes.",
    )
)  # fmt: skip
