"""The tools as `tools/list` shows them: schemas, annotations, and what each resource may do."""

import base64
import binascii
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from agents.contracts import Declared, Effect, Fold, Tool
from agents.contracts.schemas import Schema, bundled, convertible
from agents.errors import ToolError, invalid
from agents.surfaces.mcp.profiles import Profile, allowed

PAGE = 50
EFFECTS_FIELD = "chancery/effects"
RESOURCES_FIELD = "chancery/resources"
# By MCP's words an update destroys what was there before; only what makes something new does not.
_ADDS = frozenset(
    {"create", "draft", "save", "send", "broadcast", "schedule", "get", "enqueue", "authenticate",
     "complete"}
)  # fmt: skip
# The one field of a structured answer that is no object, where the revision wants an object.
WRAPPER = "result"
# What a structured answer names beside its printed fields where the call waits for a person.
APPROVAL_FIELDS: dict[str, Schema] = {
    "approval_id": {"type": "string", "description": "The approval that it waits for."},
    "review_url": {"type": "string", "description": "Where a person decides on it."},
    "next": {"type": "string", "description": "What to do now that it waits."},
}
_ERRORS = "neuralmail/errors.json"


def list_page(
    profile: Profile,
    scopes: frozenset[str],
    cursor: str | None,
    *,
    any_json: bool,
    only: frozenset[str] = frozenset(),
) -> tuple[list[dict[str, Any]], str | None]:
    """Return a page of what the scopes may call, and where the next begins.

    `any_json`: the revision takes answers that are no objects. `only`: the tools that the token is
    for, empty for all. Raises ToolError for a bad cursor.
    """
    tools = describe_all(profile, scopes, any_json, only)
    names = [tool["name"] for tool in tools]
    start = 0 if cursor is None else _position(cursor, names) + 1
    page = tools[start : start + PAGE]
    more = start + PAGE < len(tools)
    return list(page), _cursor_after(page[-1]["name"]) if more else None


@lru_cache(maxsize=256)
def describe_all(
    profile: Profile,
    scopes: frozenset[str],
    any_json: bool,
    only: frozenset[str] = frozenset(),
) -> tuple[dict[str, Any], ...]:
    """Return every tool that the scopes may call in MCP's form."""
    documents = profile.registry.documents
    return tuple(
        describe(declared, documents)
        if any_json
        else _for_objects(describe(declared, documents), wraps(profile, declared.name))
        for declared in allowed(profile, scopes, only)
    )


def describe(declared: Declared, documents: Mapping[str, Schema]) -> dict[str, Any]:
    """Return what can be called by a name in MCP's form."""
    meta: dict[str, Any] = {EFFECTS_FIELD: sorted(str(one) for one in declared.effects)}
    words = declared.description
    if isinstance(declared, Fold):
        meta[RESOURCES_FIELD] = {
            value: safety(one.tool) for value, one in declared.branches.items()
        }
        words = _with_safety(declared)
    return {
        "name": declared.name,
        "title": declared.name.replace("_", " ").capitalize(),
        "description": words,
        "inputSchema": convertible(bundled(declared.input_schema, documents)),
        "outputSchema": _output(declared, documents),
        "annotations": annotations(declared),
        "_meta": meta,
    }


def _output(declared: Declared, documents: Mapping[str, Schema]) -> Schema:
    """Return the schema of what is answered over MCP: printed contracts know of no approval."""
    printed = bundled(declared.output_schema, documents)
    if not declared.asks_a_person or "properties" not in printed:
        return printed
    fields = APPROVAL_FIELDS | printed["properties"]
    if all(tool.sends for tool in declared.tools if tool.asks_a_person):
        return {**printed, "properties": fields}
    # Such a call waits with an error, and clients hold that against this schema too.
    opened = {name: one for name, one in printed.items() if name != "required"}
    return {**opened, "properties": bundled(documents[_ERRORS], documents)["properties"] | fields}


def annotations(declared: Declared) -> dict[str, bool]:
    """Return MCP's hints; where a name stands for several tools, those of the most careful."""
    tools = declared.tools
    return {
        "readOnlyHint": declared.effects == {Effect.READ},
        "destructiveHint": any(_may_destroy(tool) for tool in tools),
        "idempotentHint": all(_is_idempotent(tool) for tool in tools),
        "openWorldHint": any(tool.sends for tool in tools),
    }


def safety(tool: Tool) -> str:
    """Return in words what a tool does to the world: `destroy, a person may have to approve`."""
    if tool.effect is Effect.SEND:
        return "send, a person approves"
    words = str(tool.effect)
    return f"{words}, a person may have to approve" if tool.asks_a_person else words


def _with_safety(fold: Fold) -> str:
    """Return its description with which of its resources may wait for a person, where some do."""
    held = [value for value, branch in fold.branches.items() if branch.tool.asks_a_person]
    if not held or len(held) == len(fold.branches):
        return fold.description
    return f"{fold.description} A person may have to approve {_listed(held)}."


def _listed(values: list[str]) -> str:
    return " and ".join([", ".join(values[:-1]), values[-1]] if values[1:] else values)


def _may_destroy(tool: Tool) -> bool:
    if tool.effect in {Effect.DESTROY, Effect.SEND}:
        return True
    return tool.effect is Effect.WRITE and not _ADDS & set(tool.name.replace(".", "_").split("_"))


def _is_idempotent(tool: Tool) -> bool:
    keyed = "idempotency_key" in tool.arguments.model_fields
    return keyed or tool.effect in {Effect.READ, Effect.DESTROY}


@lru_cache(maxsize=1024)
def wraps(profile: Profile, name: str) -> bool:
    """Return True if the answers of this name may be other than an object."""
    declared = profile.find(name)
    if declared is None:
        return False
    output = bundled(declared.output_schema, profile.registry.documents)
    return not is_object(output, output.get("$defs", {}))


def _for_objects(form: dict[str, Any], wrapped: bool) -> dict[str, Any]:
    """Return a form for revisions up to 2025-11-25, which want every answer to be an object."""
    output = form["outputSchema"]
    head = {name: output[name] for name in ("$schema", "$defs") if name in output}
    if not wrapped:
        return {**form, "outputSchema": {**output, "type": "object"}}
    inner = {name: value for name, value in output.items() if name not in head}
    fields = {"type": "object", "properties": {WRAPPER: inner}, "required": [WRAPPER]}
    return {**form, "outputSchema": {**head, **fields}}


def is_object(schema: Schema, definitions: dict[str, Schema]) -> bool:
    """Return True if whatever a schema accepts is an object."""
    if "$ref" in schema:
        return is_object(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return all(is_object(option, definitions) for option in schema["anyOf"])
    return schema.get("type") == "object"


def _cursor_after(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode()


def _position(cursor: str, names: list[str]) -> int:
    try:
        return names.index(base64.b64decode(cursor, altchars=b"-_", validate=True).decode())
    except (ValueError, binascii.Error):
        raise _bad_cursor() from None


def _bad_cursor() -> ToolError:
    return invalid("/cursor", "is no cursor of this list", "the nextCursor of a page before")
