"""Whether what waits may still be done by whoever proposed it: an agent, or a person themselves."""

from agents.approval.status import ApprovalError, decides_in
from agents.contracts import REGISTRY, Tool
from agents.dispatching.actors import current_actor
from agents.dispatching.flows import judge_tool
from agents.dispatching.policy import may_act
from agents.errors import ToolError
from agents.models import Approval, HeldBy
from inbox.actor import Actor
from inbox.reasons import own, say


def check_agent(current: Approval) -> tuple[Tool, Actor]:
    """Return the tool and what the agent may do now; raises ApprovalError where it may not."""
    actor = current_actor(current.agent)
    try:
        tool = REGISTRY.tool(current.tool)
    except ToolError as error:
        raise ApprovalError("not_allowed", say("no_tool", tool=current.tool)) from error
    if current.agent.person is not None:
        if not decides_in(current.workspace_id, current.agent.person):
            raise ApprovalError("not_allowed", say("not_a_decider"))
        return tool, actor
    refusal = may_act(tool, actor)
    if refusal:
        raise ApprovalError("not_allowed", refusal)
    _check_flow(tool, actor)
    submission = current.submission
    if submission and submission.account_id not in (actor.account_ids or ()):
        words = say("no_grant", agent=current.agent, account=submission.account)
        raise ApprovalError("not_allowed", words)
    return tool, actor


def _check_flow(tool: Tool, actor: Actor) -> None:
    try:
        judge_tool(tool, actor)
    except ToolError as error:
        raise ApprovalError("not_allowed", own(error.message)) from error


def held_by_writer(old: Approval, *, again: bool) -> str:
    """Return what holds the approval that takes the place of another, `again` after an undo.

    A person's own message is theirs alone again once it was taken back.
    """
    if old.agent.person_id is None:
        return ""
    return HeldBy.WRITER if again else old.held_by
