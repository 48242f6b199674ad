"""Values of an answer, each of the kind and length that it may have."""

from collections.abc import Mapping
from typing import Any

from inbox.providers.web import GarbledAnswerError


def text(fields: Mapping[str, Any], name: str, longest: int = 1000) -> str:
    """Return a text, empty where there is none; raises GarbledAnswerError for what is no such."""
    found = fields.get(name, "")
    if not isinstance(found, str) or len(found) > longest:
        raise GarbledAnswerError(f"{name} is no text of at most {longest:,} characters")
    return found


def flag(fields: Mapping[str, Any], name: str) -> bool:
    """Return True where a field says so; raises GarbledAnswerError for what is no such."""
    found = fields.get(name, False)
    if not isinstance(found, bool):
        raise GarbledAnswerError(f"{name} is neither true nor false")
    return found


def whole(fields: Mapping[str, Any], name: str) -> int:
    """Return a whole number; raises GarbledAnswerError for what is none."""
    found = fields.get(name)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found < 2**63:
        raise GarbledAnswerError(f"{name} is no whole number")
    return found


def objects(fields: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return a list of objects; raises GarbledAnswerError for what is none."""
    found = fields.get(name)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise GarbledAnswerError(f"{name} is no list of objects")
    return found
