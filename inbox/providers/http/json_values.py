"""Values of JSON that somebody else wrote, each of the kind that is wanted or none at all."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

# How half a pair of surrogates and NUL are written, which no database takes.
_UNFIT = re.compile(r"\\u(?:0000|d[89a-f][0-9a-f]{2})", re.IGNORECASE)


def read_json(body: bytes) -> Any:
    """Return what JSON says (RFC 8259), in texts and numbers that can be kept; raises ValueError.

    Without NUL and halves of surrogate pairs; a number that is none or endless is None.
    """
    try:
        text = body.decode("utf-8-sig")
        found = json.loads(text, parse_float=_number, parse_constant=_number)
        return _fit(found) if _UNFIT.search(text) else found
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _number(said: str) -> float | None:
    number = float(said)
    return number if math.isfinite(number) else None


def _fit(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\x00", "").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_fit(name): _fit(one) for name, one in value.items()}
    return [_fit(one) for one in value] if isinstance(value, list) else value


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
