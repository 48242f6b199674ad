"""Filling in a schema from a document: for each field the surest value that the schema takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import regex

from inbox.extract import choices, labels, roles
from inbox.extract.document import Document
from inbox.extract.fields import Field, fields_of
from inbox.extract.finding.idle import SUPPLIERS, idle_among
from inbox.extract.found import Place, Span
from inbox.extract.labels import Candidate
from inbox.extract.readers.numbers import find_amounts, read_number
from inbox.extract.readers.spans import span_at, span_of
from inbox.extract.rows import read_rows
from inbox.extract.schemas import Schema
from inbox.extract.validation import is_valid
from inbox.extract.values import candidates_for

# What stands in the signature or in quoted text counts for less.
LAYER_FACTORS = (1.0, 0.9, 0.6)
# These are never taken from what somebody else wrote further down.
_OWN_ONLY = frozenset(
    {
        "boolean",
        "choice",
        "phone",
        "email",
        "address",
        "street",
        "city",
        "postcode",
        "company",
        "person",
    }
)
# Below this a value is rather left out.
LEAST_SURE = 0.3
MOST_ITEMS = 50


@dataclass(frozen=True, slots=True)
class Filled:
    """A value for a field and how sure it is; of it or its parts, by their paths, the places."""

    value: Any
    sure: float
    places: Mapping[str, Place] = field(default_factory=dict)


def _at(value: Any, sure: float, span: Span) -> Filled:
    sure = calibrated(sure)
    return Filled(value, sure, {"": Place(sure, span)})


def calibrated(sure: float) -> float:
    """Return how often a value is right that the rules are so sure of, both 0 to 1.

    A straight line through the log-odds, fitted to letters that the rules had not been made by.
    """
    sure = min(sure, _SUREST)
    odds: float = _SHIFT * (sure / (1 - sure)) ** _SLOPE
    return min(odds / (1 + odds), _SUREST)


_SLOPE, _SHIFT, _SUREST = 0.8, 2.2255, 0.99


def _within(name: str, parts: Mapping[str, Place]) -> dict[str, Place]:
    return {f"{name}/{path}".rstrip("/"): it for path, it in parts.items()}


@dataclass(frozen=True, slots=True)
class Filling:
    """What a schema gets: the data, how sure each field is, what is missing, and the places.

    Places are by the path of the value: `supplier/email`, `items/0`.
    """

    data: dict[str, Any]
    sure: dict[str, float]
    missing: list[str]
    places: dict[str, Place]


def fill(schema: Schema, document: Document) -> Filling:
    """Fill in a schema; what an object must have is missing only where that object is there."""
    fields = fields_of(schema)
    filled = {
        field.name: it for field in fields if (it := _fill(field, document, schema)) is not None
    }
    idle = idle_among(fields, {name: it.value for name, it in filled.items()})
    filled = {name: it for name, it in filled.items() if name not in idle}
    if filled:
        filled |= {
            it.name: Filled(it.schema["const"], 1.0)
            for it in fields
            if it.kind == "const" and it.required
        }
    data = {field.name: filled[field.name].value for field in fields if field.name in filled}
    sure = {name: it.sure for name, it in filled.items() if name in data}
    missing = [path for field in fields for path in _missing(field, data)]
    places = {path: it for name in data for path, it in _within(name, filled[name].places).items()}
    return Filling(data, sure, missing + _undeclared(schema, fields), places)


def _undeclared(schema: Schema, fields: tuple[Field, ...]) -> list[str]:
    known = {field.name for field in fields}
    return [name for name in schema.get("required") or () if name not in known]


def _missing(field: Field, data: dict[str, Any]) -> list[str]:
    if field.name not in data:
        return [field.name] if field.required else []
    if field.kind == "object" and isinstance(data[field.name], dict):
        return [
            f"{field.name}/{it}"
            for child in field.children
            for it in _missing(child, data[field.name])
        ]
    return []


def _fill(asked: Field, document: Document, root: Schema) -> Filled | None:
    if asked.kind == "object":
        return _fill_object(asked, document, root)
    if asked.kind == "array":
        return _fill_array(asked, document, root)
    if asked.kind in {"choice", "boolean"}:
        return _fill_choice(asked, document)
    for layer, text in enumerate(document.layers):
        own_only = layer == len(LAYER_FACTORS) - 1 and asked.kind in _OWN_ONLY
        found = _fill_from(asked, document, layer, root) if text and not own_only else None
        if found is not None:
            return found
    return None


def _fill_from(asked: Field, document: Document, layer: int, root: Schema) -> Filled | None:
    for candidate in candidates_for(asked, document, document.layers[layer]):
        sure = candidate.sure * LAYER_FACTORS[layer]
        value = _fitting(asked, candidate, root) if sure >= LEAST_SURE else None
        span = span_of(candidate, asked, document, layer) if value is not None else None
        if span is not None:
            return _at(value, min(sure, 0.99), span)
    return None


def _fill_choice(field: Field, document: Document) -> Filled | None:
    text = document.layers[0]
    found: tuple[Any, float] | None
    if field.kind == "boolean":
        found = choices.find_truth(field, text, bool(document.attachment_names))
    else:
        found = choices.find_choice(field, text)
    if found is None:
        return None
    value, sure = found
    if choices.asks_for_attachments(field):
        names = ", ".join(document.attachment_names)
        return _at(value, sure, Span("attachments", 0, len(names), names[:200]))
    place = choices.place_of(field, value, text)
    span = span_at(document, 0, *place) if place else None
    return _at(value, sure, span) if span else None


def _fitting(field: Field, candidate: Candidate, root: Schema) -> Any:
    """Return the candidate's value in the form that the schema takes; as found where none fits."""
    forms = [it for it in _forms(field, candidate) if it is not None and it != ""]
    local = {**field.schema, **({"$defs": root["$defs"]} if "$defs" in root else {})}
    for form in forms:
        if is_valid(local, form):
            return form
    # A labelled value that breaks a limit of the schema is told of, not hidden.
    right_type = [it for it in forms if _has_type(field, it)]
    return (
        right_type[0]
        if right_type and candidate.sure >= 0.8 and "pattern" not in field.schema
        else None
    )


