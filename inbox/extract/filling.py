"""Filling in a schema from a document: for each field the surest value that the schema takes."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import regex

from inbox.extract import choices, labels, roles
from inbox.extract.document import Document
from inbox.extract.fields import Field, fields_of
from inbox.extract.labels import Candidate
from inbox.extract.readers.numbers import find_amounts, read_number
from inbox.extract.schemas import Schema
from inbox.extract.validation import is_valid
from inbox.extract.values import candidates_for
from inbox.languages import any_of, lazy_regex

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
    """A value for a field and how sure it is."""

    value: Any
    sure: float


def fill(schema: Schema, document: Document) -> tuple[dict[str, Any], dict[str, float], list[str]]:
    """Return the data, how sure each field is, and the names of the required that were not found.

    What an object must have is missing only where that object is there.
    """
    fields = fields_of(schema)
    filled = {
        field.name: it for field in fields if (it := _fill(field, document, schema)) is not None
    }
    if filled:
        filled |= {
            it.name: Filled(it.schema["const"], 1.0)
            for it in fields
            if it.kind == "const" and it.required
        }
    data = {field.name: filled[field.name].value for field in fields if field.name in filled}
    sure = {name: it.sure for name, it in filled.items() if name in data}
    missing = [path for field in fields for path in _missing(field, data)]
    return data, sure, missing + _undeclared(schema, fields)


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


def _fill(field: Field, document: Document, root: Schema) -> Filled | None:
    if field.kind == "object":
        return _fill_object(field, document, root)
    if field.kind == "array":
        return _fill_array(field, document, root)
    if field.kind in {"choice", "boolean"}:
        return _fill_choice(field, document)
    best: Filled | None = None
    for text, factor in zip(document.layers, LAYER_FACTORS, strict=False):
        if not text or (factor == LAYER_FACTORS[2] and field.kind in _OWN_ONLY):
            continue
        for candidate in candidates_for(field, document, text):
            value = _fitting(field, candidate, root)
            if value is not None and candidate.sure * factor >= LEAST_SURE:
                return Filled(value, min(candidate.sure * factor, 0.99))
    return best


def _fill_choice(field: Field, document: Document) -> Filled | None:
    text = document.layers[0]
    found: tuple[Any, float] | None
    if field.kind == "boolean":
        found = choices.find_truth(field, text, bool(document.attachment_names))
    else:
        found = choices.find_choice(field, text)
    return Filled(*found) if found else None


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
    return Filled(value, sum(it.sure for it in filled.values()) / max(len(filled), 1))


def _with_parent(child: Field, parent: Field) -> Field:
    """Return the child as one reads it: the `amount` of a `refund`, the `name` of a `supplier`."""
    words, kind = f"{parent.words} {child.words}", child.kind
    if kind == "person" and child.words == "name" and _SUPPLIERS.search(parent.words):
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
    for text, factor in zip(document.layers, LAYER_FACTORS, strict=False):
        by_place = {it.start: it.currency for it in find_amounts(text)}
        for found in candidates_for(asked, document, text):
            if found.start in by_place and found.sure * factor >= LEAST_SURE:
                sure = min(found.sure * factor, 0.99)
                return {
                    money: Filled(_number(found.value), sure),
                    currency: Filled(by_place[found.start], sure),
                }
    return {}


def _fill_array(field: Field, document: Document, root: Schema) -> Filled | None:
    item = field.item
    if item is None:
        return None
    if item.kind == "choice":
        values = choices.find_choices(item, document.layers[0])
        return Filled(values, 0.75) if values else None
    if item.kind == "object":
        return _fill_rows(item, document, root)
    found = [it for it in _all_candidates(item, document) if it.sure >= LEAST_SURE]
    values = []
    for candidate in sorted(found, key=lambda it: it.start):
        value = _fitting(item, candidate, root)
        if value is not None and value not in values:
            values.append(value)
    most = min(field.schema.get("maxItems", MOST_ITEMS), MOST_ITEMS)
    sure = sum(it.sure for it in found) / len(found) if found else 0.0
    return Filled(values[:most], min(sure, 0.95)) if values else None


def _all_candidates(item: Field, document: Document) -> list[Candidate]:
    """Return the candidates of the first layer that has any; of dates and sums all."""
    if item.kind == "text":
        return _bullets(item, document.layers[0])
    for text in document.layers[:2]:
        found = candidates_for(item, document, text)
        if item.kind in {"date", "money"} and not item.role({**roles.dates(), **roles.money()}):
            plain = Field(item.name, item.schema, item.kind, item.kind, types=item.types)
            found = candidates_for(plain, document, text) + found
        if found:
            return found
    return []


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
    rows: list[dict[str, Any]] = []
    for line in document.layers[0].split("\n"):
        row = _row(item, line)
        if len(row) >= min(2, len(item.children)) and is_valid(
            {**item.schema, "$defs": root.get("$defs", {})}, row
        ):
            rows.append(row)
    return Filled(rows[:MOST_ITEMS], 0.65) if rows else None


_SUPPLIERS = lazy_regex(lambda: any_of(lambda it: it.schemas.suppliers))
_SUMS = lazy_regex(lambda: any_of(lambda it: it.schemas.sums))


def _row_pattern() -> str:
    bullet = r"^[ \t]*(?:[-*•]|\d{1,2}[.)])?[ \t]*"
    each = any_of(lambda it: it.labels.each)
    pieces = f"(?:x|×|{any_of(lambda it: it.labels.pieces)})"
    return (
        rf"{bullet}(?P<quantity>\d{{1,5}})[ \t]?{pieces}[ \t]+(?P<what>\p{{L}}.{{1,80}}?)"
        rf"(?:[ \t]*(?:@|{each}|[-–:,|\t]|  )[ \t]*(?P<rest>.{{0,80}}))?$"
        rf"|{bullet}(?P<what>\p{{L}}[^\n]{{1,60}}?)[ \t]*[,:x×|\t][ \t]*(?P<quantity>\d{{1,5}})"
        rf"(?:[ \t]?{pieces})?(?:[ \t|,@à]+(?P<rest>[^\n]{{0,80}}))?$"
    )


_ROW = lazy_regex(_row_pattern)


def _row(item: Field, line: str) -> dict[str, Any]:
    match = _ROW.match(line[:200], timeout=0.2)
    if not match:
        return {}
    amounts = [_number(it.value) for it in find_amounts(line)]
    what = match["what"].strip(" ,:-–|")
    if (found := find_amounts(what)) and found[0].start > 0:
        what = what[: found[0].start].strip(" ,:-–|@")
    row: dict[str, Any] = {}
    for child in item.children:
        if (
            child.kind == "count"
            and "quantity" not in row.values()
            and not regex.search("price|total", child.words)
        ):
            row[child.name] = int(match["quantity"])
        elif child.kind == "money" and amounts:
            is_total = _SUMS.search(child.words)
            row[child.name] = amounts[-1] if is_total else amounts[0]
        elif child.kind in {"text", "person", "sentence"} and "string" in child.types:
            row[child.name] = what
    return row
