"""In the end a receipt says of each planted item that it was planted, whatever ended it."""

from django.db import transaction

from agents.approval.status import TELL, lock, note_told, tell_undecided
from agents.models import Approval, ApprovalState, PlantedItem, Receipt

_AT_ONCE = 200


def tell_due() -> int:
    """Write it of all that are over, however they ended, and have none; return how many.

    What ends an item writes it at once. This is for what ended otherwise, as by a hand in the
    database, or before receipts told of it.
    """
    told = 0
    over = PlantedItem.objects.filter(told_at=None).exclude(approval__state=ApprovalState.WAITING)
    for item in over.select_related("approval").order_by("planted_at")[:_AT_ONCE]:
        with transaction.atomic():
            current = lock(item.approval)
            told += _tell_once(current)
    return told


def _tell_once(current: Approval) -> bool:
    item = current.planted_item
    if item is None or item.told_at or current.state == ApprovalState.WAITING:
        return False
    if Receipt.objects.filter(approval=current.public_id, tool=TELL).exists():
        # Of a time before it was noted that it is written.
        note_told(current)
        return False
    tell_undecided(current)
    return True