def _has_type(field: Field, form: Any) -> bool:
    if field.types & {"number", "integer"}:
        return isinstance(form, int | float) and not (
            "integer" in field.types and isinstance(form, float)
        )
    return isinstance(form, str) and "format" not in field.schema


def _forms(field: Field, candidate: Candidate) -> list[Any]:
    value, written = candidate.value, " ".join(candidate.written.split())
    if isinstance(value, Decimal):
        number = _number(value)
        percent = [float(value / 100)] if field.schema.get("maximum") == 1 else []
        return (
            [*percent, number, written, str(number)]
            if field.kind != "count"
            else [*percent, number, str(number)]
        )
    if field.types & {"number", "integer"} and isinstance(value, str):
        read = read_number(value) if regex.fullmatch(r"[\d.,]+", value) else None
        return [int(value)] if value.isdigit() else [_number(read)] if read is not None else []
    compact = regex.sub(r"[\s-]", "", value) if isinstance(value, str) else value
    if not isinstance(value, str):
        return [value]
    digits = regex.sub(r"(?!^\+)\D", "", value) if field.kind == "phone" else ""
    url = f"https://{value}" if field.kind == "url" and "://" not in value else ""
    return [
        value,
        url,
        written,
        compact,
        value.upper(),
        compact.upper(),
        value.lower(),
        digits,
        _bare(value),
    ]


def _bare(value: str) -> str:
    """Return an identifier without the letters before it: `INV-2041` → `2041`."""
    return regex.sub(r"^[\p{L}]+[-_#/ ]*", "", value)


def _number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def _fill_object(field: Field, document: Document, root: Schema) -> Filled | None:
    """Fill in an object inside: its name lends its children their role."""
    children = [_with_parent(child, field) for child in field.children]
    filled = {
        child.name: it for child in children if (it := _fill(child, document, root)) is not None
    }
    amount = _amount_pair(field, document, {it.name: it.kind for it in children})
    filled |= {
        name: it for name, it in amount.items() if name in {child.name for child in children}
    }
    if not filled:
        return None
    value = {child.name: filled[child.name].value for child in children if child.name in filled}
    places = {path: it for name in value for path, it in _within(name, filled[name].places).items()}
    return Filled(value, sum(it.sure for it in filled.values()) / max(len(filled), 1), places)


def _with_parent(child: Field, parent: Field) -> Field:
    """Return the child as one reads it: the `amount` of a `refund`, the `name` of a `supplier`."""
    words, kind = f"{parent.words} {child.words}", child.kind
    if kind == "person" and child.words == "name" and SUPPLIERS.search(parent.words):
        kind = "company"
    if kind == "date" and parent.words in {"customer", "sender", "supplier", "contact"}:
        words = child.words
    if kind in {
        "email",
        "phone",
        "address",
        "street",
        "city",
        "postcode",
        "country",
        "url",
        "iban",
        "vat",
        "person",
        "first_name",
        "last_name",
        "boolean",
        "choice",
    }:
        words = child.words
    return Field(
        child.name, child.schema, kind, words, child.hints, child.required, child.choices,
        child.children, child.item, child.types,
    )  # fmt: skip


