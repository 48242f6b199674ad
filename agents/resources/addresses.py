"""Addresses of what is read: `email://…` and `chancery://…` URIs, and a query's parameters."""

from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from agents.contracts import REGISTRY, RESOURCES, Registry
from agents.contracts.schemas import Schema
from agents.errors import ToolError, invalid

_LONGEST_NUMBER = 15
_WORDS = {"true": True, "false": False}


def read_uri(uri: str) -> tuple[str, dict[str, Any]]:
    """Return what a URI names, a resource, the inboxes or `look_around`, and its arguments.

    Raises ToolError `invalid_input` where it is none of them.
    """
    parts, query = _split(uri)
    steps = [parts.netloc, *parts.path.split("/")[1:]]
    if parts.scheme == "chancery" and not parts.fragment:
        return _read_surroundings(steps, query)
    if parts.scheme != "email" or parts.fragment:
        raise _bad_uri()
    return _read_mail(steps, query)


def _read_mail(steps: list[str], query: list[tuple[str, str]]) -> tuple[str, dict[str, Any]]:
    match steps:
        case ["inboxes"]:
            return "list_inboxes", read_query(query)
        case ["inboxes", key, "threads"] if key:
            return "read_threads", {**_filters(query), "inbox_id": key}
        case ["inboxes", key] if key and not query:
            return "read_inbox", {"inbox_id": key}
        case ["threads", key, "summary"] if key and not query:
            return "read_thread_summary", {"thread_id": key}
        case ["threads", key] if key and not query:
            return "read_thread", {"thread_id": key}
        case ["messages", key] if key and not query:
            return "read_message", {"message_id": key}
    raise _bad_uri()


def _read_surroundings(
    steps: list[str], query: list[tuple[str, str]]
) -> tuple[str, dict[str, Any]]:
    match steps:
        case ["look_around"] if not query:
            return "look_around", {}
        case ["look_around", kind] if kind:
            arguments = read_query(query)
            if "kind" in arguments:
                raise invalid("/kind", "stands in the address already", "no such parameter")
            return "look_around", {**arguments, "kind": kind}
    raise _bad_uri()


def registry_of(name: str) -> Registry:
    """Return the registry that has what a URI names."""
    return RESOURCES if name in RESOURCES else REGISTRY


def read_query(pairs: list[tuple[str, str]], schema: Schema | None = None) -> dict[str, Any]:
    """Return the parameters of a query string as arguments; raises ToolError for a repeated one.

    By the schema of the arguments, digits are a number and `true` and `false` are what they say.
    """
    fields = (schema or {}).get("properties", {"limit": {"type": "integer"}})
    arguments: dict[str, Any] = {}
    for name, value in pairs:
        if name in arguments:
            raise invalid(f"/{name[:100]}", "is given twice", "one value")
        arguments[name] = _read_value(value, fields.get(name, {}).get("type"))
    return arguments


def _read_value(text: str, kind: object) -> object:
    if kind == "integer" and text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER:
        return int(text)
    if kind == "boolean":
        return _WORDS.get(text, text)
    return text


def _split(uri: str) -> tuple[SplitResult, list[tuple[str, str]]]:
    if not uri.isprintable():
        # urlsplit would pass over line breaks and read another address than was given.
        raise _bad_uri()
    try:
        parts = urlsplit(uri)
        strict = bool(parts.query)
        return parts, parse_qsl(parts.query, keep_blank_values=True, strict_parsing=strict)
    except ValueError:
        raise _bad_uri() from None


def _filters(query: list[tuple[str, str]]) -> dict[str, Any]:
    filters = read_query(query)
    if "inbox_id" in filters:
        raise invalid("/inbox_id", "stands in the address already", "no such parameter")
    return filters


def _bad_uri() -> ToolError:
    accepted = (
        "email://inboxes/{inbox_id}, email://inboxes/{inbox_id}/threads?status=&label=, "
        "email://threads/{thread_id}, email://messages/{message_id}, "
        "email://threads/{thread_id}/summary, chancery://look_around or "
        "chancery://look_around/{kind}?search="
    )
    return invalid("/uri", "is no resource", accepted)
