"""The receipt of what a person did, and whose words a text holds after it."""

from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from agents import receipts
from agents.evidence.refs import Ref
from agents.models import Origin, Provenance, Receipt
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.reasons import say


def record_by_hand(
    actor: Actor, tool: str, arguments: dict[str, Any], result: Any = None
) -> Receipt:
    """Write the receipt of what a person did, in the caller's transaction."""
    entry = ReceiptEntry(tool, arguments, say("done_by", person=actor.name), result=result)
    return receipts.record(actor, entry)


def note_own_words(actor: Actor, receipt: Receipt, refs: Iterable[Ref]) -> None:
    """Note that texts are a person's own words from now on, in the caller's transaction."""
    now = timezone.now()
    for ref in refs:
        Provenance.objects.update_or_create(
            kind=ref.kind, object_id=ref.key,
            defaults={
                "workspace_id": actor.workspace_id, "origin": Origin.OWNER, "author": actor.key,
                "derived_from": [], "receipt": receipt, "written_at": now,
                "raised_by": actor.key, "raised_at": now, "raise_receipt": receipt,
            },
        )  # fmt: skip
