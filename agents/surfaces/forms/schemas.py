"""Schemas as vendors of models take them: nothing referred to, and strict where that is honest."""

from typing import Any

from agents.contracts.schemas import Schema

# What constrained decoding takes of JSON Schema with both vendors; ours has the last word anyway.
_STRICT = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
     "description", "title"}
)  # fmt: skip
_TYPED = frozenset({"type", "enum", "const", "anyOf"})


def inlined(schema: Schema) -> Schema:
    """Return a schema with what it refers to in place, and without `$schema` and `$defs`.

    Raises ValueError for one that refers to itself.
    """
    whole: Schema = _inline(schema, schema.get("$defs", {}), ())
    return {name: value for name, value in whole.items() if name not in {"$schema", "$defs"}}


def _inline(schema: Any, definitions: dict[str, Schema], inside: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_inline(item, definitions, inside) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ref = schema.get("$ref")
    if not isinstance(ref, str):
        return {name: _inline(one, definitions, inside) for name, one in schema.items()}
    name = ref.rpartition("/")[2]
    if name in inside:
        raise ValueError(f"the schema {name!r} refers to itself")
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**_inline(definitions[name], definitions, (*inside, name)), **beside}


def strict_form(schema: Schema, more: frozenset[str] = frozenset()) -> Schema | None:
    """Return the schema in the subset for constrained decoding; None where that would be a lie.

    Every object has to be closed and to require all of its fields: where one may be left out, the
    vendors would have it given as null, which our contracts refuse. Keywords outside the subset,
    and outside `more`, are left out: the form takes more then, and never less.
    """
    if not _is_strict(schema):
        return None
    return _reduced(schema, _STRICT | more)


def _is_strict(schema: Schema) -> bool:
    if not _TYPED & schema.keys() or isinstance(schema.get("type"), list):
        return False
    if schema.get("type") == "object" and not _is_closed(schema):
        return False
    if schema.get("type") == "array" and "items" not in schema:
        return False
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    inner += [schema["items"]] if "items" in schema else []
    return all(_is_strict(one) for one in inner)


def _is_closed(schema: Schema) -> bool:
    fields = schema.get("properties", {})
    return schema.get("additionalProperties") is False and set(schema.get("required", [])) == set(
        fields
    )


def _reduced(schema: Schema, kept: frozenset[str]) -> Schema:
    reduced: Schema = {}
    for name, value in schema.items():
        if name not in kept:
            continue
        if name == "properties":
            reduced[name] = {key: _reduced(one, kept) for key, one in value.items()}
        elif name == "anyOf":
            reduced[name] = [_reduced(one, kept) for one in value]
        elif name == "items":
            reduced[name] = _reduced(value, kept)
        else:
            reduced[name] = value
    return reduced
