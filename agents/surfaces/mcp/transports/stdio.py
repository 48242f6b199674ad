"""MCP over the standard streams of a process: a message a line, one client, one agent."""

import logging
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from django.conf import settings
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCRequest,
    RequestId,
)
from mcp_types.jsonrpc import jsonrpc_message_adapter
from pydantic import ValidationError

from agents.dispatching.actors import current_actor
from agents.errors import ToolError
from agents.models import Agent
from agents.surfaces.mcp.callers import Caller
from agents.surfaces.mcp.profiles import find_profile
from agents.surfaces.mcp.server import make_server
from agents.surfaces.mcp.sessions import complete_hello
from agents.surfaces.mcp.threads import Threads
from agents.surfaces.mcp.transports.lines import Opened
from agents.surfaces.mcp.transports.remembered import Conversation, Question, as_line, keep
from agents.surfaces.request_body import parse_json

log = logging.getLogger(__name__)
# How long answers under way are waited for once the client has closed its side, in seconds.
_GRACE = 10


def serve(agent: Agent, profile: str, opened: Opened) -> None:
    """Serve the agent on streams whose first lines were read, until they end."""
    session, chosen = secrets.token_hex(8), find_profile(profile)

    def find_caller(_: object) -> Caller:
        # Read for each request: a token that is revoked takes its scopes along at once.
        return Caller(current_actor(agent), chosen, session)

    try:
        streams = _Streams(opened, Conversation(profile, partial(current_actor, agent)))
        anyio.run(partial(streams.serve, find_caller))
    except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        log.info("the client has gone")


class _Streams:
    """Carries lines between the client and the SDK's server, and reads them strictly."""

    def __init__(self, opened: Opened, conversation: Conversation) -> None:
        self._source, self._wire = opened.source, opened.wire
        self._lines, self._answered = list(opened.lines), list(opened.answered)
        self._conversation = conversation
        # What is worth keeping once it is answered, by the id of the request.
        self._asked: dict[RequestId, Question] = {}
        self._under_way = 0
        self._is_idle = anyio.Event()
        self._threads = Threads()

    async def serve(self, find_caller: Callable[[object], Caller]) -> None:
        """Serve until the client closes its side and everything is answered."""
        server = make_server(self._threads, find_caller)
        to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._write, from_server)
            tasks.start_soon(self._read, to_server, outgoing.clone())
            await server.run(incoming, outgoing, server.create_initialization_options())
            tasks.cancel_scope.cancel()

    async def _read(
        self,
        to_server: ObjectSendStream[SessionMessage | Exception],
        refusals: ObjectSendStream[SessionMessage],
    ) -> None:
        async with to_server, refusals:
            while line := await self._next_line():
                try:
                    message = _read_line(line)
                except _Unreadable as error:
                    self._under_way += 1
                    await refusals.send(SessionMessage(error.answer))
                    continue
                self._under_way += isinstance(message.message, JSONRPCRequest)
                await self._threads.run(partial(self._note, line))
                await to_server.send(message)
            with anyio.move_on_after(_GRACE):
                await self._wait_for_answers()

    async def _next_line(self) -> bytes:
        """Return a line, cut where it is too long; empty at the end."""
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        read = partial(self._source.readline, limit + 1)
        if self._lines:
            line = whole = self._lines.pop(0)
        else:
            line = whole = await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
        while whole and not whole.endswith(b"\n"):
            # The rest of an overlong line is thrown away.
            whole = await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
        return line

    async def _wait_for_answers(self) -> None:
        while self._under_way > 0:
            self._is_idle = anyio.Event()
            await self._is_idle.wait()

    async def _write(self, from_server: ObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for message in from_server:
                body = message.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
                if not self._was_said(body):
                    await anyio.to_thread.run_sync(self._wire.write, as_line(body))
                if "method" not in body:
                    self._under_way -= 1
                    self._is_idle.set()

    def _note(self, line: bytes) -> None:
        """Remember a question whose answer is to be kept."""
        asked = self._conversation.read(line)
        if asked is not None and asked.id is not None:
            self._asked[asked.id] = asked

    def _was_said(self, body: dict[str, Any]) -> bool:
        """Return True if a message answers what was answered before; keep one that is new."""
        number = body.get("id")
        if "method" in body or number is None:
            return False
        asked = self._asked.pop(number, None)
        if number in self._answered:
            self._answered.remove(number)
            return True
        if asked is not None and "result" in body:
            keep(asked, body["result"])
        return False


class _Unreadable(Exception):  # noqa: N818
    """A line that is no message, with the answer that says so."""

    def __init__(
        self,
        code: int,
        message: str,
        data: object = None,
        id: RequestId | None = None,  # noqa: A002
    ) -> None:
        super().__init__(message)
        error = ErrorData(code=code, message=message, data=data)
        self.answer = JSONRPCError(jsonrpc="2.0", id=id, error=error)


def _read_line(line: bytes) -> SessionMessage:
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    if len(line) > limit:
        raise _Unreadable(PARSE_ERROR, f"The line is too long; at most {limit} bytes are read")
    try:
        message = parse_json(line.decode("utf-8"))
        read = jsonrpc_message_adapter.validate_python(message, by_name=False)
    except ToolError as error:
        raise _Unreadable(PARSE_ERROR, error.message, error.as_json()) from None
    except UnicodeDecodeError:
        raise _Unreadable(PARSE_ERROR, "The line is no UTF-8") from None
    except ValidationError:
        raise _Unreadable(INVALID_REQUEST, "The line is no message of JSON-RPC 2.0") from None
    if isinstance(read, JSONRPCRequest) and read.method == "initialize":
        _complete(read)
    return SessionMessage(read)


def _complete(hello: JSONRPCRequest) -> None:
    try:
        hello.params = complete_hello(hello.params)
    except ToolError as error:
        raise _Unreadable(INVALID_PARAMS, error.message, error.as_json(), hello.id) from None
