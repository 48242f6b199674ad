"""The schemas of folds: exact, as a union, and plain, as vendors of models want a tool's root.

The plain one may take more than the exact one, never less: the branch's tool has the last word.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.contracts.schemas import Schema

_ENVELOPE = {"additionalProperties": False}
_NOT_INSIDE = frozenset({"$id", "$schema"})


@dataclass(frozen=True)
class Part:
    """A branch: its value, its tool's description and arguments, and what it fixes of these."""

    value: str
    description: str
    schema: Schema
    preset: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The first sentence of the description, on one line."""
        line = " ".join(self.description.split())
        first = re.split(r"(?<=[.;:])\s", line)[0].rstrip(".;:")
        fixed = ", ".join(f"{name}={value}" for name, value in self.preset.items())
        return f"{first}, with {fixed}" if fixed else first

    @property
    def fields(self) -> dict[str, Schema]:
        """The arguments that may be given; one that the branch fixes may only be given so."""
        properties = self.schema.get("properties", {})
        fixed = {name: {"enum": [value], "type": "string"} for name, value in self.preset.items()}
        return {name: fixed.get(name, one) for name, one in properties.items()}

    @property
    def required(self) -> list[str]:
        """The arguments that must be given."""
        return [name for name in self.schema.get("required", []) if name not in self.preset]


def retold(words: Any, names: Mapping[str, str]) -> Any:
    """Return a text, or a schema's texts, with tools called as whoever reads it can call them."""
    if isinstance(words, str):
        return _NAME.sub(lambda it: names.get(it[1], it[0]), words)
    if isinstance(words, list):
        return [retold(one, names) for one in words]
    if not isinstance(words, dict):
        return words
    return {
        name: retold(one, names)
        if name == "description" or (isinstance(one, dict | list) and name not in _VALUES)
        else one
        for name, one in words.items()
    }


_NAME = re.compile(r"`?\b([a-z]+(?:_[a-z]+)+)\b`?")
_VALUES = frozenset({"enum", "required", "const", "default"})


# -- exact -----------------------------------------------------------------------------------------


def union(discriminator: str, inner: str, parts: Sequence[Part]) -> Schema:
    """Return exactly what is accepted: one branch for each value of the discriminator."""
    branches = [
        _enveloped(discriminator, inner, part) if inner else _beside(discriminator, part)
        for part in parts
    ]
    return {"type": "object", "oneOf": branches, "discriminator": {"propertyName": discriminator}}


def _enveloped(discriminator: str, inner: str, part: Part) -> Schema:
    own: Schema = {"$ref": part.schema["$id"]}
    if part.preset:
        fixed = {name: {"enum": [value, [value]]} for name, value in part.preset.items()}
        own = {"allOf": [own, {"properties": fixed}]}
    return {
        "type": "object",
        "properties": {discriminator: {"const": part.value}, inner: own},
        "required": [discriminator, inner],
        **_ENVELOPE,
    }


def _beside(discriminator: str, part: Part) -> Schema:
    own = {name: value for name, value in part.schema.items() if name not in _NOT_INSIDE}
    counted = {"minProperties": own["minProperties"] + 1} if "minProperties" in own else {}
    return {
        **own,
        "properties": {discriminator: {"const": part.value}, **own.get("properties", {})},
        "required": [discriminator, *own.get("required", [])],
        **counted,
    }


# -- plain -----------------------------------------------------------------------------------------
# The unified contract's own words for the two fields of its envelope.
_DISCRIMINATOR = "discriminator that selects the target entity or operation flavor."
_PARAMETERS = "the exact payload validated by the current individual schema for that operation."


def plain_root(discriminator: str, inner: str, parts: Sequence[Part]) -> Schema:
    """Return one object that takes every branch, told apart in words a model can work from.

    What a branch takes stands in the description of the discriminator, like the signature of a
    function; each field stands once, with what the branches say of it.
    """
    lines = [f"{part.value}{_call(part)}: {part.summary}." for part in parts]
    chosen = {
        "type": "string",
        "enum": [part.value for part in parts],
        "description": "\n".join([_DISCRIMINATOR, *lines] if inner else lines),
    }
    fields = merged_fields(parts)
    if not inner:
        own = {discriminator: chosen, **fields}
        return {"type": "object", "properties": own, "required": [discriminator], **_ENVELOPE}
    always = [name for name in parts[0].required if all(name in part.required for part in parts)]
    parameters = {
        "type": "object",
        "description": _PARAMETERS,
        "properties": fields,
        **({"required": always} if always else {}),
        **_ENVELOPE,
    }
    return {
        "type": "object",
        "properties": {discriminator: chosen, inner: parameters},
        "required": [discriminator, inner],
        **_ENVELOPE,
    }


