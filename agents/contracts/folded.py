"""The schemas of folds: exact, as a union, and plain, as vendors of models want a tool's root.

The plain one may take more than the exact one, never less: the branch's tool has the last word.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.contracts.schemas import Schema
from agents.contracts.words import short_words

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
        # Written out: what makes clients of a schema stumbles over one field that is said twice.
        own = {name: value for name, value in part.schema.items() if name not in _NOT_INSIDE}
        told = own["properties"]
        fixed = {name: _fixed(told[name], value) for name, value in part.preset.items()}
        own["properties"] = {**told, **fixed}
    return {
        "type": "object",
        "properties": {discriminator: {"const": part.value}, inner: own},
        "required": [discriminator, inner],
        **_ENVELOPE,
    }


def _fixed(field: Schema, value: Any) -> Schema:
    """Return what a field takes that is fixed to a value: that, or a list of it alone."""
    words = {name: field[name] for name in ("description",) if name in field}
    listed = {"type": "array", "items": {"const": value}, "minItems": 1, "maxItems": 1}
    return {**words, "anyOf": [{"const": value}, listed]}


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
# What a short form leaves out: the branch's tool checks these all the same.
_LIMITS = frozenset(
    {"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties",
     "pattern", "format", "additionalProperties", "default"}
)  # fmt: skip
# Where the mirror is asked or its provider; taken by all that reads it.
_MIRROR = frozenset({"use_cache", "force_refresh"})


def plain_root(name: str, discriminator: str, inner: str, parts: Sequence[Part]) -> Schema:
    """Return one object that takes every branch, told apart in words a model can work from.

    What a branch takes stands in the description of the discriminator, like the signature of a
    function; each field stands once, with what the branches say of it.
    """
    if inner:
        return _short_root(name, discriminator, inner, parts)
    lines = [f"{part.value}{_call(part)}: {part.summary}." for part in parts]
    chosen = _chosen(parts, lines)
    own = {discriminator: chosen, **merged_fields(parts)}
    return {"type": "object", "properties": own, "required": [discriminator], **_ENVELOPE}


def _short_root(verb: str, discriminator: str, inner: str, parts: Sequence[Part]) -> Schema:
    """Return the schema of a verb, which is to take little room in a model's context.

    A field that all of its branches need stands in no signature; limits, and what a field's name
    says already, are left out. The operations, each by itself, have all of it.
    """
    always = [name for name in parts[0].required if all(name in part.required for part in parts)]
    known = {*always, *_MIRROR} if len(parts) > 1 else {*parts[0].fields}
    lines = [f"{part.value}{_call(part, known)}" for part in parts]
    fields = {
        name: _short(short_words(verb, name), forms) for name, forms in _by_name(parts).items()
    }
    parameters = {
        "type": "object",
        "description": _PARAMETERS,
        "properties": fields,
        **({"required": always} if always else {}),
    }
    chosen = _chosen(parts, [_DISCRIMINATOR, *(line for line in lines if "(" in line)])
    return {
        "type": "object",
        "properties": {discriminator: chosen, inner: parameters},
        "required": [discriminator, inner],
    }


def _chosen(parts: Sequence[Part], lines: Sequence[str]) -> Schema:
    values = [part.value for part in parts]
    return {"type": "string", "enum": values, "description": "\n".join(lines)}


def _short(said: str, forms: list[tuple[str, Schema]]) -> Schema:
    """Return a field without its limits, in a few words or, where its name says it, in none.

    Of an object, its fields stand in words too.
    """
    if any("properties" in form for _, form in forms):
        lines = [f"{value}: {_in_words(form)}" for value, form in forms]
        words = "\n".join(lines) if len(forms) > 1 else _in_words(forms[0][1])
        return {"type": "object", "description": words}
    short: Schema = _unlimited(_merge(forms, keeps_default=False))
    return {**short, "description": said}


def _in_words(schema: Schema) -> str:
    """Return the fields of an object: `isRead, importance (low, high), flag {status, due}`."""
    return ", ".join(name + _inside(one) for name, one in schema["properties"].items())


def _inside(schema: Schema) -> str:
    if "enum" in schema:
        return f" ({', '.join(schema['enum'])})"
    return f" {{{_in_words(schema)}}}" if "properties" in schema else ""


def _unlimited(form: Any) -> Any:
    if isinstance(form, list):
        return [_unlimited(one) for one in form]
    if not isinstance(form, dict):
        return form
    return {name: _unlimited(one) for name, one in form.items() if name not in _LIMITS}


def _call(part: Part, known: Collection[str] = ()) -> str:
    """Return the arguments of a branch in brackets: `(id, body?, limit?=10)`."""
    needed = part.required
    given = [
        *(name for name in needed if name not in known),
        *(
            _optional(name, it)
            for name, it in part.fields.items()
            if name not in needed and name not in known
        ),
    ]
    return f" ({', '.join(given)})" if given else ""


def _optional(name: str, schema: Schema) -> str:
    default = schema.get("default")
    # Whole objects and lists are no help there, and false and zero are what one would think.
    is_telling = bool(default) and not isinstance(default, dict | list)
    return f"{name}?={json.dumps(default)}" if is_telling else f"{name}?"


def merged_fields(parts: Sequence[Part]) -> dict[str, Schema]:
    """Return the fields of all branches; one that differs between them takes what any takes."""
    is_single = len(parts) == 1
    return {name: _merge(forms, keeps_default=is_single) for name, forms in _by_name(parts).items()}


def _by_name(parts: Sequence[Part]) -> dict[str, list[tuple[str, Schema]]]:
    found: dict[str, list[tuple[str, Schema]]] = {}
    for part in parts:
        for name, schema in part.fields.items():
            found.setdefault(name, []).append((part.value, schema))
    return found


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
