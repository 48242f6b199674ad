"""JSON Schema 2020-12 from the pydantic models, in the forms in which it is served.

A model or type that a contract prints as a document of its own carries its `$id`; wherever it is
used, the schema refers to it. Every other model is written out in place.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pydantic import ConfigDict, GetJsonSchemaHandler, TypeAdapter
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from agents.contracts import words
from agents.contracts.words import with_words

Schema: TypeAlias = words.Schema
Mode: TypeAlias = Literal["validation", "serialization"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# A schema with none of these takes any JSON value.
SAYS_WHICH = frozenset({"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"})
ANY_JSON: list[Schema] = [
    {"type": "object"},
    {"type": "array", "items": {}},
    {"type": "string"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "null"},
]
_SHARED = "x-shared"
_DROPPED = frozenset({"title", "description", "$defs"})


class Shared:
    """Marks a type that schemas refer to by this `$id` (with a fragment where it has one)."""

    def __init__(self, ref: str) -> None:
        self.ref = ref

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {_SHARED: self.ref}


def published(ref: str) -> ConfigDict:
    """Return the configuration of a model that schemas refer to by this `$id`."""
    return ConfigDict(json_schema_extra={_SHARED: ref})


def document(model: Any, schema_id: str, mode: Mode, *, described: bool = False) -> Schema:
    """Return the schema of a model as a document with its `$id`.

    `described` keeps what the model says of its fields; contracts that are printed have none.
    """
    return {"$id": schema_id, "$schema": DIALECT, **plain(model, mode, described=described)}


def plain(model: Any, mode: Mode, *, described: bool = False) -> Schema:
    """Return the schema of a model or type, with references to what is shared."""
    raw = TypeAdapter(model).json_schema(mode=mode)
    raw.pop(_SHARED, None)
    definitions = raw.get("$defs", {})
    if "$ref" in raw:
        raw = dict(definitions[raw["$ref"].rpartition("/")[2]])
        raw.pop(_SHARED, None)
    raw.pop("description", None)
    tidy: Schema = _tidy(raw, definitions, _DROPPED - {"description"} if described else _DROPPED)
    return tidy


def bundled(schema: Schema, documents: Mapping[str, Schema], prefix: str = "#/$defs/") -> Schema:
    """Return a schema that needs no other document: what it refers to stands under `$defs`.

    Its fields are described, those of a printed document too. `prefix` is where the definitions
    will stand when another document takes them in.
    """
    found: dict[str, Schema] = {}
    body = _localise(schema, documents, prefix, found)
    whole = {**body, "$defs": found} if found else body
    name = whole.pop("$id", "")
    return with_words(whole, name)


def convertible(schema: Schema) -> Schema:
    """Return a schema that every framework's converter takes, from a self-contained one.

    Nothing is referred to, for some read the fields alone; each field has a type, for some refuse
    one without; and no text has the format of an address, for which some want a package that is
    not installed with them. What is taken stays the same, and is checked when it is called.
    """
    whole: Schema = _convertible(inlined(schema))
    return {"$schema": schema["$schema"], **whole} if "$schema" in schema else whole


def _convertible(schema: Schema) -> Schema:
    inner = {
        name: {key: _convertible(one) for key, one in value.items()}
        if name == "properties"
        else [_convertible(one) for one in value]
        if name in {"anyOf", "oneOf", "allOf"}
        else _convertible(value)
        for name, value in schema.items()
        if name in {"properties", "items", "anyOf", "oneOf", "allOf"}
    }
    whole = {name: one for name, one in schema.items() if (name, one) != ("format", "email")}
    whole |= inner
    for name, one in whole.get("properties", {}).items():
        if not SAYS_WHICH & one.keys():
            whole["properties"][name] = {**one, "anyOf": ANY_JSON}
    return whole


def inlined(schema: Schema) -> Schema:
    """Return a schema with what it refers to in place, and without `$schema` and `$defs`.

    A definition with an anchor stays where it is, for others may refer to it by that. Raises
    ValueError for a schema that refers to itself.
    """
    definitions = schema.get("$defs", {})
    whole: Schema = _inline(schema, definitions, ())
    kept = {name: one for name, one in definitions.items() if "$anchor" in one}
    rest = {name: value for name, value in whole.items() if name not in {"$schema", "$defs"}}
    return {**rest, "$defs": kept} if kept else rest


def _inline(schema: Any, definitions: dict[str, Schema], inside: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_inline(item, definitions, inside) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ref = schema.get("$ref")
    if not isinstance(ref, str):
        return {name: _inline(one, definitions, inside) for name, one in schema.items()}
    name = ref.rpartition("/")[2]
    if "$anchor" in definitions[name]:
        return schema
    if name in inside:
        raise ValueError(f"the schema {name!r} refers to itself")
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**_inline(definitions[name], definitions, (*inside, name)), **beside}


def definition_name(ref: str) -> str:
    """Return the short name of a shared schema: `neuralmail/resources/thread.json` → `thread`."""
    return ref.rpartition("/")[2].removesuffix(".json")


def _tidy(schema: Any, definitions: dict[str, Schema], dropped: frozenset[str]) -> Any:
    """Drop what pydantic adds and the contracts do not have; refer to what is shared."""
    if isinstance(schema, list):
        return [_tidy(item, definitions, dropped) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if _SHARED in schema:
        return {"$ref": schema[_SHARED]}
    if "$ref" in schema:
        # What is said of the field stands beside the reference and wins over the model's own.
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        inner = definitions[schema["$ref"].rpartition("/")[2]]
        return _tidy({**inner, **beside}, definitions, dropped)
    is_described = "description" not in dropped
    return {
        key: _tidy_keyword(key, value, definitions, dropped)
        for key, value in schema.items()
        if key not in dropped and not _is_noise(key, value, schema, is_described)
    }


def _tidy_keyword(
    key: str, value: Any, definitions: dict[str, Schema], dropped: frozenset[str]
) -> Any:
    if key == "properties":
        return {name: _tidy(item, definitions, dropped) for name, item in value.items()}
    return value if key in {"default", "enum", "const"} else _tidy(value, definitions, dropped)


def _is_noise(key: str, value: Any, schema: Schema, is_described: bool) -> bool:
    """Return True for the default of a field that may only be left out, and an object that is open.

    Printed contracts give null as the default of a field that may be null; ours do not, for null
    may mean something else there than leaving it out.
    """
    is_null = key == "default" and value is None
    return (is_null and (is_described or "anyOf" not in schema)) or (
        key == "additionalProperties" and value is True
    )


def _localise(
    schema: Any, documents: Mapping[str, Schema], prefix: str, found: dict[str, Schema]
) -> Any:
    if isinstance(schema, list):
        return [_localise(item, documents, prefix, found) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ref = schema.get("$ref")
    if isinstance(ref, str):
        name = definition_name(ref)
        if name not in found:
            found[name] = {}
            body = _localise(resolve(ref, documents), documents, prefix, found)
            found[name] = {k: v for k, v in body.items() if k not in {"$id", "$schema"}}
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return {**beside, "$ref": prefix + name}
    return {key: _localise(value, documents, prefix, found) for key, value in schema.items()}


def resolve(ref: str, documents: Mapping[str, Schema]) -> Schema:
    """Return what a reference between our documents points to."""
    schema_id, _, fragment = ref.partition("#")
    target: Any = documents[schema_id]
    for step in filter(None, fragment.split("/")):
        target = target[step]
    return dict(target)
