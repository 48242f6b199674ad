"""Nulls that say nothing: what clients fill in for optional fields that nobody gave.

Frameworks make a type with a default of null from each optional field, and send them all. Where
the contract has no meaning for null there, the field was left out.
"""

from collections.abc import Iterator
from typing import Any

from agents.contracts.schemas import SAYS_WHICH, Schema


def without_nulls(arguments: object, schema: Schema) -> Any:
    """Return arguments without the nulls of optional fields that take none, at every depth.

    `schema` is self-contained. What it requires, or does not know, stays, to be refused by name;
    so does a null that the contract has a meaning for, and everything within a JSON value.
    """
    return _without(arguments, schema, schema)


def _without(value: Any, schema: Schema, root: Schema) -> Any:
    if isinstance(value, dict):
        for branch in _branches(value, schema, root):
            value = _without_in_object(value, branch, root)
    elif isinstance(value, list):
        for branch in _branches(value, schema, root):
            if isinstance(branch.get("items"), dict):
                value = [_without(item, branch["items"], root) for item in value]
    return value


def _without_in_object(value: dict[str, Any], schema: Schema, root: Schema) -> dict[str, Any]:
    fields, required = schema.get("properties", {}), schema.get("required", ())
    kept = {}
    for name, one in value.items():
        own = fields.get(name)
        if own is None or one is not None:
            kept[name] = one if own is None else _without(one, own, root)
        elif name in required or takes_null(own, root):
            kept[name] = one
    return kept


def _branches(value: Any, schema: Schema, root: Schema) -> Iterator[Schema]:
    """Yield the schemas of the value: its own, and of a union the branch that it means."""
    schema = _follow(schema, root)
    yield schema
    for part in schema.get("allOf", ()):
        yield from _branches(value, part, root)
    options = [_follow(option, root) for option in _options(schema)]
    meant = next((option for option in options if _may_mean(value, option)), None)
    if meant is not None:
        yield from _branches(value, meant, root)


def _options(schema: Schema) -> list[Schema]:
    return [*schema.get("anyOf", ()), *schema.get("oneOf", ())]


def _may_mean(value: Any, option: Schema) -> bool:
    """Return True where a value is of the option's kind, with the constants that it asks for."""
    if isinstance(value, list):
        return option.get("type") == "array"
    if option.get("type") != "object":
        return False
    constants = {
        name: one["const"] for name, one in option.get("properties", {}).items() if "const" in one
    }
    return all(value.get(name) == constant for name, constant in constants.items())


def takes_null(schema: Schema, root: Schema | None = None) -> bool:
    """Return True if null is a value of the schema; what it refers to stands in `root`."""
    schema = _follow(schema, schema if root is None else root)
    if not SAYS_WHICH & schema.keys():
        return True
    kind = schema.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return True
    if None in schema.get("enum", ()):
        return True
    return any(takes_null(option, root) for option in _options(schema))


def _follow(schema: Schema, root: Schema) -> Schema:
    ref = schema.get("$ref", "")
    return root["$defs"][ref.rpartition("/")[2]] if ref else schema