def _call(part: Part) -> str:
    """Return the arguments of a branch in brackets: `(id, body?, limit?=10)`."""
    needed = part.required
    given = [
        *needed,
        *(_optional(name, it) for name, it in part.fields.items() if name not in needed),
    ]
    return f" ({', '.join(given)})" if given else ""


def _optional(name: str, schema: Schema) -> str:
    default = schema.get("default")
    # Whole objects and lists are no help there, and false and zero are what one would think.
    is_telling = bool(default) and not isinstance(default, dict | list)
    return f"{name}?={json.dumps(default)}" if is_telling else f"{name}?"


def merged_fields(parts: Sequence[Part]) -> dict[str, Schema]:
    """Return the fields of all branches; one that differs between them takes what any takes."""
    found: dict[str, list[tuple[str, Schema]]] = {}
    for part in parts:
        for name, schema in part.fields.items():
            found.setdefault(name, []).append((part.value, schema))
    is_single = len(parts) == 1
    return {name: _merge(forms, keeps_default=is_single) for name, forms in found.items()}


def _merge(forms: list[tuple[str, Schema]], *, keeps_default: bool) -> Schema:
    if len(forms) == 1:
        _, only = forms[0]
        return only if keeps_default else _without(only, {"default"})
    merged = _without(forms[0][1], {"description", "default"})
    for _, schema in forms[1:]:
        merged = _either(merged, _without(schema, {"description", "default"}))
    said = _say(forms)
    return {**merged, **({"description": said} if said else {})}


def _say(forms: list[tuple[str, Schema]]) -> str:
    """Return what the branches say of a field: once where they agree, else each under its name."""
    said: dict[str, list[str]] = {}
    for value, schema in forms:
        if words := schema.get("description", ""):
            said.setdefault(words, []).append(value)
    if len(said) == 1:
        return next(iter(said))
    return " ".join(f"{', '.join(values)}: {words}" for words, values in said.items())


def _either(one: Schema, other: Schema) -> Schema:
    """Return a schema that takes what either does."""
    if one == other:
        return one
    forms = [*one.get("anyOf", [one])]
    for form in other.get("anyOf", [other]):
        place = next((i for i, known in enumerate(forms) if _are_alike(known, form)), None)
        if place is None:
            forms.append(form)
        else:
            forms[place] = _widened(forms[place], form)
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _are_alike(one: Schema, other: Schema) -> bool:
    """Return True if one schema can stand for both: plain values that differ in limits only."""
    return one == other or (
        one.get("type") == other.get("type") in {"integer", "number", "string", "boolean"}
        and ("enum" in one) == ("enum" in other)
    )


def _widened(one: Schema, other: Schema) -> Schema:
    """Return the type with only those limits that both have, the wider of two."""
    wide: Schema = {}
    for name, value in one.items():
        if name not in other:
            continue
        if name == "enum":
            wide[name] = list(dict.fromkeys([*value, *other[name]]))
        elif name in _WIDER:
            wide[name] = _WIDER[name](value, other[name])
        elif value == other[name]:
            wide[name] = value
    return wide


_WIDER: dict[str, Callable[[Any, Any], Any]] = {
    "minimum": min, "minLength": min, "maximum": max, "maxLength": max,
}  # fmt: skip


def _without(schema: Schema, dropped: set[str]) -> Schema:
    return {name: one for name, one in schema.items() if name not in dropped}


# -- answers ---------------------------------------------------------------------------------------


def union_of_answers(refs: Sequence[str]) -> Schema:
    """Return what any branch answers."""
    forms = [{"$ref": ref} for ref in dict.fromkeys(refs)]
    return dict(forms[0]) if len(forms) == 1 else {"anyOf": forms}


def kind_of_answers(schemas: Sequence[Schema]) -> Schema:
    """Return only of which kind the answers are: each branch's tool says more."""
    kinds = sorted({str(schema.get("type", "object")) for schema in schemas})
    return {"type": kinds[0] if len(kinds) == 1 else kinds}
