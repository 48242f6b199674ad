"""What Graph has no words for, kept in extended properties of an item (MS-OXPROPS 1.1).

Outlook neither shows nor changes them. There is our name of the item, by which it is found again,
and of an event what it says beyond Graph's words. Pure.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from inbox.providers.graph.answers import Json
from inbox.providers.http.json_values import object_of, objects_of, text_of, texts_of

_SPACE = "{c0a1b2de-5f37-4c4e-9d0b-6b8f3a2f1e57}"
NAME = f"String {_SPACE} Name ChanceryUid"
REST = f"String {_SPACE} Name ChanceryRest"
EXPANDED = f"singleValueExtendedProperties($filter=id eq '{NAME}' or id eq '{REST}')"
LONGEST = 30_000
_LONGEST_LINE = 2_000
_BREAKS = frozenset("\r\n")


@dataclass(frozen=True, slots=True)
class Kept:
    """What an event, or a changed instance of it, says beside; empty: what Graph says stands."""

    rule: str = ""
    zone: str = ""
    status: str = ""
    is_transparent: bool = False
    people: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()


def named(name: str) -> str:
    """Return the filter that finds the items of a name."""
    quoted = name.replace("'", "''")
    return f"singleValueExtendedProperties/Any(ep: ep/id eq '{NAME}' and ep/value eq '{quoted}')"


def value_of(item: Json, name: str) -> str:
    """Return what an extended property of an item says; empty where there is none."""
    found = objects_of(item, "singleValueExtendedProperties")
    return next((text_of(one, "value") for one in found if text_of(one, "id") == name), "")


def properties(values: Mapping[str, str]) -> list[dict[str, str]]:
    """Return extended properties as they are written."""
    return [{"id": name, "value": value} for name, value in values.items()]


def read_kept(said: str) -> dict[str, Kept]:
    """Return what is kept of each instance, by stamp; nothing where it cannot be read."""
    try:
        found = json.loads(said) if 0 < len(said) <= LONGEST else {}
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {stamp: _kept(object_of(found, stamp)) for stamp in found}


def _kept(found: Json) -> Kept:
    return Kept(
        rule=_line(text_of(found, "rule")), zone=_line(text_of(found, "zone")),
        status=_line(text_of(found, "status")), is_transparent=found.get("is_transparent") is True,
        people=tuple(filter(None, map(_line, texts_of(found, "people")))),
        rest=tuple(filter(None, map(_line, texts_of(found, "rest")))),
    )  # fmt: skip


def _line(said: str) -> str:
    """Return a text that stands on one line, empty for any other."""
    return "" if _BREAKS & set(said) or len(said) > _LONGEST_LINE else said


def write_kept(kept: Mapping[str, Kept]) -> str:
    """Return what is kept as text; raises ValueError for more than a property holds."""
    said = {stamp: found for stamp in sorted(kept) if (found := _said(kept[stamp]))}
    written = json.dumps(said, ensure_ascii=False) if said else ""
    if len(written) > LONGEST:
        raise ValueError("it has more guests, or more of its own, than Graph keeps")
    return written


def _said(kept: Kept) -> dict[str, Any]:
    pairs: Iterable[tuple[str, Any]] = ((one.name, getattr(kept, one.name)) for one in fields(kept))
    return {name: list(it) if isinstance(it, tuple) else it for name, it in pairs if it}
