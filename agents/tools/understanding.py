"""The tools of the mail contract that make something of a message."""

from typing import Literal

from agents.contracts import Effect, tool
from agents.fields import Closed, OrAbsent
from agents.rows import get_message, get_row
from agents.tools.shapes import Confidence, Id
from inbox.actor import Actor
from inbox.models import Taxonomy
from inbox.triage import read_taxonomy, triage


class TriageMessage(Closed):
    """Which message, by which taxonomy."""

    message_id: Id
    taxonomy_id: Id


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
    taxonomy: Taxonomy = get_row(rows, args.taxonomy_id, "taxonomy", "/taxonomy_id")
    found = triage(message, read_taxonomy(taxonomy.source))
    return TriageResult(
        intent=found.intent,
        urgency=found.urgency,
        sentiment=found.sentiment,
        confidence=found.confidence,
        suggested_route=found.suggested_route or None,
    )
