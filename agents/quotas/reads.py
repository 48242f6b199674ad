"""The quota on what agents read: texts that were shown, each once."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from agents.contracts import Effect, Tool
from agents.dispatching.canonical import digest
from agents.dispatching.statements import count_up_reads
from agents.models import Approval, ApprovalState, ReceiptHead
from agents.quotas.counting import Countable, lock_counts
from agents.quotas.rules import quotas_of, say_span
from agents.quotas.texts_read import foreign_texts, texts_read_since
from agents.receipts import own_since
from inbox.actor import Actor
from inbox.policies.quotas import Quota
from inbox.reasons import ReasonText, say

# By which all that an agent would read on is one proposal.
READ_ON = digest("read on")


class Counted(NamedTuple):
    """What counting came to: why a person is asked first, if one is; then nothing is counted.

    `head` is the end of the chain of receipts, which nobody else moves on, where it came along.
    """

    brake: ReasonText | None = None
    head: ReceiptHead | None = None


def count_reads(
    tool: Tool, actor: Actor, shown: Sequence[str], policies: tuple[str, ...] | None = None
) -> Counted:
    """Count what an answer shows to an agent.

    `shown` are the public ids of the texts; `policies` as for `quotas_of`.
    """
    texts = foreign_texts(shown)
    if tool.effect is not Effect.READ or actor.kind != "agent" or not texts:
        return Counted()
    head = None
    for quota in quotas_of(actor, "reads", policies):
        most = quota.most or 0
        place = (actor.workspace_id, actor.id, quota.seconds)
        counted = count_up_reads(*place, len(texts), most)
        if not counted.is_counted and not _is_within(quota, actor, texts):
            return Counted(say("over_reads", count=most, span=say_span(quota)))
        head = counted.head or head
    return Counted(head=head)


def read_on(actor: Actor) -> None:
    """Have what an agent has read so far count no more, because a person let it read on."""
    quotas = quotas_of(actor, "reads")
    for one in lock_counts(actor, [Countable(quota, str(actor.id)) for quota in quotas]):
        one.row.amount, one.row.changed_at, one.row.anew_at = 0, one.now, one.now
        one.row.save(update_fields=["amount", "changed_at", "anew_at"])


def _is_within(quota: Quota, actor: Actor, texts: set[str]) -> bool:
    """Return True if fewer different texts were read than were counted, and set the count right.

    A text that is shown again is counted again, for that is cheap, until the count is over. While a
    person is asked whether the agent may read on, it waits.
    """
    one, most = lock_counts(actor, [Countable(quota, str(actor.id))])[0], quota.most or 0
    amount = one.row.amount + len(texts)
    if amount > most:
        if _is_asked(actor):
            return False
        since = one.now - timedelta(seconds=quota.seconds)
        since = max(since, one.row.anew_at or since)
        amount = len(texts | texts_read_since(actor, since, quota.seconds, own_since))
    if amount > most:
        return False
    one.row.amount, one.row.changed_at = amount, one.now
    one.row.save(update_fields=["amount", "changed_at"])
    return True


def _is_asked(actor: Actor) -> bool:
    rows = Approval.objects.visible_to(actor)
    return rows.filter(state=ApprovalState.WAITING, proposal_sha256=READ_ON).exists()
