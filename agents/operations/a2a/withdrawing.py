"""An agent takes back what it proposed, before a person has decided."""

from django.db import transaction

from agents import receipts
from agents.approval.status import lock, void
from agents.models import Approval, ApprovalState
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.reasons import say


def withdraw_proposal(*, approval: Approval, by: Actor) -> bool:
    """End what waits, as the agent that proposed it; return False where nothing waits any more."""
    with transaction.atomic():
        current = lock(approval)
        if current.state != ApprovalState.WAITING:
            return False
        why = say("agent_withdrew")
        void(current, [why])
        entry = ReceiptEntry(
            tool="withdraw_proposal", arguments={"approval_id": current.public_id}, reason=why,
            approval=current.public_id,
        )  # fmt: skip
        receipts.record(by, entry)
    return True
