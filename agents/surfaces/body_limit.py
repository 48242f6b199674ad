"""Bodies of the API and of MCP are bounded before anything is kept, announced length or not."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from tempfile import SpooledTemporaryFile
from typing import IO, Any, TypeAlias

from django.conf import settings

from agents.errors import ToolError

Scope: TypeAlias = dict[str, Any]
Message: TypeAlias = Mapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

# A client that is still sending would lose the answer to a reset connection: so much more is taken
# in and thrown away first, for so many seconds.
_THROWN_AWAY = 32 * 2**20
_PATIENCE = 10
# A file on its way into an exchange folder goes to the disk from so many bytes on, and stands in
# the scope under this name; the body that the application reads is then empty.
SPOOLED = 2**20
SPOOLED_BODY = "chancery.body"


# Where bodies are bounded here; Django bounds those of its pages.
_BOUNDED = ("/api/", "/mcp", "/a2a")


class _Body:
    """What a request's body is received from, and whether all of it was."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.is_over = False

    async def __call__(self) -> Message:
        message = await self._receive()
        self.is_over = message["type"] != "http.request" or not message.get("more_body", False)
        return message


class BodyLimit:
    """ASGI: answers 413 to a request of the `_BOUNDED` as soon as its body is over the limit."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body, which is at hand by then."""
        if scope["type"] != "http" or not scope["path"].startswith(_BOUNDED):
            await self.app(scope, receive, send)
            return
        if scope["method"] == "PUT" and scope["path"].startswith("/api/v1/exchange/"):
            await self._pass_on_file(scope, receive, send)
            return
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        sent = _Body(receive)
        kept = None if _announced(scope) > limit else await _collect(sent, limit)
        if kept is None:
            await _throw_away_rest(sent, _announced(scope))
            await _refuse(send, limit)
            return
        messages = iter(kept)

        async def replay() -> Message:
            return next(messages, None) or await receive()

        await self.app(scope, replay, send)

    async def _pass_on_file(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on an upload with its body in a file; a broken one goes no further."""
        limit = settings.EXCHANGE_FILE_BYTES
        sent = _Body(receive)
        with SpooledTemporaryFile(SPOOLED) as body:
            size = limit + 1 if _announced(scope) > limit else await _spool(sent, body, limit)
            if size is None:
                return
            if size > limit:
                await _throw_away_rest(sent, _announced(scope))
                await _refuse(send, limit)
                return
            body.seek(0)
            read = False

            async def empty() -> Message:
                nonlocal read
                if read:
                    return await receive()
                read = True
                return {"type": "http.request", "body": b"", "more_body": False}

            await self.app({**scope, SPOOLED_BODY: body}, empty, send)


async def read_body(receive: Receive) -> bytes | None:
    """Return the body of a request that was bounded here; None where the sender has gone."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


async def _spool(sent: _Body, body: IO[bytes], limit: int) -> int | None:
    """Write the body into the file and return its size, which may be over the limit.

    None where its sender has gone.
    """
    size = 0
    while not sent.is_over and size <= limit:
        message = await sent()
        if message["type"] != "http.request":
            return None
        size += len(message.get("body", b""))
        if size <= limit:
            body.write(message.get("body", b""))
    return size


def _announced(scope: Scope) -> int:
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


async def _collect(sent: _Body, limit: int) -> list[Message] | None:
    """Return the messages of the body; None once it is over the limit."""
    kept, size = [], 0
    while not sent.is_over:
        message = await sent()
        size += len(message.get("body", b""))
        if size > limit:
            return None
        kept.append(message)
    return kept


async def _throw_away_rest(sent: _Body, announced: int) -> None:
    """Take in what is still being sent, unless it is far too much or comes too slowly."""
    if announced > _THROWN_AWAY:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            await _throw_away(sent)


async def _throw_away(sent: _Body) -> None:
    size = 0
    while not sent.is_over and size <= _THROWN_AWAY:
        message = await sent()
        size += len(message.get("body", b""))


async def _refuse(send: Send, limit: int) -> None:
    error = ToolError("too_large", "The body is too large", {"accepted": f"at most {limit} bytes"})
    body = json.dumps(error.as_json()).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
