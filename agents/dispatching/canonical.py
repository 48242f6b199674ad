"""JSON in one spelling, for hashes, and shortened, for receipts."""

import hashlib
import json
import math
import re
from dataclasses import dataclass
from typing import Any

_LONGEST_TEXT = 200
_LONGEST_WHOLE = 4000
_DEEPEST = 100
# A number with a point or an exponent begins a value; within a text this may be found as well.
_MAYBE_FRACTION = re.compile(r'(?:^|[\[,]|":)-?\d+[.e]')
# Agents write their own token where something else was asked for.
_TOKEN = re.compile(r"\bchy_[A-Za-z0-9_-]{20,}")


def canonical(value: Any) -> str:
    """Return JSON with sorted keys and no spaces; 47.0 is written as 47, as databases may."""
    try:
        text = _in_order(value)
    except ValueError:
        # It holds what JSON has no number for.
        return _in_order(_with_whole_numbers(value))
    # Most hold no fraction at all, and to look for one in the text is quick.
    return _in_order(_with_whole_numbers(value)) if _MAYBE_FRACTION.search(text) else text


_in_order = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode


def digest(text: str) -> str:
    """Return the SHA-256 of a text in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def clean(text: str) -> str:
    """Return a text that every database can hold: no NUL, no half of a character."""
    shown = text.replace("\0", "␀")
    return shown if shown.isascii() else shown.encode("utf-8", "replace").decode()


def by_hash(text: str) -> dict[str, Any]:
    """Return what stands for a long text: its hash and its length in characters."""
    return {"sha256": digest(text), "length": len(text)}


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The arguments of a call: whole, as its receipts show them, and the hash of the whole.

    `text` is the whole in its one spelling.
    """

    whole: dict[str, Any]
    short: Any
    sha256: str
    text: str

    @classmethod
    def of(cls, whole: dict[str, Any]) -> "CallArguments":
        """Return arguments that are JSON, shortened and hashed once for all that asks."""
        text = canonical(whole)
        # Shortening never makes longer, so that what is short is written once.
        is_short = len(text) <= _LONGEST_WHOLE
        return cls(whole, _shorten(whole) if is_short else shorten(whole), digest(text), text)


def shorten(value: Any) -> Any:
    """Return a JSON value with its long texts by hash; the whole by hash where still too long."""
    short = _shorten(value)
    text = canonical(short)
    return by_hash(text) if len(text) > _LONGEST_WHOLE else short


def as_object(arguments: object) -> dict[str, Any]:
    """Return arguments that may be anything at all, as a receipt can hold them."""
    short = shorten(arguments) if isinstance(arguments, dict) else {}
    return short if isinstance(short, dict) else {}


def _shorten(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, str):
        return clean(_mask(value)) if len(value) <= _LONGEST_TEXT else by_hash(value)
    if isinstance(value, dict):
        return {_shorten_key(str(key)): _shorten(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shorten(item, depth + 1) for item in value]
    return _whole(value)


def _mask(text: str) -> str:
    """Return the text without tokens: receipts are kept for good, and read by many."""
    return _TOKEN.sub("chy_…", text) if "chy_" in text else text


def _shorten_key(key: str) -> str:
    short = _shorten(key)
    return short if isinstance(short, str) else f"sha256:{short['sha256']}"


def _with_whole_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_whole_numbers(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_whole_numbers(item) for item in value]
    return _whole(value)


def _whole(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return str(value)
    return int(value) if value.is_integer() else value
