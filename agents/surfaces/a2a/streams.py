"""`SendStreamingMessage` and `SubscribeToTask`: a task, and what becomes of it, as it happens.

The first event is the answer that the method without a stream gives, by the same way in; those
after it come when the log of events tells of a decision, and at each heartbeat at the latest.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import close_old_connections

from agents.contracts import ToolError
from agents.dispatching.canonical import digest
from agents.models import LoggedEvent
from agents.surfaces.a2a.reading import check_active, note_shown
from agents.surfaces.a2a.refusals import RpcError, by_tool_error
from agents.surfaces.a2a.sending import find_task
from agents.surfaces.a2a.told import tell_tasks
from agents.surfaces.body_limit import App, Message, Receive, Scope, Send, read_body
from agents.surfaces.events.feed import FEED, Subscription
from agents.surfaces.events.stream import HEADERS, HEARTBEAT, until_gone
from agents.surfaces.request_body import find_bearer, parse_json
from inbox.actor import Actor

PATH = "/a2a"
# What each is without a stream.
_SINGLE = {"SendStreamingMessage": "SendMessage", "SubscribeToTask": "GetTask"}
_NAMES = tuple(name.encode() for name in _SINGLE)
_OVER = frozenset(f"TASK_STATE_{end}" for end in ("COMPLETED", "FAILED", "CANCELED", "REJECTED"))


@dataclass(frozen=True, slots=True)
class _Answered:
    """What the way in without a stream answered."""

    start: Message
    body: bytes

    @property
    def result(self) -> Any:
        """The result of JSON-RPC; None where it was refused."""
        return json.loads(self.body).get("result") if self.start["status"] == 200 else None


class A2AStreams:
    """ASGI: serves what `/a2a` streams, and leaves all else to the next application."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._open: Counter[str] = Counter()
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="a2a-streams")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the task is over, or the client or the server has enough."""
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        body = await read_body(receive)
        if body is None:
            return
        asked = _read_streaming(body)
        if asked is None:
            await self.app(scope, _again(body, receive), send)
            return
        bearer = _bearer(scope)
        try:
            with self._counted(bearer):
                await self._serve(scope, asked, bearer, receive, send)
        except ToolError as error:
            await _refuse(send, asked, by_tool_error(error), error.status)

    async def _serve(
        self, scope: Scope, asked: dict[str, Any], bearer: str, receive: Receive, send: Send
    ) -> None:
        subscription = Subscription()
        # Before the task is read: what is decided after that is in the feed.
        await self._in_thread(FEED.add, subscription)
        try:
            first = await self._ask(scope, asked)
            told = _as_event(asked, first.result)
            if told is None:
                await send(first.start)
                await send({"type": "http.response.body", "body": first.body})
            elif asked["method"] == "SubscribeToTask" and _is_over(told["task"]):
                await _refuse(send, asked, RpcError("UNSUPPORTED_OPERATION", "The task is over"))
            else:
                parts = self._parts(asked, told, bearer, subscription)
                await _stream(parts, subscription, receive, send)
        finally:
            FEED.remove(subscription)

    async def _ask(self, scope: Scope, asked: dict[str, Any]) -> _Answered:
        """Return what the same request is answered without a stream."""
        body = json.dumps({**asked, "method": _SINGLE[asked["method"]]}).encode()
        sent: list[Message] = []

        async def keep(message: Message) -> None:
            sent.append(message)

        await self.app(scope, _again(body, _never), keep)
        return _Answered(sent[0], b"".join(one.get("body", b"") for one in sent[1:]))

    async def _parts(
        self, asked: dict[str, Any], told: dict[str, Any], bearer: str, subscription: Subscription
    ) -> AsyncIterator[str]:
        """Yield the text of the stream: the task or message, then each change of the task."""
        yield _written(asked, told)
        task = told.get("task")
        if task is None or _is_over(task):
            return
        actor = await self._in_thread(find_bearer, bearer)
        while not _is_over(task):
            try:
                async with asyncio.timeout(HEARTBEAT):
                    if not _may_be_about(actor, await subscription.next()):
                        continue
            except TimeoutError:
                yield ": heartbeat\n\n"
            now = await self._in_thread(_read_task, bearer, task["id"])
            for change in _changes(task, now):
                yield _written(asked, change)
            task = now

    @contextmanager
    def _counted(self, bearer: str) -> Iterator[None]:
        """Count the streams of a token; raises ToolError `rate_limited` for one too many."""
        name, most = digest(bearer), settings.STREAMS_PER_TOKEN
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

    async def _in_thread(self, function: Any, *args: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _with_connection, function, *args)


def _with_connection(function: Any, *args: Any) -> Any:
    close_old_connections()
    return function(*args)


def _read_streaming(body: bytes) -> dict[str, Any] | None:
    """Return a request whose method streams; None for all else, which is answered elsewhere."""
    if not any(name in body for name in _NAMES):
        return None
    try:
        asked = parse_json(body.decode("utf-8"))
    except (UnicodeDecodeError, ToolError):
        return None
    is_ours = isinstance(asked, dict) and isinstance(asked.get("method"), str)
    return asked if is_ours and asked["method"] in _SINGLE else None


def _bearer(scope: Scope) -> str:
    found = [value for name, value in scope["headers"] if name == b"authorization"]
    return found[0].decode("latin-1") if found else ""


def _as_event(asked: dict[str, Any], result: Any) -> dict[str, Any] | None:
    """Return the first event of a stream; None where there is none."""
    if result is None:
        return None
    return {"task": result} if asked["method"] == "SubscribeToTask" else dict(result)


def _is_over(task: dict[str, Any]) -> bool:
    return task["status"]["state"] in _OVER


def _may_be_about(actor: Actor, events: Sequence[LoggedEvent]) -> bool:
    """Return True if something became of what this agent proposed."""
    return any(
        event.fact.startswith("approval.") and actor.id in (event.agent_ids or ())
        for event in events
    )


def _read_task(bearer: str, task_id: str) -> dict[str, Any]:
    """Return the task as it stands; raises ToolError where the token is no good any more."""
    actor = find_bearer(bearer)
    check_active(actor)
    task = find_task(actor, task_id)
    note_shown(actor, "get_task", [task])
    return tell_tasks(actor, [task], history=0)[0]


def _changes(task: dict[str, Any], now: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what is new: the answer first, for whoever hears that it is done has all of it then."""
    named = {"taskId": now["id"], "contextId": now["contextId"]}
    if now["status"] == task["status"]:
        return
    for artifact in now["artifacts"]:
        yield {"artifactUpdate": {**named, "artifact": artifact, "lastChunk": True}}
    yield {"statusUpdate": {**named, "status": now["status"]}}


