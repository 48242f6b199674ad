"""MCP over HTTP: each POST carries one message and gets one JSON answer.

Nothing is kept between requests: what a later one must know of `initialize` stands, signed, in the
session id that the client sends back. So there are no streams to open and nothing to delete.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import anyio
from mcp.server.connection import Connection
from mcp.server.runner import modern_error_data, serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
)
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    PROTOCOL_VERSION_META_KEY,
    JSONRPCRequest,
    RequestId,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers

from agents.errors import ToolError
from agents.operations.agents import Bearer
from agents.surfaces.body_limit import Receive, Scope, Send, read_body
from agents.surfaces.mcp.apps.card import EXTENSION, MIME
from agents.surfaces.mcp.callers import Caller
from agents.surfaces.mcp.profiles import Profile, scope_lacking
from agents.surfaces.mcp.server import make_server
from agents.surfaces.mcp.sessions import (
    HEADER,
    UNNAMED,
    Session,
    complete_hello,
    new_session,
    read_session,
)
from agents.surfaces.mcp.threads import Threads
from agents.surfaces.mcp.transports.addresses import (
    address_of,
    challenge,
    origin_of,
    profile_at,
)
from agents.surfaces.mcp.transports.plain_calls import call_plainly, is_plain
from agents.surfaces.mcp.transports.posted import (
    Refused,
    Reply,
    check_media,
    check_source,
    cross_origin,
    read_message,
)
from agents.surfaces.request_body import find_bearer_at
from inbox.actor import Actor

_ONE_WAY = TransportContext(kind="streamable-http", can_send_request=False)


@dataclass
class Exchange:
    """A request that gets one answer: nothing is asked or told in between."""

    request_id: RequestId
    caller: Caller
    transport: TransportContext = _ONE_WAY
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    @property
    def message_metadata(self) -> MessageMetadata:
        """Return what the handlers are given as the request: its caller."""
        return ServerMessageMetadata(request_context=self.caller)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Refuse: there is no way to ask the client anything."""
        raise NoBackChannelError(method)

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        """Drop it: the answer is the only message."""

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Drop it."""


log = logging.getLogger(__name__)
# Where the published client of the mail contract puts its key; a bearer comes before it.
_KEY_HEADER = "x-nerve-cloud-key"
# Stands for the client of a session in later requests; only what it can do matters there.
_CLIENT = {"name": "client", "version": ""}
_OPENS_URLS: dict[str, Any] = {"elicitation": {"url": {}}}
_SHOWS_CARDS: dict[str, Any] = {"extensions": {EXTENSION: {"mimeTypes": [MIME]}}}


class Endpoint:
    """ASGI: answers what is posted to `/mcp` and `/mcp/{profile}`."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._server = make_server(threads, lambda caller: caller)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; a request whose sender has gone is not begun."""
        body = await read_body(receive)
        if body is None:
            return
        headers = _read_headers(scope)
        try:
            reply = await self._answer(scope, headers, body)
        except Refused as refused:
            reply = refused.reply
        except Exception:
            log.exception("the message failed")
            reply = Refused(500, INTERNAL_ERROR, "Something went wrong; it has been logged").reply
        await reply.send(send, cross_origin(headers))

    async def _answer(self, scope: Scope, headers: Headers, body: bytes) -> Reply:
        check_source(headers)
        if scope["method"] == "OPTIONS" and cross_origin(headers):
            return Reply(204)
        if scope["method"] != "POST":
            raise Refused.by_method(scope["method"])
        begun = await self._threads.run(partial(_begin, scope, headers, body))
        if isinstance(begun, Reply):
            return begun
        request, caller, wanted = begun
        if _is_stateless(headers, request):
            reply = await self._serve_stateless(headers, request, caller)
        else:
            reply = await self._serve_handshake(headers, request, caller)
        return _with_challenge(reply, scope, headers, wanted) if wanted else reply

    async def _serve_stateless(
        self, headers: Headers, request: JSONRPCRequest, caller: Caller
    ) -> Reply:
        """Answer by 2026-07-28: the request says all that there is to know about its client."""
        repeated = find_duplicated_routing_header(headers.items())
        if repeated is not None:
            raise Refused(400, HEADER_MISMATCH, f"{repeated} is given twice", id=request.id)
        message = {"method": request.method, "params": request.params}
        route = classify_inbound_request(message, headers=dict(headers))
        if isinstance(route, InboundLadderRejection):
            raise Refused.by_ladder(route, request.id)
        connection = Connection.from_envelope(
            route.protocol_version, route.client_info, route.client_capabilities
        )
        answer = await self._run(request, connection, caller)
        code = answer.get("error", {}).get("code")
        return Reply(ERROR_CODE_HTTP_STATUS.get(code, 200), answer)

    async def _serve_handshake(
        self, headers: Headers, request: JSONRPCRequest, caller: Caller
    ) -> Reply:
        """Answer by a revision that begins with `initialize`."""
        revision = _revision_of(headers)
        if request.method == "initialize":
            request.params = params = _read_hello(request, revision)
            connection = Connection.from_envelope(revision, None, None)
            answer = await self._run(request, connection, caller)
            agreed = answer.get("result", {}).get("protocolVersion")
            return Reply(200, answer, new_session(caller.actor, params, agreed) if agreed else {})
        session = _read_session(headers, caller.actor, request)
        able = (_OPENS_URLS if session.opens_urls else {}) | (
            _SHOWS_CARDS if session.shows_cards else {}
        )
        connection = Connection.from_envelope(revision, _CLIENT, able)
        caller = replace(caller, session=session.name)
        return Reply(200, await self._run(request, connection, caller))

    async def _run(
        self, request: JSONRPCRequest, connection: Connection, caller: Caller
    ) -> dict[str, Any]:
        """Return the answer to a request, whatever becomes of it."""
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request.id}
        try:
            answer["result"] = await serve_one(
                self._server, Exchange(request.id, caller), request.method, request.params,
                connection=connection, lifespan_state=None,
            )  # fmt: skip
        except Exception as error:  # noqa: BLE001
            answer["error"] = modern_error_data(error).model_dump(exclude_none=True)
        return answer


