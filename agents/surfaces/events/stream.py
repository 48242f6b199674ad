"""`GET /api/v1/events`: what happened, as server-sent events, without a thread for each stream."""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qsl

from django.conf import settings
from django.db import close_old_connections

from agents.errors import ToolError, invalid
from agents.events.payloads import FACTS
from agents.models import LoggedEvent
from agents.operations.agents import authenticate
from agents.operations.webhooks.event_log import (
    Reader,
    as_message,
    ends_of_log,
    events_after,
    place_id,
    read_place,
    write_log,
)
from agents.surfaces.body_limit import App, Receive, Scope, Send
from agents.surfaces.events.feed import FEED, Subscription

PATH = "/api/v1/events"
# In seconds. As often as that the token is looked at again, too.
HEARTBEAT = 15.0
# How soon a client should come back, in milliseconds.
RETRY = 3000
_PARAMETERS = "Last-Event-ID, facts"
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    # Proxies of the kind of nginx would wait for more before they pass anything on.
    (b"x-accel-buffering", b"no"),
]


class EventStreams:
    """ASGI: serves the streams by itself and leaves everything else to the next application."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._open: Counter[str] = Counter()
        # For the database; streams spend no time here.
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="streams")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the client or the server has enough."""
        if scope["type"] != "http" or scope["path"] != PATH or not _wants_stream(scope):
            await self.app(scope, receive, send)
            return
        try:
            token = _bearer(scope)
            last, facts = _read_query(scope)
            reader = await self._in_thread(_reader, token, facts)
            place = await self._in_thread(_begin, last)
            with self._counted(token):
                await self._stream(token, reader, place, receive, send)
        except ToolError as error:
            await _refuse(send, error)

    @contextmanager
    def _counted(self, token: str) -> Any:
        """Count the streams of a token; raises ToolError `rate_limited` for one too many."""
        name = hashlib.sha256(token.encode()).hexdigest()
        most = settings.STREAMS_PER_TOKEN
        if self._open[name] >= most:
            words = f"The token has {most} streams open already"
            raise ToolError("rate_limited", words, {"retry_after": int(HEARTBEAT)})
        self._open[name] += 1
        try:
            yield
        finally:
            self._open[name] -= 1
            if not self._open[name]:
                del self._open[name]

    async def _stream(
        self, token: str, reader: Reader, place: "_StreamStart", receive: Receive, send: Send
    ) -> None:
        subscription = Subscription()
        upto = await self._in_thread(FEED.add, subscription)
        parts = self._parts(token, reader, place, upto, subscription)
        endings = [asyncio.ensure_future(each) for each in (
            _send_all(parts, send), until_gone(receive), subscription.over.wait(),
        )]  # fmt: skip
        try:
            await asyncio.wait(endings, return_when=asyncio.FIRST_COMPLETED)
        finally:
            FEED.remove(subscription)
            for each in endings:
                each.cancel()
            await asyncio.gather(*endings, return_exceptions=True)
        with suppress(OSError):
            await send({"type": "http.response.body", "body": b""})

    async def _parts(
        self,
        token: str,
        reader: Reader,
        place: "_StreamStart",
        upto: int,
        subscription: Subscription,
    ) -> AsyncIterator[str]:
        """Yield the text of the stream: what the client missed, then what comes."""
        yield place.greeting
        at = place.at
        while at < upto:
            missed = await self._in_thread(events_after, at, upto, reader.actor.workspace_id)
            yield _written(reader, missed)
            at = missed[-1].pk if missed else upto
        # The feed may be behind what was read just now.
        while True:
            try:
                async with asyncio.timeout(HEARTBEAT):
                    events = await subscription.next()
            except TimeoutError:
                reader = await self._in_thread(_reader, token, reader.facts)
                yield ": heartbeat\n\n"
                continue
            yield _written(reader, [event for event in events if event.pk > at])

    async def _in_thread(self, function: Any, *args: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _with_connection, function, *args)