def _amount_pair(field: Field, document: Document, kinds: dict[str, str]) -> dict[str, Filled]:
    """Return amount and currency together, so that they are of the same sum."""
    money = next((name for name, kind in kinds.items() if kind == "money"), "")
    currency = next((name for name, kind in kinds.items() if kind == "currency"), "")
    if not money or not currency or len(kinds) > 3:
        return {}
    asked = Field(
        "", {"type": "number"}, "money", field.words, field.hints, types=frozenset({"number"})
    )
    for layer, (text, factor) in enumerate(zip(document.layers, LAYER_FACTORS, strict=False)):
        by_place = {it.start: it.currency for it in find_amounts(text)}
        for found in candidates_for(asked, document, text):
            span = span_at(document, layer, found.start, found.end)
            if span and found.start in by_place and found.sure * factor >= LEAST_SURE:
                sure = min(found.sure * factor, 0.99)
                return {
                    money: _at(_number(found.value), sure, span),
                    currency: _at(by_place[found.start], sure, span),
                }
    return {}


def _fill_array(field: Field, document: Document, root: Schema) -> Filled | None:
    item = field.item
    if item is None:
        return None
    if item.kind == "choice":
        return _fill_choices(item, document)
    if item.kind == "object":
        return _fill_rows(item, document, root)
    layer, all_found = _all_candidates(item, document)
    found = [it for it in all_found if it.sure >= LEAST_SURE]
    values: list[Any] = []
    spans: list[Span | None] = []
    for candidate in sorted(found, key=lambda it: it.start):
        value = _fitting(item, candidate, root)
        if value is not None and value not in values:
            values.append(value)
            spans.append(span_of(candidate, item, document, layer))
    most = min(field.schema.get("maxItems", MOST_ITEMS), MOST_ITEMS)
    sure = sum(it.sure for it in found) / len(found) if found else 0.0
    return _listed(values, spans, min(sure, 0.95), most)


def _fill_choices(item: Field, document: Document) -> Filled | None:
    text = document.layers[0]
    values = choices.find_choices(item, text)
    spots = [choices.place_of(item, it, text) for it in values]
    return _listed(values, [span_at(document, 0, *it) if it else None for it in spots], 0.75, 50)


def _listed(
    values: Sequence[Any], spans: Sequence[Span | None], sure: float, most: int
) -> Filled | None:
    """Return those of the values that stand somewhere, as one."""
    placed = [(value, span) for value, span in zip(values, spans, strict=True) if span][:most]
    places = {str(index): Place(sure, span) for index, (_, span) in enumerate(placed)}
    return Filled([value for value, _ in placed], sure, places) if placed else None


def _all_candidates(item: Field, document: Document) -> tuple[int, list[Candidate]]:
    """Return the candidates of the first layer that has any, and which; of dates and sums all."""
    if item.kind == "text":
        return 0, _bullets(item, document.layers[0])
    for layer, text in enumerate(document.layers[:2]):
        found = candidates_for(item, document, text)
        if item.kind in {"date", "money"} and not item.role({**roles.dates(), **roles.money()}):
            plain = Field(item.name, item.schema, item.kind, item.kind, types=item.types)
            found = candidates_for(plain, document, text) + found
        if found:
            return layer, found
    return 0, []


def _bullets(item: Field, text: str) -> list[Candidate]:
    """Return the points of a list in the text, surer where the field's words introduce it."""
    found = [
        Candidate(it["point"].strip(), it.start("point"), it.end("point"), 0.6, it["point"])
        for it in regex.finditer(
            r"^[ \t]*(?:[-*•–・]|\d{1,2}[.)])[ \t]+(?P<point>\S[^\n]{0,200})$",
            text,
            regex.MULTILINE,
        )
    ]
    if not found:
        return []
    lead = (
        labels.before(text, found[0].start, 0) + text[max(0, found[0].start - 120) : found[0].start]
    )
    named = any(
        regex.search(regex.escape(word), lead, regex.IGNORECASE) for word in item.words.split()
    )
    return (
        found
        if named
        else [Candidate(it.value, it.start, it.end, 0.45, it.written) for it in found]
    )


def _fill_rows(item: Field, document: Document, root: Schema) -> Filled | None:
    """Fill in one object a line of the text: `2 x Desk lamp  49.00 EUR`."""
    asked = {**item.schema, "$defs": root.get("$defs", {})}
    rows = [it for it in read_rows(item, document.layers[0]) if is_valid(asked, it[0])]
    spans = [span_at(document, 0, start, end) for _, start, end in rows]
    return _listed([it[0] for it in rows], spans, 0.65, MOST_ITEMS)
