"""`tools/call` as nearly every client writes it, answered without the protocol's library.

The library holds a request and its answer against models of both sides, within a span of its own,
which costs as much as many calls take. A call of a name with an object of arguments and nothing
odd passes them by its shape. Whatever is written in another way, has half of a character in it, or
comes while somebody collects spans goes through the library; tests hold both to the same bytes.
"""

import json
from typing import Any

from mcp.server.runner import modern_error_data
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, InputRequiredResult, JSONRPCRequest
from mcp_types.methods import serialize_server_result

from agents.errors import ToolError
from agents.surfaces.mcp.asking import Asked
from agents.surfaces.mcp.callers import URL_HANDSHAKE, Caller
from agents.surfaces.mcp.calling import answer_plainly, as_result, read_key
from agents.surfaces.mcp.sessions import Session
from inbox.background.traces import are_collected

_METHOD = "tools/call"
_PARAMS = frozenset({"name", "arguments", "_meta"})
# What the protocol says in `_meta` begins so; ours and other people's does not.
_PROTOCOLS_OWN = "io.modelcontextprotocol/"


def is_plain(request: JSONRPCRequest, body: bytes) -> bool:
    """Return True if a request, of this body, is such a call and no spans are collected."""
    params = request.params
    if request.method != _METHOD or params is None or not params.keys() <= _PARAMS:
        return False
    return (
        isinstance(params.get("name"), str)
        and isinstance(params.get("arguments", {}), dict)
        and _is_plain_meta(params.get("_meta", {}))
        and not has_halves(body)
        and not are_collected()
    )


def call_plainly(request: JSONRPCRequest, caller: Caller, session: Session, revision: str) -> bytes:
    """Return the answer, as JSON, to a plain call by a revision up to 2025-11-25.

    It speaks to the database, and belongs in a thread.
    """
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request.id}
    try:
        answer["result"] = result = _answer(request.params or {}, caller, session, revision)
        content = json.dumps(answer).encode()
        if not has_halves(content):
            return content
        # Whole characters beyond the first plane are written in halves as well.
        answer["result"] = checked(result, revision)
    except Exception as error:  # noqa: BLE001
        answer.pop("result", None)
        answer["error"] = modern_error_data(error).model_dump(exclude_none=True)
    return json.dumps(answer).encode()


def has_halves(content: bytes) -> bool:
    """Return True if JSON writes half of a character: raw bytes of UTF-8 cannot have one."""
    return b"\\ud" in content or b"\\uD" in content


def checked(result: dict[str, Any], revision: str) -> dict[str, Any]:
    """Return a result as the library sends it, held against its models.

    Raises pydantic's ValidationError.
    """
    typed = as_result(result).model_dump(by_alias=True, mode="json", exclude_none=True)
    return serialize_server_result(_METHOD, revision, typed)


def _answer(
    params: dict[str, Any], caller: Caller, session: Session, revision: str
) -> dict[str, Any]:
    asked = Asked(
        caller, params["name"], params.get("arguments", {}), revision,
        key=read_key(params.get("_meta", {})),
        opens_urls=session.opens_urls and revision == URL_HANDSHAKE,
        shows_cards=session.shows_cards,
    )  # fmt: skip
    try:
        told = answer_plainly(asked)
    except ToolError as error:
        raise MCPError(INVALID_PARAMS, error.message, error.as_json()) from error
    if isinstance(told, InputRequiredResult):
        raise TypeError("a question was asked that no revision with a handshake has")
    return told


def _is_plain_meta(meta: object) -> bool:
    if not isinstance(meta, dict):
        return False
    return type(meta.get("progressToken", "")) in {str, int} and not any(
        name.startswith(_PROTOCOLS_OWN) for name in meta
    )