class _StreamStart:
    """Where a stream begins, and what is said first."""

    def __init__(self, at: int, words: str = "") -> None:
        self.at = at
        self.greeting = f"retry: {RETRY}\nid: {place_id(at)}\n{words}\n"


def _with_connection(function: Any, *args: Any) -> Any:
    close_old_connections()
    return function(*args)


def _reader(token: str, facts: frozenset[str]) -> Reader:
    return Reader(authenticate(token), facts)


def _begin(last: str | None) -> _StreamStart:
    """Return where to begin: after the client's last event, else at the end of the log.

    Raises ToolError for an id that never was one. Of one that is older than the log the client is
    told that it missed something (`reset`).
    """
    # What was noted before the stream began comes before it.
    write_log()
    newest, removed = ends_of_log()
    if last is None:
        return _StreamStart(newest)
    place = read_place(last)
    if place is None or place > newest:
        raise invalid("/Last-Event-ID", "is no event's id", "the id of an event, as it was sent")
    if place < removed:
        data = {"type": "reset", "data": {"reason": "older than the log"}}
        return _StreamStart(newest, f"event: reset\ndata: {json.dumps(data)}\n")
    return _StreamStart(place)


def _wants_stream(scope: Scope) -> bool:
    """Return True if it asks for the stream, as every `EventSource` does; others list events."""
    headers = dict(scope["headers"])
    asked = b"text/event-stream" in headers.get(b"accept", b"") or b"last-event-id" in headers
    return asked and scope["method"] == "GET"


def _bearer(scope: Scope) -> str:
    given = _header(scope, b"authorization")
    scheme, _, token = given.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise ToolError(
            "unauthenticated", "The request carries no token",
            {"header": "Authorization", "accepted": "Bearer chy_…"},
        )  # fmt: skip
    return token.strip()


def _read_query(scope: Scope) -> tuple[str | None, frozenset[str]]:
    """Return the last event's id, where one is given, and the facts that are asked for."""
    given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    for name, _ in given:
        if name not in _PARAMETERS.split(", "):
            raise invalid(f"/{name[:100]}", "is no parameter", _PARAMETERS)
    query = dict(given)
    # A browser that comes back says where it was in the header; the address is that of before.
    last = _header(scope, b"last-event-id") or query.get("Last-Event-ID") or None
    facts = frozenset(fact for fact in query.get("facts", "").split(",") if fact)
    for fact in sorted(facts - set(FACTS)):
        raise invalid("/facts", f"names {fact[:100]!r}, which is none", ", ".join(FACTS))
    return last, facts


def _header(scope: Scope, name: bytes) -> str:
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if values else ""


def _written(reader: Reader, events: Iterable[LoggedEvent]) -> str:
    return "".join(_lines(event) for event in events if reader.may_see(event))


def _lines(event: LoggedEvent) -> str:
    message = {"id": event.public_id, **as_message(event)}
    data = json.dumps(message, separators=(",", ":"), ensure_ascii=False)
    return f"id: {event.public_id}\nevent: {event.fact}\ndata: {data}\n\n"


async def _send_all(parts: AsyncIterator[str], send: Send) -> None:
    """Send the parts as they come; a token that is no good any more ends the stream."""
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    with suppress(ToolError):
        async for part in parts:
            if part:
                body = part.encode()
                await send({"type": "http.response.body", "body": body, "more_body": True})


async def until_gone(receive: Receive) -> None:
    """Return once the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(send: Send, error: ToolError) -> None:
    body = json.dumps(error.as_json(), ensure_ascii=False).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *_error_headers(error),
    ]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _error_headers(error: ToolError) -> Sequence[tuple[bytes, bytes]]:
    if error.status == 401:
        return [(b"www-authenticate", b'Bearer realm="chancery"')]
    if "retry_after" in error.details:
        return [(b"retry-after", str(error.details["retry_after"]).encode())]
    return []
