"""Spans of calls and decisions, by the conventions of OpenTelemetry for generative AI.

`execute_tool NAME` is a call, as `gen_ai.*` has it. Conventions for what a person decides there are
none: those attributes are `chancery.*`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from agents.errors import ToolError
from agents.models import Agent, Approval, ApprovalState
from inbox import ids
from inbox.actor import Actor
from inbox.background.traces import Attribute, Span, are_collected, span

F = TypeVar("F", bound=Callable[..., Any])


def traced_call(function: F) -> F:
    """Make a span of each `call(name, arguments, actor, idempotency_key, …)`."""

    @wraps(function)
    def call(name: str, arguments: object, actor: Actor, *more: Any, **named: Any) -> Any:
        if not are_collected():
            return function(name, arguments, actor, *more, **named)
        key = more[0] if more else named.get("idempotency_key")
        with span(f"execute_tool {name[:100]}", _of_call(name, actor, key)) as made:
            return _noting(made, lambda: function(name, arguments, actor, *more, **named))

    return cast("F", call)


def traced_resumption(function: F) -> F:
    """Make a span of each `resume(approved, tool, actor)`: the call runs, once it was approved."""

    @wraps(function)
    def resume(approved: Any, tool: Any, actor: Actor) -> Any:
        if not are_collected():
            return function(approved, tool, actor)
        approval: Approval = approved.approval
        about = _of_call(tool.name, actor, None) | {"chancery.approval.id": approval.public_id}
        name = f"execute_tool {tool.name}"
        with span(name, about, link=approval.trace_parent) as made:
            return _noting(made, lambda: function(approved, tool, actor))

    return cast("F", resume)


def traced_decision(function: F) -> F:
    """Make a span of each `decide(approval, by, …)`, linked to the call that was proposed."""

    @wraps(function)
    def decide(approval: Approval, *more: Any, **named: Any) -> Any:
        if not are_collected():
            return function(approval, *more, **named)
        about = {"gen_ai.tool.name": approval.tool, "chancery.approval.id": approval.public_id}
        with span(f"decide {approval.tool}", about, link=approval.trace_parent) as made:
            decided = function(approval, *more, **named)
            made.note({"chancery.approval.state": str(decided.state)})
            return decided

    return cast("F", decide)


def _of_call(name: str, actor: Actor, key: object) -> dict[str, Attribute]:
    about: dict[str, Attribute] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name[:100],
        "gen_ai.tool.type": "function",
    }
    if isinstance(key, str):
        # A client's own id of the call, as the model gave it one.
        about["gen_ai.tool.call.id"] = key[:255]
    if actor.kind == "agent" and actor.id is not None:
        about["gen_ai.agent.id"] = ids.encode(Agent.ID_PREFIX, actor.id)
        about["gen_ai.agent.name"] = actor.name
    return about


def _noting(made: Span, run: Callable[[], Any]) -> Any:
    """Run a call and note what came of it; one that waits for a person has not failed."""
    try:
        answer = run()
    except ToolError as error:
        if error.code == "approval_required":
            waits = {"chancery.approval.id": str(error.details["approval_id"])}
            made.note(waits | {"chancery.outcome": "held"})
            made.excuse()
        else:
            made.note({"chancery.outcome": "error"})
            made.fail(error.code)
        raise
    approval = answer.approval
    is_held = approval is not None and approval.state == ApprovalState.WAITING
    done: dict[str, Attribute] = {"chancery.outcome": "held" if is_held else "ok",
                                  "chancery.receipt.id": answer.receipt_id}  # fmt: skip
    if approval is not None:
        done["chancery.approval.id"] = approval.public_id
    if answer.replayed:
        done["chancery.replayed"] = True
    made.note(done)
    return answer
