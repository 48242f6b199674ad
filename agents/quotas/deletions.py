"""The quota on what agents delete."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.contracts import Effect, Tool
from agents.quotas.counting import Count, Countable, lock_counts
from agents.quotas.rules import quotas_of, say_span
from inbox.actor import Actor
from inbox.reasons import ReasonText, say


def lock_deletions(tool: Tool, actor: Actor, arguments: Mapping[str, Any]) -> list[Count]:
    """Return the counts against which a call of an agent deletes; none where it deletes nothing.

    A deletion counts for the account that the call names.
    """
    if actor.kind != "agent" or not _deletes(tool):
        return []
    subjects = {"agent": str(actor.id), "account": arguments.get("account_id")}
    quotas = ((quota, subjects[quota.per]) for quota in quotas_of(actor, "deletions"))
    return lock_counts(actor, [Countable(quota, it) for quota, it in quotas if it])


def find_brake(counts: Sequence[Count]) -> ReasonText | None:
    """Return why another deletion waits for a person, where it would be one too many."""
    over = next((one for one in counts if one.is_over), None)
    if over is None:
        return None
    quota = over.wanted.quota
    return say("over_deletions", count=quota.most, span=say_span(quota))


def _deletes(tool: Tool) -> bool:
    return tool.effect is Effect.DESTROY and tool.family != "resource"
