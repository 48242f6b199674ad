"""What becomes of an item that was changed here and there: settled field by field. No Django."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Fields: TypeAlias = Mapping[str, Any]
# What a field is that is not there: other than every value that JSON has.
_NONE = object()


@dataclass(frozen=True, slots=True)
class Merged:
    """How an item shall stand on both sides.

    `to_us` and `to_them` are the fields that are news for either. `lost` are those of ours that
    gave way to others of the server's, with our values.
    """

    fields: dict[str, Any]
    to_us: frozenset[str]
    to_them: frozenset[str]
    lost: dict[str, Any]


def merge(*, agreed: Fields, ours: Fields, before: Fields, theirs: Fields) -> Merged:
    """Return what two changes come to; where both changed one field, the server's stands.

    `ours` is told from `agreed` and `theirs` from `before`, for the two sides need not say the same
    thing in the same words. A field that one does not have is left out.
    """
    changed_here = differing(agreed, ours)
    changed_there = differing(before, theirs)
    both = {name for name in changed_here & changed_there if not _same(ours, theirs, name)}
    to_us = frozenset(name for name in changed_there if not _same(ours, theirs, name))
    to_them = frozenset(changed_here - changed_there)
    fields = dict(ours)
    for name in to_us:
        if name in theirs:
            fields[name] = theirs[name]
        else:
            fields.pop(name, None)
    return Merged(fields, to_us, to_them, {name: ours.get(name) for name in sorted(both)})


def differing(one: Fields, other: Fields) -> set[str]:
    """Return the names of the fields in which two states of an item differ."""
    return {name for name in one.keys() | other.keys() if not _same(one, other, name)}


def _same(one: Fields, other: Fields, name: str) -> bool:
    left, right = one.get(name, _NONE), other.get(name, _NONE)
    return left is right or left == right
