"""The resources over MCP: what there is, by which patterns, and reading one."""

import re
from typing import Any, get_args

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CompleteResult,
    Completion,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PromptReference,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    ResourceTemplateReference,
    TextResourceContents,
)

from agents.contracts import RESOURCES, ToolError
from agents.directory import kinds_for
from agents.dispatching.dispatch import call, refuse_request
from agents.resources import read_uri, registry_of
from agents.surfaces.mcp.callers import STATELESS, Caller
from agents.surfaces.mcp.calling import RECEIPT_FIELD, trust_meta
from agents.surfaces.mcp.prompts import takes
from agents.tools.shapes import ThreadState

_MOST_COMPLETIONS = 100
_JSON = "application/json"
_INBOXES = "list_inboxes"
# Up to 2025-11-25 there was a code of its own for this.
RESOURCE_NOT_FOUND = -32002
_SURROUNDINGS = "chancery://look_around"
_TEMPLATES = {
    "inbox": ("email://inboxes/{inbox_id}", "An inbox, its mailboxes as labels."),
    "threads": (
        "email://inboxes/{inbox_id}/threads{?status,label,updated_after,limit,cursor}",
        "The threads of an inbox, newest first.",
    ),
    "thread": ("email://threads/{thread_id}", "A thread."),
    "message": ("email://messages/{message_id}", "A message, or what waits to be sent."),
    "thread_summary": (
        "email://threads/{thread_id}/summary",
        "Who wants what in a thread, how it stands and what is open.",
    ),
    "look_around": (
        f"{_SURROUNDINGS}/{{kind}}{{?search,cursor}}",
        "What there is of a kind, with ids, names and defaults: accounts, inboxes, mailboxes, "
        "calendars, policies, taxonomies, schemas, files or agents.",
    ),
}


def list_resources(caller: Caller, cursor: str | None) -> ListResourcesResult:
    """Return what there is to work with, the caller's inboxes and the lists of their threads.

    A page at a time.
    """
    around = _surroundings(caller) if cursor is None else []
    if not RESOURCES.tool(_INBOXES).opens_to(caller.actor.scopes):
        return ListResourcesResult(resources=around)
    arguments = {} if cursor is None else {"cursor": cursor}
    try:
        page = call(_INBOXES, arguments, caller.actor, None, RESOURCES).result
    except ToolError as error:
        raise _refused(error, "", STATELESS) from error
    return ListResourcesResult(
        resources=around + [one for inbox in page["inboxes"] for one in _of_inbox(inbox)],
        next_cursor=page.get("next_cursor"),
    )


def list_templates() -> ListResourceTemplatesResult:
    """Return the patterns of the addresses that can be read."""
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(name=name, uri_template=uri, description=words, mime_type=_JSON)
            for name, (uri, words) in _TEMPLATES.items()
        ]
    )


def read_resource(caller: Caller, uri: str, revision: str) -> ReadResourceResult:
    """Read the resource of this address, as REST does; raises MCPError where there is none."""
    try:
        name, arguments = _what(caller, uri)
        answer = call(name, arguments, caller.actor, None, registry_of(name))
    except ToolError as error:
        raise _refused(error, uri, revision) from error
    contents = [TextResourceContents(uri=uri, mime_type=_JSON, text=answer.json)]
    meta = {RECEIPT_FIELD: answer.receipt_id, **trust_meta(caller, answer)}
    return ReadResourceResult(contents=[*contents], _meta=meta)


def has_template(uri: str, argument: str) -> bool:
    """Return True if there is such a pattern with such an argument in it."""
    known = any(uri == template for template, _ in _TEMPLATES.values())
    return known and argument in re.findall(r"[a-z_]+(?=[,}])", uri)


def _what(caller: Caller, uri: str) -> tuple[str, dict[str, Any]]:
    try:
        return read_uri(uri)
    except ToolError as error:
        refuse_request("read_resource", caller.actor, error)
        raise


def _surroundings(caller: Caller) -> list[Resource]:
    """Return who the caller is with all there is, and each kind that it has a use for."""
    everything = Resource(
        uri=_SURROUNDINGS, name="look_around", title="Look around", mime_type=_JSON,
        description="Who you are, and the first of each kind, with ids, names and defaults.",
    )  # fmt: skip
    return [everything] + [
        Resource(uri=f"{_SURROUNDINGS}/{kind.plural}", name=kind.plural,
                 title=kind.plural.capitalize(), mime_type=_JSON,
                 description=f"The {kind.plural}, with ids, names and defaults.")
        for kind in kinds_for(caller.actor)
    ]  # fmt: skip


def _of_inbox(inbox: dict[str, Any]) -> list[Resource]:
    """Return an inbox and its threads as resources."""
    uri, address = f"email://inboxes/{inbox['id']}", inbox["address"]
    return [
        Resource(uri=uri, name=inbox["id"], title=address, mime_type=_JSON,
                 description=f"The inbox {address}."),
        Resource(uri=f"{uri}/threads", name=f"{inbox['id']}/threads", title=f"{address}: threads",
                 mime_type=_JSON, description=f"The threads of {address}, newest first."),
    ]  # fmt: skip


def _refused(error: ToolError, uri: str, revision: str) -> MCPError:
    """Return a refusal as the protocol has it; what is foreign is told like what is not there."""
    data: dict[str, Any] = {"error": error.as_json()}
    if uri:
        data["uri"] = uri[:2000]
    if error.code == "internal":
        return MCPError(INTERNAL_ERROR, error.message, data)
    is_missing = error.code == "not_found"
    code = RESOURCE_NOT_FOUND if is_missing and revision != STATELESS else INVALID_PARAMS
    return MCPError(code, "Resource not found" if is_missing else error.message, data)


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
    return CompleteResult(
        completion=Completion(
            values=found[:_MOST_COMPLETIONS], has_more=len(found) > _MOST_COMPLETIONS
        )
    )


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
