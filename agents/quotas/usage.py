"""How much of its quotas an agent has used, for those who look after it."""

from typing import NamedTuple

from django.utils import timezone

from agents.models import Agent, QuotaUse
from agents.quotas.counting import used
from agents.quotas.rules import all_quotas, say_span
from inbox.actor import Actor
from inbox.reasons import ReasonText


class QuotaUsage(NamedTuple):
    """A quota of an agent: what it counts, in how long, how much at most, and how much was used.

    Of texts that were read some are counted twice until the quota is used up.
    """

    what: str
    span: ReasonText
    most: int
    used: int

    @property
    def is_used_up(self) -> bool:
        """Whether more waits for a person."""
        return self.used >= self.most


def read_usage(actor: Actor, agent: Agent) -> list[QuotaUsage]:
    """Return an agent's own quotas in two queries; `actor` is who looks."""
    within, now = actor.within(agent.workspace_id), timezone.now()
    rows = QuotaUse.objects.visible_to(within).filter(per="agent", subject=str(agent.pk))
    counts = {(row.what, row.seconds): row.amount or used(row, now) for row in rows}
    return [
        QuotaUsage(
            quota.what, say_span(quota), quota.most or 0, counts.get((quota.what, quota.seconds), 0)
        )
        for quota in all_quotas(within)
        if quota.per == "agent"
    ]
