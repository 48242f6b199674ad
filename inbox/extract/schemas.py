"""Whether a JSON Schema (2020-12) is one that can be filled in, and its parts with `$ref` resolved.

Schemas come from outside: nothing is fetched, and size, depth and patterns are bounded.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import regex
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError as NotASchema

from inbox.formats.refusals import of_json_schema
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

Schema: TypeAlias = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
LARGEST_SCHEMA = 65_536
DEEPEST = 16
MOST_PROPERTIES = 200
LONGEST_PATTERN = 400
LONGEST_NAME = 80
_LARGEST_COUNT = 1000
_MOST_STEPS = 2_000


class SchemaError(ValueError):
    """A schema that cannot be filled in; `pointer` is where (RFC 6901), said before `message`."""

    def __init__(self, message: ReasonText, pointer: str = "") -> None:
        super().__init__(_("%(place)s: %(message)s", place=pointer or "/", message=message))
        self.message = message
        self.pointer = pointer


def check_schema(schema: Any) -> None:
    """Raise SchemaError where the schema is none of 2020-12, or cannot be filled in."""
    if not isinstance(schema, dict):
        raise SchemaError(_("a schema must be an object"))
    _check_nesting(schema)
    if len(json.dumps(schema)) > LARGEST_SCHEMA:
        raise SchemaError(_("a schema can have at most %(most)s characters", most=LARGEST_SCHEMA))
    if str(schema.get("$schema", DIALECT)).rstrip("#") != DIALECT:
        raise SchemaError(_("the dialect must be %(dialect)s", dialect=DIALECT), "/$schema")
    try:
        Draft202012Validator.check_schema(schema)
    except NotASchema as error:
        path = "".join(f"/{escape(step)}" for step in error.absolute_path)
        raise SchemaError(of_json_schema(error), path) from error
    for pointer, part in _parts(schema, ""):
        _check_part(schema, part, pointer)
    _check_that_it_ends(schema, schema, (), [0])
    if not properties_of(schema, schema):
        raise SchemaError(_("a schema to fill in needs properties"), "/properties")


def escape(step: object) -> str:
    """Return a step of a JSON pointer (RFC 6901 3)."""
    return str(step).replace("~", "~0").replace("/", "~1")


def _check_nesting(schema: Schema) -> None:
    layer: list[Any] = [schema]
    for _level in range(DEEPEST + 1):
        if not layer:
            return
        layer = [
            child
            for part in layer
            for child in (part.values() if isinstance(part, dict) else part)
            if isinstance(child, dict | list)
        ]
    raise SchemaError(_("nested deeper than %(most)s", most=DEEPEST))


# Under these stand names of the schema's own, with a schema each.
_NAMED = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
_DATA = frozenset({"enum", "const", "default", "examples"})


def _parts(value: Any, pointer: str, *, named: bool = False) -> Iterator[tuple[str, Schema]]:
    """Yield every schema inside, with its pointer."""
    if isinstance(value, dict):
        if not named:
            yield pointer, value
        for name, child in value.items():
            if named or name not in _DATA:
                below = not named and name in _NAMED
                yield from _parts(child, f"{pointer}/{escape(name)}", named=below)
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _parts(child, f"{pointer}/{index}")


def _check_part(root: Schema, part: Schema, pointer: str) -> None:
    if "$dynamicRef" in part:
        raise SchemaError(_("$dynamicRef is not followed; use $ref"), f"{pointer}/$dynamicRef")
    if isinstance(part.get("$ref"), str):
        _target(root, part["$ref"], f"{pointer}/$ref")
    if isinstance(part.get("$id"), str) and pointer:
        raise SchemaError(_("a schema inside the schema cannot have an $id"), f"{pointer}/$id")
    if isinstance(pattern := part.get("pattern"), str):
        _check_pattern(pattern, f"{pointer}/pattern")
    for pattern in part.get("patternProperties") or ():
        _check_pattern(pattern, f"{pointer}/patternProperties")
    properties = part.get("properties") or {}
    if len(properties) > MOST_PROPERTIES:
        raise SchemaError(
            _("at most %(most)s properties", most=MOST_PROPERTIES), f"{pointer}/properties"
        )
    if any(len(name) > LONGEST_NAME for name in properties):
        raise SchemaError(
            _("a property's name can have at most %(most)s characters", most=LONGEST_NAME),
            f"{pointer}/properties",
        )


def _check_pattern(pattern: str, pointer: str) -> None:
    if len(pattern) > LONGEST_PATTERN:
        raise SchemaError(
            _("a pattern can have at most %(most)s characters", most=LONGEST_PATTERN), pointer
        )
    if any(int(count) > _LARGEST_COUNT for count in regex.findall(r"[{,]\s*(\d{1,9})", pattern)):
        raise SchemaError(
            _("a repetition can count to at most %(most)s", most=_LARGEST_COUNT), pointer
        )
    try:
        regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError) as error:
        raise SchemaError(
            _("not a regular expression: “%(words)s”", words=error), pointer
        ) from error


def _target(root: Schema, reference: str, pointer: str) -> Schema:
    part: Any = root
    if not reference.startswith("#"):
        raise SchemaError(_("references can only point into the schema itself"), pointer)
    if reference not in {"#", "#/"} and not reference.startswith("#/"):
        anchored = (it for _at, it in _parts(root, "") if it.get("$anchor") == reference[1:])
        part = next(anchored, None)
    for step in reference.removeprefix("#").split("/")[1:] if reference.startswith("#/") else ():
        name = step.replace("~1", "/").replace("~0", "~")
        part = part.get(name) if isinstance(part, Mapping) else None
    if not isinstance(part, dict):
        raise SchemaError(
            _("%(reference)s does not exist in the schema", reference=repr(reference)), pointer
        )
    return part


def _check_that_it_ends(
    root: Schema, part: Schema, seen: tuple[int, ...], steps: list[int]
) -> None:
    """Refuse references that come back to themselves: there is no end to filling them in."""
    steps[0] += 1
    if id(part) in seen:
        raise SchemaError(_("a reference leads back to itself"), "/$ref")
    if steps[0] > _MOST_STEPS:
        raise SchemaError(_("the references expand into too many parts"), "/$ref")
    inner = [child for _name, child in _children(part)]
    if isinstance(part.get("$ref"), str):
        inner.append(_target(root, part["$ref"], "/$ref"))
    for child in inner:
        _check_that_it_ends(root, child, (*seen, id(part)), steps)


def _children(part: Schema) -> Iterator[tuple[str, Schema]]:
    for name in ("items", "additionalProperties", "not", "if", "then", "else", "contains"):
        if isinstance(part.get(name), dict):
            yield name, part[name]
    for name in ("allOf", "anyOf", "oneOf", "prefixItems"):
        for child in part.get(name) or ():
            if isinstance(child, dict):
                yield name, child
    for child in (part.get("properties") or {}).values():
        if isinstance(child, dict):
            yield "properties", child


def resolve(root: Schema, part: Any) -> Schema:
    """Return the part with its `$ref` and `allOf` folded in.

    Of `anyOf` and `oneOf` it takes the first that is not null: what an optional field may hold.
    """
    if not isinstance(part, dict):
        return {}
    whole: Schema = dict(part)
    if isinstance(reference := whole.pop("$ref", None), str):
        whole = {**resolve(root, _target(root, reference, "/$ref")), **whole}
    for inner in whole.pop("allOf", ()):
        folded = resolve(root, inner)
        properties = {**folded.get("properties", {}), **whole.get("properties", {})}
        required = [*folded.get("required", ()), *whole.get("required", ())]
        whole = {**folded, **whole}
        if properties:
            whole["properties"], whole["required"] = properties, required
    for name in ("anyOf", "oneOf"):
        choices = [resolve(root, it) for it in whole.get(name, ())]
        plain = [it for it in choices if it.get("type") != "null"]
        if plain and not all("const" in it for it in plain):
            whole = {**plain[0], **{key: it for key, it in whole.items() if key != name}}
    return whole


def properties_of(root: Schema, part: Any) -> dict[str, Schema]:
    """Return the object's properties, resolved."""
    properties = resolve(root, part).get("properties") or {}
    return {name: resolve(root, child) for name, child in properties.items() if child is not False}
