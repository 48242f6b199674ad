"""The quota on what agents propose: what is over it waits beside the queue."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agents.approval.plan import SealedMail
from agents.dispatching.canonical import digest
from agents.models import Approval, HeldBy
from agents.quotas.counting import Countable, add, lock_counts
from agents.quotas.rules import quotas_of, say_span
from inbox.actor import Actor
from inbox.policies.quotas import Quota
from inbox.reasons import ReasonText, say

_OVER = {"agent": "over_of_agent", "account": "over_of_account", "recipient": "over_of_recipient"}


class Standing(NamedTuple):
    """Whose quota holds a proposal, and why it waits; `held_by` is empty where none does."""

    held_by: str
    reason: ReasonText


def count_proposal(actor: Actor, sealed: SealedMail | None, reason: ReasonText) -> Standing:
    """Count a proposal with all of its messages, unless it is over a quota and so is held.

    Where others of the agent are held, it goes behind them. `reason` is why it waits at all.
    """
    mails = [sealed, *sealed.further] if sealed else []
    counts = lock_counts(actor, list(_countable(actor, quotas_of(actor, "proposals"), mails)))
    over = next((one for one in counts if one.is_over), None)
    if over is not None:
        quota = over.wanted.quota
        reason = say(_OVER[quota.per], count=quota.most, span=say_span(quota))
        return Standing(quota.per, reason)
    before = Approval.objects.visible_to(actor).over_quota().filter(agent_id=actor.id)
    if before.filter(held_by=HeldBy.AGENT).exists():
        return Standing(HeldBy.AGENT, say("over_behind"))
    add(counts)
    return Standing("", reason)


def _countable(
    actor: Actor, quotas: Sequence[Quota], mails: Sequence[SealedMail]
) -> Iterator[Countable]:
    subjects = {
        "agent": Counter({str(actor.id): max(len(mails), 1)}),
        "account": Counter(str(mail.submission.account_id) for mail in mails),
        "recipient": Counter(
            digest(email.lower()) for mail in mails for email in set(mail.submission.envelope_to)
        ),
    }
    for quota in quotas:
        for subject, amount in subjects[quota.per].items():
            yield Countable(quota, subject, amount)