class _Begun(NamedTuple):
    """A request that the protocol's library answers."""

    request: JSONRPCRequest
    caller: Caller
    # The scope that it needs and its bearer, which can sign in anew, has not.
    wanted: str


def _begin(scope: Scope, headers: Headers, body: bytes) -> _Begun | Reply:
    """Read a message, and answer what can be answered at once: it is the one turn of a thread."""
    bearer = _authenticate(scope, headers)
    actor, profile = bearer.actor, _profile_at(scope["path"])
    check_media(headers)
    request = read_message(body)
    if not isinstance(request, JSONRPCRequest):
        _check_revision(headers)
        return Reply(202)
    wanted = _lacking(request, profile, actor) if bearer.has_signed_in else ""
    caller = Caller(actor, profile, standing=bearer.standing)
    if not is_plain(request, body) or _is_stateless(headers, request):
        return _Begun(request, caller, wanted)
    session = _read_session(headers, actor, request)
    caller, revision = replace(caller, session=session.name), _revision_of(headers)
    reply = Reply(200, content=call_plainly(request, caller, session, revision))
    return _with_challenge(reply, scope, headers, wanted) if wanted else reply


def _authenticate(scope: Scope, headers: Headers) -> Bearer:
    given = _bearer(headers)
    address = address_of(scope.get("scheme", "http"), headers, scope["path"])
    try:
        return find_bearer_at(given or "", address)
    except ToolError as error:
        if error.code != "unauthenticated":
            raise Refused.by_error(error) from error
        code = "" if given is None else "invalid_token"
        raise Refused.by_token(error, challenge(*_place(scope, headers), code)) from error


def _revision_of(headers: Headers) -> str:
    return headers.get(MCP_PROTOCOL_VERSION_HEADER, UNNAMED)


def _read_headers(scope: Scope) -> Headers:
    """Return the headers; the space around a value is no part of it (RFC 9110, section 5.5)."""
    return Headers(raw=[(name, value.strip(b" \t")) for name, value in scope["headers"]])


def _bearer(headers: Headers) -> str | None:
    key = headers.get(_KEY_HEADER)
    return headers.get("authorization", None if key is None else f"Bearer {key}")


def _profile_at(path: str) -> Profile:
    try:
        return profile_at(path)
    except ToolError as error:
        raise Refused.by_error(error) from error


def _place(scope: Scope, headers: Headers) -> tuple[str, str]:
    """Return where a request came to: the origin and the path."""
    return origin_of(scope.get("scheme", "http"), headers.get("host", "")), scope["path"]


def _lacking(request: JSONRPCRequest, profile: Profile, actor: Actor) -> str:
    """Return the scope that a call needs and its bearer has not; empty where it may."""
    params = request.params or {}
    if request.method != "tools/call" or not isinstance(params.get("name"), str):
        return ""
    return scope_lacking(profile, params["name"], params.get("arguments"), actor.scopes)


def _with_challenge(reply: Reply, scope: Scope, headers: Headers, wanted: str) -> Reply:
    """Return the same answer as one for which a client can sign in anew (RFC 6750, section 3.1)."""
    words = challenge(*_place(scope, headers), "insufficient_scope", wanted)
    return replace(reply, status=403, headers={**reply.headers, "www-authenticate": words})


def _check_revision(headers: Headers) -> None:
    """Refuse a notification of a revision that is not spoken here; there is nobody else to tell."""
    named = headers.get(MCP_PROTOCOL_VERSION_HEADER, UNNAMED)
    rejection = unsupported_protocol_version_rejection(named)
    if named not in HANDSHAKE_PROTOCOL_VERSIONS and rejection is not None:
        raise Refused.by_ladder(rejection, None)


def _is_stateless(headers: Headers, request: JSONRPCRequest) -> bool:
    """Return True if a request is of 2026-07-28 or later, by its `_meta` or by its header."""
    named = headers.get(MCP_PROTOCOL_VERSION_HEADER)
    meta = (request.params or {}).get("_meta")
    if isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta:
        return True
    if named is None or named in HANDSHAKE_PROTOCOL_VERSIONS:
        return False
    rejection = unsupported_protocol_version_rejection(named)
    if rejection is not None:
        raise Refused.by_ladder(rejection, request.id)
    return True


def _read_hello(request: JSONRPCRequest, revision: str) -> dict[str, Any]:
    try:
        return complete_hello(request.params, revision)
    except ToolError as error:
        raise Refused(
            200, INVALID_PARAMS, error.message, data=error.as_json(), id=request.id
        ) from error


def _read_session(headers: Headers, actor: Actor, request: JSONRPCRequest) -> Session:
    """Return the session of a request. Another bearer's is like none that ever was."""
    session = read_session(actor, headers.get(HEADER))
    if session is None:
        raise Refused(404, -32001, "There is no such session", id=request.id)
    return session