def _written(asked: dict[str, Any], result: dict[str, Any]) -> str:
    answer = {"jsonrpc": "2.0", "id": asked.get("id"), "result": result}
    return f"data: {json.dumps(answer, separators=(',', ':'), ensure_ascii=False)}\n\n"


async def _stream(
    parts: AsyncIterator[str], subscription: Subscription, receive: Receive, send: Send
) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    endings = [asyncio.ensure_future(each) for each in (
        _send_all(parts, send), until_gone(receive), subscription.over.wait(),
    )]  # fmt: skip
    try:
        await asyncio.wait(endings, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in endings:
            each.cancel()
        await asyncio.gather(*endings, return_exceptions=True)
    with suppress(OSError):
        await send({"type": "http.response.body", "body": b""})


async def _send_all(parts: AsyncIterator[str], send: Send) -> None:
    """Send the parts as they come; a token or task that is gone ends the stream."""
    with suppress(ToolError, RpcError):
        async for part in parts:
            await send({"type": "http.response.body", "body": part.encode(), "more_body": True})


async def _refuse(send: Send, asked: dict[str, Any], error: RpcError, status: int = 200) -> None:
    answer = {"jsonrpc": "2.0", "id": asked.get("id"), "error": error.as_json()}
    body = json.dumps(answer, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if "retry_after" in error.about:
        headers.append((b"retry-after", error.about["retry_after"].encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read already, and then whatever comes after it."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


async def _never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError
