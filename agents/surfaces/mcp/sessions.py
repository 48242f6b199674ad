"""`initialize`, and the session that begins with it: what a client said, signed, and kept by it."""

import secrets
from dataclasses import dataclass
from typing import Any

from django.core import signing
from mcp_types import InitializeRequestParams
from pydantic import ValidationError

from agents.contracts.validation import pointer_to
from agents.errors import ToolError, invalid
from agents.surfaces.mcp.apps.card import is_shown_by
from agents.surfaces.mcp.callers import URL_HANDSHAKE
from inbox.actor import Actor

HEADER = "mcp-session-id"
# What the protocol wants assumed where a request names no revision.
UNNAMED = "2025-03-26"
_SALT = "chancery.mcp.session"
_ANYBODY = {"name": "client", "version": ""}
_ACCEPTED = {
    "protocolVersion": "a revision of the protocol, such as 2025-11-25",
    "capabilities": "an object with what the client can do, or nothing",
    "clientInfo": "an object with name and version, or nothing",
}


@dataclass(frozen=True, slots=True)
class Session:
    """What a later request must know of `initialize`."""

    name: str = ""
    opens_urls: bool = False
    shows_cards: bool = False


def complete_hello(params: dict[str, Any] | None, revision: str = UNNAMED) -> dict[str, Any]:
    """Return the parameters of `initialize` with what was left out: nothing is known of it then.

    `revision` is the one of the header. Clients written by hand leave out what the protocol
    requires; null is nothing said. Raises ToolError `invalid_input`, which names the field.
    """
    said = {name: value for name, value in (params or {}).items() if value is not None}
    whole = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {}, **said}
    if isinstance(whole["clientInfo"], dict):
        named = {name: one for name, one in whole["clientInfo"].items() if one is not None}
        whole["clientInfo"] = _ANYBODY | named
    try:
        InitializeRequestParams.model_validate(whole, by_name=False)
    except ValidationError as error:
        raise _explain(error) from None
    return whole


def _explain(error: ValidationError) -> ToolError:
    where = error.errors(include_url=False, include_input=False, include_context=False)[0]["loc"]
    accepted = _ACCEPTED.get(str(where[0]) if where else "", "what the protocol has here")
    return invalid(pointer_to(where), "is not accepted", accepted)


def new_session(actor: Actor, params: dict[str, Any], agreed: object) -> dict[str, str]:
    """Return the header that begins a session; nothing of it is kept here."""
    match params["capabilities"]:
        case {"elicitation": {"url": dict()}} if agreed == URL_HANDSHAKE:
            opens_urls = True
        case _:
            opens_urls = False
    shows_cards = is_shown_by(params["capabilities"])
    words = [actor.key, secrets.token_hex(8), opens_urls, shows_cards]
    return {HEADER: signing.dumps(words, salt=_SALT)}


def read_session(actor: Actor, given: str | None) -> Session | None:
    """Return the session of this id; None where it is none, or another bearer's."""
    if given is None:
        return Session()
    try:
        who, name, opens_urls, *more = signing.loads(given, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    if who != actor.key:
        return None
    return Session(str(name), opens_urls is True, more == [True])
