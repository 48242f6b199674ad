"""Values of JSON that somebody else wrote, each of the kind that is wanted or none at all."""

from collections.abc import Mapping
from typing import Any


def text_of(found: Mapping[str, Any], name: str) -> str:
    """Return a text of an object, empty where it is none."""
    value = found.get(name)
    return value if isinstance(value, str) else ""


def objects_of(found: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects of a list, without what is none."""
    value = found.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def object_of(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object of an object, an empty one where it is none."""
    value = found.get(name)
    return value if isinstance(value, dict) else {}


def texts_of(found: Mapping[str, Any], name: str) -> list[str]:
    """Return the texts of a list, without what is none or empty."""
    value = found.get(name)
    return [one for one in value if isinstance(one, str) and one] if isinstance(value, list) else []
