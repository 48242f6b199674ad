"""What a person writes themselves: sealed as an agent's is, shown to them once more, and sent.

It goes through the same plan, seal and approval. Until its writer sends it, it waits for them
alone; where a policy wants two persons, it then waits for another.
"""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from agents import receipts
from agents.approval import closing
from agents.approval.pending import store
from agents.approval.plan import Plan
from agents.approval.status import ApprovalError, check_person, decides_in, lock
from agents.contracts import REGISTRY, Effect
from agents.dispatching import dispatch
from agents.dispatching.canonical import CallArguments
from agents.models import Agent, Approval, ApprovalState, Decision, HeldBy, Outcome
from agents.quotas.proposals import Standing
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.reasons import say

_LONGEST_NAME = 60


def propose_own(
    *, by: User, workspace_id: int, tool: str, arguments: dict[str, Any],
    plan: Callable[[Actor], Plan[Any]],
) -> Approval:  # fmt: skip
    """Seal what a person wrote into an approval that waits for them; `plan` makes what it would do.

    `arguments` are those of the tool by which it is resumed. Raises ToolError, DomainError, and
    ApprovalError for whoever may not decide there.
    """
    if not decides_in(workspace_id, by):
        raise ApprovalError("not_allowed", say("not_a_decider"))
    person = Actor("person", by.pk, by.get_username(), (workspace_id,))
    stored, declared = CallArguments.of(arguments), REGISTRY.tool(tool)
    REGISTRY.read_arguments(declared, arguments)
    reason = say("writes_own", person=by.get_username())
    with transaction.atomic():
        sealed = plan(person).seal()
        entry = ReceiptEntry(tool, stored, reason, decision=Decision.HOLD)
        receipt = receipts.open_receipt(person, entry)
        approval = store(
            declared, person, sealed, arguments=stored, receipt=receipt, proposal="",
            standing=Standing(HeldBy.WRITER, reason), agent=stand_in_of(by, workspace_id),
        )  # fmt: skip
        receipts.close(receipt, outcome=Outcome.HELD, approval=approval.public_id)
        for other in sealed.further if sealed else ():
            receipt = receipts.open_receipt(person, entry)
            further = store(
                declared, person, other, arguments=stored, receipt=receipt, proposal="",
                standing=Standing("", reason), agent=approval.agent,
            )  # fmt: skip
            receipts.close(receipt, outcome=Outcome.HELD, approval=further.public_id)
    return approval


def do_or_propose(
    *, by: User, workspace_id: int, tool: str, arguments: dict[str, Any]
) -> Approval | None:
    """Do as a person what a tool does; what reaches others is sealed, and returned to be sent.

    None: it is done, with its receipt. Raises ToolError, DomainError and ApprovalError.
    """
    declared = REGISTRY.tool(tool)
    person = Actor("person", by.pk, by.get_username(), (workspace_id,))
    # Only what plans can be asked what it would do; the rest would be done by asking.
    if declared.plan is not None:
        planned = declared.run(person, REGISTRY.read_arguments(declared, arguments))
        if declared.effect is Effect.SEND or planned.needs_person is not None:
            return propose_own(
                by=by, workspace_id=workspace_id, tool=tool, arguments=arguments,
                plan=lambda _: planned,
            )  # fmt: skip
    dispatch.call(tool, arguments, person)
    return None


def withdraw_own(*, approval: Approval, by: User) -> Approval:
    """Put a person's own message back among their drafts, before they have sent it.

    Raises ApprovalError `not_allowed` for another's, and `not_waiting` where it is over.
    """
    check_person(approval, by)
    with transaction.atomic():
        current = lock(approval)
        if current.state != ApprovalState.WAITING:
            raise ApprovalError("not_waiting", say("already", status=current.state))
        if current.agent.person_id != by.pk:
            raise ApprovalError("not_allowed", say("anothers_own"))
        return closing.take_back(current, by, say("back_to_draft"))


def stand_in_of(by: User, workspace_id: int) -> Agent:
    """Return what stands in for a person where their own messages wait; made where it is not."""
    found = Agent.objects.filter(workspace_id=workspace_id, person=by).first()
    if found is not None:
        return found
    name = by.get_username()
    if len(name) > _LONGEST_NAME or Agent.objects.filter(workspace_id=workspace_id, name=name):
        name = f"{name[:_LONGEST_NAME]} (person {by.pk})"
    made: Agent = Agent.objects.get_or_create(
        workspace_id=workspace_id, person=by, defaults={"name": name, "created_by": by}
    )[0]
    return made
