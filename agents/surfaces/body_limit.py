"""Bodies of the API are bounded before anything of them is kept, announced length or not."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

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


class BodyLimit:
    """ASGI: answers 413 to a request of `/api/` as soon as its body is over the limit."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body, which is at hand by then."""
        if scope["type"] != "http" or not scope["path"].startswith("/api/"):
            await self.app(scope, receive, send)
            return
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        kept = None if _announced(scope) > limit else await _collect(receive, limit)
        if kept is None:
            await _throw_away_rest(receive, _announced(scope))
            await _refuse(send, limit)
            return
        messages = iter(kept)

        async def replay() -> Message:
            return next(messages, None) or await receive()

        await self.app(scope, replay, send)


def _announced(scope: Scope) -> int:
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


async def _collect(receive: Receive, limit: int) -> list[Message] | None:
    """Return the messages of the body; None once it is over the limit."""
    kept, size, more = [], 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        if size > limit:
            return None
        kept.append(message)
        more = message["type"] == "http.request" and message.get("more_body", False)
    return kept


async def _throw_away_rest(receive: Receive, announced: int) -> None:
    """Take in what is still being sent, unless it is far too much or comes too slowly."""
    if announced > _THROWN_AWAY:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            await _throw_away(receive)


async def _throw_away(receive: Receive) -> None:
    size, more = 0, True
    while more and size <= _THROWN_AWAY:
        message = await receive()
        size += len(message.get("body", b""))
        more = message["type"] == "http.request" and message.get("more_body", False)


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
