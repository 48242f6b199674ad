"""Whether an agent has called yet, by its receipts, and what of it waits for a person."""

from dataclasses import dataclass

from agents.models import Agent, Approval, ApprovalState, Receipt, Token
from inbox.actor import Actor

# More than these are not counted.
MOST = 99


@dataclass(frozen=True, slots=True)
class FirstCall:
    """The first receipt of an agent, if there is one, and how many of its proposals wait.

    `is_connected`: a token of it was used, though it may have called no tool.
    """

    receipt: Receipt | None
    waiting: int
    is_connected: bool


def look_for_call(person: Actor, agent: Agent) -> FirstCall:
    """Return what an agent did first: whether it was allowed does not matter, it has arrived."""
    actor = person.within(agent.workspace_id)
    receipts = Receipt.objects.visible_to(actor).filter(actor=f"agent:{agent.pk}")
    waiting = Approval.objects.visible_to(actor).filter(agent=agent, state=ApprovalState.WAITING)
    used = Token.objects.visible_to(actor).filter(agent=agent, last_used_at__isnull=False)
    return FirstCall(
        receipts.order_by("pk").first(), len(waiting.values_list("pk")[:MOST]), used.exists()
    )
