"""Schemas as vendors of models take them: strict where that is honest."""

from agents.contracts.nulls import takes_null
from agents.contracts.schemas import Schema

# What constrained decoding takes of JSON Schema with both vendors; ours has the last word anyway.
_STRICT = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf",
     "description", "title"}
)  # fmt: skip
_TYPED = frozenset({"type", "enum", "const", "anyOf"})


def strict_form(
    schema: Schema, more: frozenset[str] = frozenset(), *, fills_in: bool = False
) -> Schema | None:
    """Return the schema in the subset for constrained decoding; None where that would be a lie.

    Every object has to be closed and to require all of its fields. With `fills_in` one that may be
    left out is required and may be null, which calls by this form take as left out; but not where
    null has a meaning of its own. Keywords outside the subset, and outside `more`, are left out:
    the form takes more then, and never less.
    """
    whole = _filled_in(schema) if fills_in else schema
    if not _is_strict(whole):
        return None
    return _reduced(whole, _STRICT | more)


def _filled_in(schema: Schema) -> Schema:
    """Return a schema whose objects require all of their fields, null where one was left out."""
    inner: Schema = {}
    for name in ("anyOf", "items", "properties"):
        match schema.get(name):
            case list(options):
                inner[name] = [_filled_in(one) for one in options]
            case dict(fields) if name == "properties":
                needed = schema.get("required", ())
                inner[name] = {
                    field: _filled_in(one) if field in needed else _or_null(_filled_in(one))
                    for field, one in fields.items()
                }
            case dict(item):
                inner[name] = _filled_in(item)
    if inner.get("properties") and not _clears(schema):
        inner["required"] = list(inner["properties"])
    return {**schema, **inner}


def _clears(schema: Schema) -> bool:
    """Return True if null in an optional field means something else than leaving it out."""
    needed = schema.get("required", ())
    return any(
        takes_null(one) and one.get("default", "") is not None
        for name, one in schema.get("properties", {}).items()
        if name not in needed
    )


def _or_null(schema: Schema) -> Schema:
    if takes_null(schema):
        return schema
    words = {"description": schema["description"]} if "description" in schema else {}
    form = {name: one for name, one in schema.items() if name not in {"description", "default"}}
    return {**words, "anyOf": [*form.get("anyOf", [form]), {"type": "null"}]}


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
