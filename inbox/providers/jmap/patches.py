"""Calls of methods (RFC 8620 3.2), and the patches of objects in them (5.3). Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

# A method, its arguments, and the id by which its answer and others refer to it.
Call: TypeAlias = tuple[str, Mapping[str, Any], str]

_MOST_IDS = 10_000


def pointed(name: str) -> str:
    """Return a name as a part of a JSON pointer (RFC 6901 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def map_patch(
    found: Mapping[str, Any], name: str, old: Sequence[str], new: Sequence[tuple[str, Any]]
) -> dict[str, Any]:
    """Return what changes a map of an object: of the entries `old`, those of `new` stay or change.

    `new` are entries by id, those without one being new. What else is in the map stays as it is.
    """
    there = found.get(name)
    if not isinstance(there, dict) or not there:
        made = dict(_numbered({}, new))
        return {name: made} if made else {}
    wanted = dict(_numbered(there, new))
    patch: dict[str, Any] = {
        f"{name}/{pointed(key)}": one for key, one in wanted.items() if there.get(key) != one
    }
    gone = [key for key in old if key not in wanted]
    if len(gone) == len(there) and not wanted:
        return {name: None}
    return patch | {f"{name}/{pointed(key)}": None for key in gone}


def _numbered(there: Mapping[str, Any], new: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return entries, those without an id under one that is free."""
    taken = {*there, *(key for key, _one in new)}
    free = (f"n{number}" for number in range(1, _MOST_IDS) if f"n{number}" not in taken)
    return [(key or next(free), one) for key, one in new]


def set_in(found: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return an object with a value, without that name where it is empty."""
    kept = {key: it for key, it in found.items() if key != name}
    return {**kept, name: value} if value else kept
