"""Who may do what: scopes, grants, the agent's standing, and which calls a person decides."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from agents.approval.plan import Plan
from agents.contracts import Effect, Tool
from agents.directory import gives_a_name, with_ids
from agents.dispatching.flows import judge_call, judge_tool
from agents.dispatching.statements import Standing, agent_status
from agents.models import AgentStatus, Decision
from inbox.actor import Actor
from inbox.flags import FLAGS, Flag
from inbox.reasons import ReasonText, say


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided of a call, why, and what a policy has the reviewer look at."""

    decision: Decision
    reason: ReasonText
    flags: tuple[Flag, ...] = ()

    @property
    def noted(self) -> ReasonText | None:
        """What the receipt says where it is done at once though it is flagged; None: it is not."""
        if not self.flags:
            return None
        titles = ", ".join(FLAGS[flag.flag].title for flag in self.flags)
        return ReasonText(*self.reason.reasons, *say("flow_flagged", flags=titles).reasons)


def decide(tool: Tool, actor: Actor, standing: Standing | None = None) -> Verdict:
    """Decide on a call before it is planned: allow it, hold it for a person, or deny it.

    `standing` is how the agent stands where its request has just said so. Raises ToolError
    `policy_blocked`.
    """
    refusal = may_act(tool, actor, standing)
    if refusal:
        return Verdict(Decision.DENY, refusal)
    if tool.effect is Effect.SEND:
        return Verdict(Decision.HOLD, say("leaves"))
    flags, reason = judge_tool(tool, actor)
    if reason is not None:
        return Verdict(Decision.HOLD, reason, flags)
    return Verdict(Decision.ALLOW, _allowed(tool.scope if tool.needs_scope else ""), flags)


@lru_cache(maxsize=256)
def _allowed(scope: str) -> ReasonText:
    return say("scope", scope=scope) if scope else say("needs_no_scope")


def decide_on_plan(decided: Verdict, plan: Plan[Any], actor: Actor) -> Verdict:
    """Decide on a call by what it would do, where it was allowed so far.

    Raises ToolError `policy_blocked`.
    """
    flags, held = judge_call(actor, plan.touches)
    decided = replace(decided, flags=(*decided.flags, *flags)) if flags else decided
    reason = held or plan.needs_person
    if decided.decision is not Decision.ALLOW or reason is None:
        return decided
    if actor.kind == "agent":
        return replace(decided, decision=Decision.HOLD, reason=reason)
    return Verdict(Decision.DENY, say("agents_propose")) if plan.sends else decided


def may_act(tool: Tool, actor: Actor, standing: Standing | None = None) -> ReasonText:
    """Return why the actor may not use the tool at all; empty where it may."""
    if actor.kind != "agent":
        return say("agents_propose") if tool.effect is Effect.SEND else ReasonText()
    if not tool.opens_to(actor.scopes):
        return say("lacks_scope", scope=tool.scope)
    if not tool.opens_to(actor.scopes, actor.tools):
        return say("lacks_tool", tool=tool.name)
    status = agent_status(actor.id) if standing is None else standing.status
    return ReasonText() if status == AgentStatus.ACTIVE else say("is_paused", agent=actor.name)


def named_by_ids(tool: Tool, args: BaseModel, actor: Actor) -> BaseModel:
    """Return the arguments with the ids of what they name; names tell nothing to who may not call.

    What is decided on, kept and held has ids, so that no name given anew changes what was meant.
    """
    if not gives_a_name(args) or may_act(tool, actor):
        return args
    return with_ids(actor, args)
