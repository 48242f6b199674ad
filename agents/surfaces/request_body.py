"""Requests of the API: their bearer, and their JSON, which is read strictly."""

import json
from collections import Counter
from typing import Any
from urllib.parse import parse_qsl

from django.conf import settings
from django.http import HttpRequest

from agents.errors import ToolError, invalid
from agents.operations.agents import Bearer, identify
from inbox.actor import Actor

# Objects and lists within each other; json would recurse without end.
_DEEPEST = 100


def read_bearer(request: HttpRequest) -> Actor:
    """Return whose token the request carries (RFC 6750); raises ToolError `unauthenticated`."""
    return find_bearer_of(request).actor


def find_bearer_of(request: HttpRequest) -> Bearer:
    """Return whose token the request carries, and how they stand, as `read_bearer` does."""
    return find_bearer_at(request.META.get("HTTP_AUTHORIZATION", ""), "")


def find_bearer(authorization: str) -> Actor:
    """Return whose token an Authorization header has; raises ToolError `unauthenticated`."""
    return find_bearer_at(authorization, "").actor


def find_bearer_at(authorization: str, address: str) -> Bearer:
    """Return whose token an Authorization header has, and whether by a client that signed in.

    `address` is where it is used: a token of such a client opens only one. Raises ToolError
    `unauthenticated`.
    """
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise ToolError(
            "unauthenticated", "The request carries no token",
            {"header": "Authorization", "accepted": "Bearer chy_…"},
        )  # fmt: skip
    return identify(token.strip(), address)


def accepts(request: HttpRequest, media_type: str) -> bool:
    """Return True if the caller takes an answer of this type, whatever its parameters."""
    if not request.META.get("HTTP_ACCEPT", "").strip():
        return True
    main, _, sub = media_type.partition("/")
    return any(
        one.main_type in {"*", main} and one.sub_type in {"*", sub}
        for one in request.accepted_types
    )


def read_parameters(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the parameters of the query, in order; raises ToolError where it cannot be read."""
    text = request.META.get("QUERY_STRING", "")
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=50, errors="strict")
    except ValueError:
        raise ToolError("invalid_input", "The query of the address cannot be read") from None


def refuse_parameters(request: HttpRequest) -> None:
    """Raise ToolError `invalid_input` where the address has a query at all."""
    for name, _ in read_parameters(request):
        raise invalid(f"/{name[:100]}", "is no parameter of this", "none in the query")


def read_json(request: HttpRequest) -> Any:
    """Return the body's JSON value; an empty body is an empty object.

    Raises ToolError for another media type, a compressed or oversized body, and for what is no
    JSON by RFC 8259: NaN, infinite numbers and repeated names among it.
    """
    _check_coding(request)
    body = _read_body(request)
    if not body.strip():
        return {}
    _check_media_type(request)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise invalid("", "is no UTF-8", "JSON in UTF-8") from None
    return parse_json(text)


def parse_json(text: str) -> Any:
    """Return the value of a JSON text, strictly; raises ToolError `invalid_input`."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_repetition,
            parse_constant=_refuse_constant,
            parse_float=_read_float,
        )
    except _NotJson as error:
        raise invalid("", str(error), "JSON (RFC 8259)") from None
    except RecursionError:
        raise invalid("", "is nested too deeply", f"at most {_DEEPEST} levels") from None
    except ValueError as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise invalid("", f"is no JSON{where}", "JSON (RFC 8259)") from None


class _NotJson(Exception):  # noqa: N818
    """What Python would take and JSON does not have."""


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        # Counted at once: looking for each name in turn would take minutes for a full body.
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise _NotJson(f"has the name {twice[:80]!r} twice")
    return found


def _refuse_constant(name: str) -> Any:
    raise _NotJson(f"holds {name}, which is no number")


def _read_float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _NotJson(f"holds {text[:40]}, which is out of range")
    return number


def _check_coding(request: HttpRequest) -> None:
    coding = request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower()
    if coding not in {"", "identity"}:
        raise ToolError(
            "unsupported_media_type", f"The body is encoded as {coding[:40]!r}",
            {"header": "Content-Encoding", "accepted": "identity"},
        )  # fmt: skip


def _check_media_type(request: HttpRequest) -> None:
    given = request.content_type or ""
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if given != "application/json" or charset not in {"utf-8", "utf8"}:
        raise ToolError(
            "unsupported_media_type", f"The body is {given[:80] or 'of no media type'}",
            {"header": "Content-Type", "accepted": "application/json"},
        )  # fmt: skip


def _read_body(request: HttpRequest) -> bytes:
    """Return the body up to its limit, whether or not its length was announced."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    announced = request.META.get("CONTENT_LENGTH", "")
    if announced.isdigit() and int(announced) > limit:
        raise _too_large(limit)
    body = request.read(limit + 1)
    if len(body) > limit:
        raise _too_large(limit)
    return body


def _too_large(limit: int) -> ToolError:
    return ToolError("too_large", "The body is too large", {"accepted": f"at most {limit} bytes"})
