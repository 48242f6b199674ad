"""Tools as Google's Gemini takes them.

The rules stand in tests/agents/surfaces/forms/rules.py, with where they are from.
"""

from collections.abc import Sequence
from typing import Any

from agents.contracts.schemas import SAYS_WHICH, Schema, inlined

# What is told of a value beside its type, with the types that may have it.
_KEPT = {
    "minimum": {"integer", "number"}, "maximum": {"integer", "number"},
    "minItems": {"array"}, "maxItems": {"array"},
    "minLength": {"string"}, "maxLength": {"string"}, "pattern": {"string"},
}  # fmt: skip
_TYPES = {bool: "boolean", str: "string", int: "integer", float: "number"}


def gemini_tools(described: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the value of `tools` for generateContent, from tools in MCP's form."""
    declarations = [_declaration(one) for one in described]
    return [{"functionDeclarations": declarations}] if declarations else []


def _declaration(described: dict[str, Any]) -> dict[str, Any]:
    schema = inlined(described["inputSchema"])
    words = {"name": described["name"], "description": described["description"]}
    if not schema.get("properties"):
        # An object without fields is refused; a function without parameters is not.
        return words
    if _is_open(schema):
        return {**words, "parametersJsonSchema": schema}
    return {**words, "parameters": _schema(schema)}


def _is_open(schema: Schema) -> bool:
    """Return True if an object within may have any field, which only JSON Schema can say."""
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    inner += [schema["items"]] if "items" in schema else []
    if schema.get("type") == "object" and not schema.get("properties"):
        return True
    return not SAYS_WHICH & schema.keys() or any(_is_open(one) for one in inner)


def _schema(schema: Schema) -> Schema:
    """Return a schema in Gemini's subset of OpenAPI 3.0; it may take more, and never less."""
    options = schema.get("anyOf", [])
    others = [one for one in options if one.get("type") != "null"]
    told: Schema = {"nullable": True} if len(others) < len(options) else {}
    if len(others) == 1:
        about = {"description": schema["description"]} if "description" in schema else {}
        return {**_schema({**others[0], **about}), **told}
    if "description" in schema:
        told["description"] = schema["description"]
    if others:
        # Nothing may stand beside it, so that what is said of all stands with the first.
        first, *rest = (_schema(one) for one in others)
        return {"anyOf": [{**told, **first}, *rest]}
    return {**told, **_of_one_type(schema)}


def _of_one_type(schema: Schema) -> Schema:
    kind = schema.get("type") or _TYPES[type(_values(schema)[0])]
    form: Schema = {"type": kind.upper()}
    form |= {
        name: schema[name] for name, kinds in _KEPT.items() if name in schema and kind in kinds
    }
    if kind == "string" and _values(schema):
        form |= {"format": "enum", "enum": _values(schema)}
    elif kind == "string" and schema.get("format") == "date-time":
        form["format"] = "date-time"
    if "items" in schema:
        form["items"] = _schema(schema["items"])
    if "properties" in schema:
        form["properties"] = {name: _schema(one) for name, one in schema["properties"].items()}
        form |= {"required": schema["required"]} if schema.get("required") else {}
    return form


def _values(schema: Schema) -> list[Any]:
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))
