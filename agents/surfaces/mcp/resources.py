"""The resources over MCP: what there is, by which patterns, and reading one."""

from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    TextResourceContents,
)

from agents.contracts import RESOURCES, ToolError
from agents.directory import kinds_for
from agents.dispatching.dispatch import call, refuse_request
from agents.resources import read_uri, registry_of
from agents.surfaces.mcp.apps import card
from agents.surfaces.mcp.callers import STATELESS, Caller
from agents.surfaces.mcp.calling import RECEIPT_FIELD, trust_meta
from agents.surfaces.mcp.templates import JSON, SURROUNDINGS

_INBOXES = "list_inboxes"
# Up to 2025-11-25 there was a code of its own for this.
RESOURCE_NOT_FOUND = -32002


def list_resources(caller: Caller, cursor: str | None) -> ListResourcesResult:
    """Return what there is to work with, the caller's inboxes and the lists of their threads.

    A page at a time.
    """
    around = _surroundings(caller) if cursor is None else []
    if not RESOURCES.tool(_INBOXES).opens_to(caller.actor.scopes, caller.actor.tools):
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


def read_resource(caller: Caller, uri: str, revision: str) -> ReadResourceResult:
    """Read the resource of this address, as REST does; raises MCPError where there is none."""
    if uri == card.URI:
        # The same for everybody, with nothing of anybody in it.
        shown = TextResourceContents(
            uri=uri, mime_type=card.MIME, text=card.document(), _meta=card.META
        )
        return ReadResourceResult(contents=[shown])
    try:
        name, arguments = _what(caller, uri)
        answer = call(name, arguments, caller.actor, None, registry_of(name))
    except ToolError as error:
        raise _refused(error, uri, revision) from error
    contents = [TextResourceContents(uri=uri, mime_type=JSON, text=answer.json)]
    meta = {RECEIPT_FIELD: answer.receipt_id, **trust_meta(caller, answer)}
    return ReadResourceResult(contents=[*contents], _meta=meta)


def _what(caller: Caller, uri: str) -> tuple[str, dict[str, Any]]:
    try:
        return read_uri(uri)
    except ToolError as error:
        refuse_request("read_resource", caller.actor, error)
        raise


def _surroundings(caller: Caller) -> list[Resource]:
    """Return who the caller is with all there is, and each kind that it has a use for."""
    everything = Resource(
        uri=SURROUNDINGS, name="look_around", title="Look around", mime_type=JSON,
        description="Who you are, and the first of each kind, with ids, names and defaults.",
    )  # fmt: skip
    return [everything] + [
        Resource(uri=f"{SURROUNDINGS}/{kind.plural}", name=kind.plural,
                 title=kind.plural.capitalize(), mime_type=JSON,
                 description=f"The {kind.plural}, with ids, names and defaults.")
        for kind in kinds_for(caller.actor)
    ]  # fmt: skip


def _of_inbox(inbox: dict[str, Any]) -> list[Resource]:
    """Return an inbox and its threads as resources."""
    uri, address = f"email://inboxes/{inbox['id']}", inbox["address"]
    return [
        Resource(uri=uri, name=inbox["id"], title=address, mime_type=JSON,
                 description=f"The inbox {address}."),
        Resource(uri=f"{uri}/threads", name=f"{inbox['id']}/threads", title=f"{address}: threads",
                 mime_type=JSON, description=f"The threads of {address}, newest first."),
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
