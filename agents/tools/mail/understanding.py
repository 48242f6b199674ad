"""The tools of the mail contract that make something of a message."""

from typing import Any, Literal

from agents.contracts import Effect, ToolError, tool
from agents.contracts.fields import Closed, OrAbsent
from agents.dispatching.rows import get_message, get_row
from agents.tools.shapes import Confidence, Id, SchemaId, TaxonomyId
from inbox.actor import Actor
from inbox.extract import SchemaError
from inbox.models import ExtractionSchema, Taxonomy
from inbox.understanding import understanding_of


class TriageMessage(Closed):
    """Which message, by which taxonomy."""

    message_id: Id
    taxonomy_id: TaxonomyId


class TriageResult(Closed):
    """What the message is about, and where it goes."""

    intent: str
    urgency: Literal["low", "medium", "high"]
    sentiment: Literal["negative", "neutral", "positive"]
    confidence: Confidence
    suggested_route: OrAbsent[str] = None


@tool(
    family="mail",
    domain="inbox",
    effect=Effect.READ,
    example={"message_id": "msg_8fXoQ2mKpL", "taxonomy_id": "tax_8fXoQ2mKpL"},
)
def triage_message(actor: Actor, args: TriageMessage) -> TriageResult:
    """Find a message's intent by a taxonomy, with its urgency, its sentiment and where it goes.

    By rules; `confidence` is lower where little speaks for the intent, or another is close.
    """
    message = get_message(actor, args.message_id)
    rows = Taxonomy.objects.visible_to(actor)
    taxonomy = get_row(rows, args.taxonomy_id, "taxonomy", "/taxonomy_id")
    answer = understanding_of(message.workspace_id).triage(message, taxonomy)
    found = answer.value
    return TriageResult(
        intent=found.intent,
        urgency=found.urgency,
        sentiment=found.sentiment,
        confidence=answer.confidence,
        suggested_route=found.suggested_route or None,
    )


class ExtractToSchema(Closed):
    """Which message, and what to find in it."""

    message_id: Id
    schema_id: SchemaId


class Extracted(Closed):
    """What was found, how surely, and what was not."""

    data: dict[str, Any]
    confidence: Confidence
    missing_fields: OrAbsent[list[str]] = None
    validation_errors: OrAbsent[list[str]] = None


@tool(
    family="mail",
    domain="inbox",
    effect=Effect.READ,
    example={"message_id": "msg_8fXoQ2mKpL", "schema_id": "sch_8fXoQ2mKpL"},
)
def extract_to_schema(actor: Actor, args: ExtractToSchema) -> Extracted:
    """Find in a message what a stored JSON Schema asks for, and validate it; nothing is made up.

    `missing_fields` are the required ones that were not found, `validation_errors` what of the data
    is not as the schema wants it.
    """
    message = get_message(actor, args.message_id)
    rows = ExtractionSchema.objects.visible_to(actor)
    stored = get_row(rows, args.schema_id, "schema", "/schema_id")
    try:
        answer = understanding_of(message.workspace_id).extract(message, stored.schema)
    except SchemaError as error:
        raise ToolError("conflict", f"The schema {stored.name} cannot be used: {error}") from error
    found = answer.value
    return Extracted(
        data=found.data,
        confidence=answer.confidence,
        missing_fields=list(found.missing_fields),
        validation_errors=list(found.validation_errors),
    )
