"""What quotas hold: a person lets it into the queue or rejects it, one or all of an agent's."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import transaction

from agents import receipts
from agents.approval import closing
from agents.approval.status import ApprovalError, check_person, lock, person_actor
from agents.models import QUOTAS, Agent, Approval, ApprovalState
from agents.receipts import ReceiptEntry
from inbox.operations.batched import in_chunks
from inbox.reasons import ReasonText, say

# So many are locked and decided in one transaction.
AT_ONCE = 20


def release(*, approval: Approval, by: User) -> Approval:
    """Let one proposal that a quota holds into the queue; one that is there already stays there.

    Raises ApprovalError `not_allowed`, or `not_waiting` where it is over.
    """
    check_person(approval, by, even_proposer=True)
    with transaction.atomic():
        current = lock(approval)
        if current.state != ApprovalState.WAITING:
            raise ApprovalError("not_waiting", say("already", status=current.state))
        _release(current, by)
    approval.refresh_from_db()
    return approval


def release_all(*, agent: Agent, by: User) -> int:
    """Let all of an agent's that quotas hold into the queue; return how many there were."""
    return _each(agent, by, _release)


def reject_all(*, agent: Agent, by: User, reason: ReasonText) -> int:
    """Reject all of an agent's that quotas hold; return how many there were."""

    def refuse(current: Approval, by: User) -> None:
        closing.refuse(current, by, reason)

    return _each(agent, by, refuse)


def _each(agent: Agent, by: User, decide: Callable[[Approval, User], None]) -> int:
    """Decide each that is held now, a few in a transaction; raises ApprovalError `not_allowed`."""
    rows = Approval.objects.filter(workspace_id=agent.workspace_id, agent=agent).over_quota()
    held = list(rows.only("workspace_id", "submission_id").order_by("pk"))
    for approval in held[:1]:
        check_person(approval, by, even_proposer=True)
    decided = 0
    for chunk in in_chunks(held, AT_ONCE):
        with transaction.atomic():
            # All locks come before the first receipt: whoever waits for that holds one at most.
            for current in [lock(approval) for approval in chunk]:
                if current.state == ApprovalState.WAITING and current.held_by:
                    decide(current, by)
                    decided += 1
    return decided


def _release(current: Approval, by: User) -> None:
    if current.held_by not in QUOTAS:
        return
    Approval.objects.filter(pk=current.pk).update(held_by="")
    entry = ReceiptEntry(
        tool="release", arguments={"approval_id": current.public_id}, approval=current.public_id,
        reason=say("released", person=by.get_username()),
    )  # fmt: skip
    receipts.record(person_actor(current, by), entry)
