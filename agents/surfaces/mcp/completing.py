"""`completion/complete`: what an argument of a resource's pattern or a prompt may be."""

from typing import get_args

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CompleteResult,
    Completion,
    PromptReference,
    ResourceTemplateReference,
)

from agents.contracts import RESOURCES
from agents.directory import kinds_for
from agents.dispatching.dispatch import call
from agents.surfaces.mcp.callers import Caller
from agents.surfaces.mcp.prompts import takes
from agents.surfaces.mcp.resources import has_template
from agents.tools.shapes import ThreadState

_MOST = 100


def complete(
    caller: Caller, ref: PromptReference | ResourceTemplateReference, argument: str, begun: str
) -> CompleteResult:
    """Return the values that begin so; raises MCPError where there is nothing to complete."""
    if isinstance(ref, PromptReference):
        known = takes(ref.name, argument)
    else:
        known = has_template(ref.uri, argument)
    if not known:
        raise MCPError(INVALID_PARAMS, "There is no such argument to complete")
    found = [value for value in _values(caller, argument) if value.startswith(begun)]
    return CompleteResult(completion=Completion(values=found[:_MOST], has_more=len(found) > _MOST))


def _values(caller: Caller, argument: str) -> list[str]:
    """Return what is few and known beforehand; ids of threads and messages are neither."""
    if argument == "status":
        return list(get_args(ThreadState))
    if argument == "kind":
        return [kind.plural for kind in kinds_for(caller.actor)]
    if argument == "inbox_id" and RESOURCES.tool("list_inboxes").opens_to(caller.actor.scopes):
        page = call("list_inboxes", {"limit": 200}, caller.actor, None, RESOURCES).result
        return [inbox["id"] for inbox in page["inboxes"]]
    return []
