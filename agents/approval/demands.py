"""What policies want of whoever approves what waits: two persons, a fresh sign-in, no batch."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Min, Q
from django.utils import timezone

from agents import receipts
from agents.approval.due import check_due
from agents.approval.status import ApprovalError, decides_in, person_actor, publish_change
from agents.contracts import REGISTRY, Effect
from agents.errors import ToolError
from agents.models import Approval, HeldBy
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.flags import read_flags
from inbox.models import ReplyPolicy
from inbox.policies import read_policy
from inbox.policies.deciding import DecisionRule
from inbox.policies.demands import Demands, demand
from inbox.prepared import Prepared, padded
from inbox.reasons import ReasonText, say


def read_demands(actor: Actor, approvals: Iterable[Approval]) -> dict[int, Demands]:
    """Return what is wanted of each by the draft's policy and its workspace's first, by its key.

    As the policies are now. In one query, with the drafts read along.
    """
    approvals = list(approvals)
    check_due(approvals)
    named = {one.pk: _own_policy(one) for one in approvals}
    places = sorted({one.workspace_id for one in approvals})
    own_keys = sorted({key for key in named.values() if key is not None})
    rows = _STATED.rows(actor=actor, places=padded(places), keys=padded(own_keys))
    stated: list[ReplyPolicy] = list(rows)
    firsts = {one.workspace_id: one for one in sorted(stated, key=lambda it: -it.pk)}
    own = {one.pk: one for one in stated}
    demands: dict[int, Demands] = {}
    for one in approvals:
        both = (own.get(named[one.pk] or 0), firsts.get(one.workspace_id))
        demands[one.pk] = _demand(one, dict.fromkeys(filter(None, both)))
    return demands


def _stated(*, actor: Actor, places: tuple[int, ...], keys: tuple[int, ...]) -> list[Any]:
    rows = ReplyPolicy.objects.visible_to(actor)
    there = rows.filter(workspace_id__in=places).order_by()
    first = there.values("workspace_id").annotate(first=Min("pk")).values("first")
    return [rows.filter(Q(pk__in=first) | Q(pk__in=keys))]


_STATED = Prepared(_stated)


def _own_policy(approval: Approval) -> int | None:
    submission = approval.submission
    return submission.draft.policy_id if submission else None


def _demand(approval: Approval, stated: Iterable[ReplyPolicy]) -> Demands:
    rules = [(row.name, _rules(row)) for row in stated]
    if not any(one for _name, one in rules):
        return Demands()
    draft = approval.submission.draft if approval.submission else None
    flags = {flag.flag for flag in read_flags(approval.risk_flags)}
    return demand(
        rules, kinds_of(approval), flags, f"{draft.subject}\n{draft.body}" if draft else ""
    )


def _rules(policy: ReplyPolicy) -> list[DecisionRule]:
    """Return a policy's rules; what cannot be read any more allows no batch."""
    try:
        return read_policy(policy.source).fields.decisions
    except ValueError:
        return [DecisionRule(batch="never")]


def kinds_of(approval: Approval) -> frozenset[str]:
    """Return what it is, as rules name it: perhaps both a meeting and a deletion."""
    submission = approval.submission
    try:
        tool = REGISTRY.tool(approval.tool)
    except ToolError:
        # One of a version before, which is approved no more.
        return frozenset({"change"})
    found = {
        "meeting": tool.domain == "calendar" or bool(submission and submission.draft.calendar),
        "share": tool.domain == "storage" and tool.effect is Effect.SEND,
        "deletion": tool.effect is Effect.DESTROY,
        "reading": tool.effect is Effect.READ,
    }
    kinds = frozenset(kind for kind, holds in found.items() if holds)
    if submission is not None and "meeting" not in kinds:
        return kinds | {"message"}
    return kinds or frozenset({"change"})


def note_first(current: Approval, by: User, demands: Demands) -> bool:
    """Note this person's word on a locked approval that two have to approve; False: no more to do.

    True: it waits for another person still. Who approved first counts as long as they may decide.
    Raises ApprovalError `not_allowed` for the same person once more.
    """
    first = current.first_approver
    if not demands.second:
        return False
    if first is not None and decides_in(current.workspace_id, first):
        if first == by:
            raise ApprovalError("not_allowed", say("wants_another"))
        return False
    current.first_approver, current.first_approved_at = by, timezone.now()
    if current.held_by == HeldBy.WRITER:
        # From now on it is the others' to decide on, in the queue.
        current.held_by = ""
    current.save(update_fields=["first_approver", "first_approved_at", "held_by"])
    publish_change(current, "approved_first")
    receipts.record(
        person_actor(current, by),
        ReceiptEntry(
            tool="approve_first", approval=current.public_id,
            arguments={"approval_id": current.public_id, "sha256": current.sha256},
            reason=say("approved_first", person=by.get_username(), tool=current.tool,
                       policy=demands.named),
        ),
    )  # fmt: skip
    return True


def why_approved(current: Approval, by: User) -> ReasonText:
    """Return what the receipt of an approval says."""
    person, first = by.get_username(), current.first_approver
    if first is None or first == by:
        return say("person_approved", person=person, tool=current.tool)
    return say("approved_second", person=person, tool=current.tool, first=first.get_username())


def refuse_unless_fresh(edited: Approval, by: User) -> None:
    """Raise ApprovalError `flagged` for an edited message that wants a fresh sign-in."""
    if edited.risk_flags:
        raise ApprovalError("flagged", say("edit_flagged"))
    demands = read_demands(person_actor(edited, by), [edited])[edited.pk]
    if demands.fresh:
        raise ApprovalError("flagged", say("wants_fresh", policy=demands.named))
