"""Parts of an answer, by the mask that asks for them: `nextPageToken,files(id,name)`."""

import re
from typing import Any

from tests.machines.google.refusing import Refused

_TOKEN = re.compile(r"[A-Za-z0-9*]+|[(),/]")


def masked(answer: Any, mask: str) -> Any:
    """Return what a mask asks for."""
    tokens = _TOKEN.findall(mask)
    if "".join(tokens) != mask:
        raise Refused(400, "invalidParameter", f"Invalid field selection {mask}")
    found = _kept(answer, _read(tokens))
    if tokens:
        raise Refused(400, "invalidParameter", f"Invalid field selection {mask}")
    return found


def _read(tokens: list[str]) -> dict[str, Any]:
    """Return the names that are asked for, each with what is asked for within it."""
    found: dict[str, Any] = {}
    while tokens:
        name, inner = tokens.pop(0), {"*": {}}
        if tokens and tokens[0] in "(/":
            is_one = tokens.pop(0) == "/"
            inner = {tokens.pop(0): {"*": {}}} if is_one else _read(tokens)
            if not is_one and (not tokens or tokens.pop(0) != ")"):
                raise Refused(400, "invalidParameter", "Invalid field selection")
        found[name] = inner
        if not tokens or tokens[0] != ",":
            return found
        tokens.pop(0)
    return found


def _kept(value: Any, wanted: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_kept(each, wanted) for each in value]
    if "*" in wanted or not isinstance(value, dict):
        return value
    return {name: _kept(value[name], inner) for name, inner in wanted.items() if name in value}
