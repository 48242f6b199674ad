"""What the flows of a policy say of what a call would do.

What a message says is judged where it is sealed, by `agents.approval.checks.risks`.
"""

from collections.abc import Iterable
from typing import Any

from agents.approval.plan import Plan
from agents.contracts import Effect, Tool, ToolError
from agents.contracts.flags import flag_shapes
from agents.models import Approval
from inbox.actor import Actor
from inbox.flags import OF_CALLS, Finding, Flag, collect, found, read_flags
from inbox.models import ReplyPolicy
from inbox.policies.flows import FlowRule, find_hold, judge, strictest
from inbox.policies.policy import read_policy
from inbox.reasons import ReasonText, say

_DELETES = found("destroys", "deletes")


def judge_tool(tool: Tool, actor: Actor) -> tuple[tuple[Flag, ...], ReasonText | None]:
    """Return what `judge_call` does of a call by its tool alone: whether it deletes something.

    What an agent has of its own, its drafts and exchange folder, is not meant.
    """
    deletes = tool.effect is Effect.DESTROY and tool.family != "resource"
    return judge_call(actor, [_DELETES] if deletes else [])


def judge_call(
    actor: Actor, findings: Iterable[Finding]
) -> tuple[tuple[Flag, ...], ReasonText | None]:
    """Return the flags of what an agent's call does, and why it waits; None: it need not.

    Raises ToolError `policy_blocked` where a policy forbids it.
    """
    flags = collect(findings)
    if actor.kind != "agent" or not flags:
        return (), None
    policy = ReplyPolicy.objects.visible_to(actor).order_by("id").first()
    rules = strictest([(policy.name, read_policy(policy.source).fields.flows)] if policy else [])
    judged = judge(rules, flags)
    _refuse_blocked(judged)
    held = find_hold(rules, judged)
    return tuple(judged), _why(held) if held else None


def check_as_shown(actor: Actor, plan: Plan[Any], approval: Approval) -> None:
    """Refuse an approved call that is forbidden by now, or no more what the person was shown.

    Raises ToolError: `policy_blocked`, or `conflict`.
    """
    findings = set(plan.touches)
    flags, _ = judge_call(actor, findings)
    shown = {
        one for flag in read_flags(approval.risk_flags) for one in flag.findings
        if flag.flag in OF_CALLS - {_DELETES.flag}
    }  # fmt: skip
    if shown - findings or {one for flag in flags for one in flag.findings} - shown:
        raise ToolError("conflict", say("does_otherwise"))


def _refuse_blocked(flags: Iterable[Flag]) -> None:
    blocked = [flag for flag in flags if flag.flag == "policy_blocked"]
    if blocked:
        shapes = [shape.model_dump(exclude_none=True) for shape in flag_shapes(blocked)]
        raise ToolError("policy_blocked", " ".join(blocked[0].reasons), {"risk_flags": shapes})


def _why(rule: FlowRule) -> ReasonText:
    if rule.policy:
        return say("flow_held", policy=rule.policy, rule=rule.words)
    return say("flow_held_unless", rule=rule.words)
