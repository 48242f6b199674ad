"""The schemas that are filled in: those that a workspace begins with, and what people add."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench.understanding.extraction.facts import Facts
from bench.understanding.extraction.letters import Labelled

_DEFAULTS = Path(__file__).parents[3] / "inbox" / "defaults" / "schemas"
_TEXT, _NUMBER, _DAY = {"type": "string"}, {"type": "number"}, {"type": "string", "format": "date"}
_ITEM = {
    "type": "object", "required": ["description"],
    "properties": {
        "description": _TEXT, "quantity": {"type": "integer"}, "unit_price": _NUMBER, "total": _NUMBER,
    },
}  # fmt: skip


def default(name: str) -> dict[str, Any]:
    """Return a schema that every workspace begins with."""
    schema: dict[str, Any] = json.loads((_DEFAULTS / f"{name}.json").read_text(encoding="utf-8"))
    return schema


def _with(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**schema, "properties": {**schema["properties"], **more}}


INVOICE = _with(
    default("invoice"), net_total=_NUMBER, vat_amount=_NUMBER, customer_number=_TEXT, order_number=_TEXT,
    items={"type": "array", "items": _ITEM},
)  # fmt: skip
ORDER = default("order")
BOOKING = {
    "type": "object",
    "properties": {
        "booking_number": _TEXT, "check_in": _DAY, "check_out": _DAY, "guests": {"type": "integer"},
        "total": _NUMBER, "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
    },
}  # fmt: skip
MEETING, CONTACT = default("meeting"), default("contact")


def asking(name: str, fields: Iterable[str], states: Iterable[str]) -> dict[str, Any]:
    """Return a schema for these fields alone: as a default one has them, else as plain text.

    What may become of an order are the `states`.
    """
    known = default(name)["properties"]
    asked = {field: known.get(field, _TEXT) for field in fields}
    if "status" in asked:
        asked["status"] = {"type": "string", "enum": sorted(states)}
    return {"type": "object", "properties": asked}


def labelled(
    layout: str, schema: dict[str, Any], raw: bytes, facts: Facts, fields: tuple[str, ...],
    **also: tuple[Any, ...],
) -> Labelled:  # fmt: skip
    """Return a letter with those of its facts that it says."""
    truth = {name: facts.truth[name] for name in fields if name in facts.truth}
    if "items" in fields:
        truth["items"] = [
            {"description": it.what, "quantity": it.quantity, "unit_price": float(it.price), "total": float(it.total)}
            for it in facts.items
        ]  # fmt: skip
    if "status" in fields:
        truth["status"] = "confirmed"
    return Labelled(f"{layout} {facts.language}", schema, raw, truth, also)
