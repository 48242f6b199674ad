"""The receipt that says of a proposal that it was planted, once it does not wait any more."""

from typing import Any

from django.utils import timezone

from agents import receipts
from agents.models import Approval, PlantedItem
from agents.receipts import ReceiptEntry
from inbox.actor import Actor, system_actor
from inbox.reasons import ReasonText, say

TOOL = "tell_planted"


def tell(current: Approval, actor: Actor, words: ReasonText, **arguments: Any) -> None:
    """Write the receipt of a locked approval that was planted, and that it is written."""
    given = {"approval_id": current.public_id} | arguments
    entry = ReceiptEntry(tool=TOOL, arguments=given, approval=current.public_id, reason=words)
    receipts.record(actor, entry)
    note_told(current)


def tell_undecided(current: Approval) -> None:
    """Write it of one that is over and that no person decided on; do nothing of a real one."""
    if current.planted_item is not None:
        tell(current, system_actor(current.workspace_id, "Chancery"), say("planted_undecided"))


def note_told(current: Approval) -> None:
    """Note that it is written, by which it is looked for no more."""
    item: PlantedItem = current.planted_item
    item.told_at = timezone.now()
    item.save(update_fields=["told_at"])
