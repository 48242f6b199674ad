"""Which quotas count in a workspace, and how they are said."""

from functools import lru_cache

from django.conf import settings
from pydantic import BaseModel

from agents.dispatching.statements import policy_sources
from inbox.actor import Actor
from inbox.formats.yaml_source import read_source
from inbox.policies.quotas import DEFAULTS, Quota, What, in_force
from inbox.reasons import ReasonText, say
from inbox.reasons import phrase as _

# As long as the operator's number of deletions counts, where no policy says another.
_DELETIONS_WITHIN = "10m"
_UNITS = {"s": "span_seconds", "m": "span_minutes", "h": "span_hours", "d": "span_days"}
# One of a unit is said in the next smaller one.
_SMALLER = {"1m": "60s", "1h": "60m", "1d": "24h"}


class _Policy(BaseModel):
    """Of a policy, which was read whole when it was saved, the quotas alone."""

    quotas: list[Quota] = []


def quotas_of(actor: Actor, what: What, policies: tuple[str, ...] | None = None) -> list[Quota]:
    """Return the quotas on this in the actor's workspace.

    `policies` are what its policies say, in YAML, where that is known.
    """
    return [one for one in all_quotas(actor, policies) if one.what == what]


def all_quotas(actor: Actor, policies: tuple[str, ...] | None = None) -> tuple[Quota, ...]:
    """Return the quotas of the actor's workspace: those of all its policies, or ours."""
    sources = policy_sources(actor.workspace_id) if policies is None else policies
    return _in_force(sources, settings.DELETIONS_BEFORE_A_PERSON)


@lru_cache(maxsize=256)
def _in_force(sources: tuple[str, ...], deletions: int) -> tuple[Quota, ...]:
    """Return what counts by these policies; `deletions` is the operator's number, 0 for any."""
    title = _("a policy")
    given = [one for it in sources for one in read_source(it, _Policy, title).quotas]
    ours = [Quota(what="deletions", most=deletions or None, within=_DELETIONS_WITHIN)]
    return in_force(given, (*DEFAULTS, *ours))


def say_span(quota: Quota) -> ReasonText:
    """Return how long a quota's time is, in the unit in which it was written."""
    span = _SMALLER.get(quota.within, quota.within)
    return say(_UNITS[span[-1]], count=span[:-1])
