"""What machines ask: is it alive, can it serve, how much is there to do.

These addresses need no `Host` of `CHANCERY_HOSTS`: an orchestrator asks by whatever it has.
"""

import asyncio
import hmac
import json
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from ipaddress import ip_address
from typing import Generic, TypeVar

from django.conf import settings
from django.db import close_old_connections

from agents.surfaces.body_limit import App, Receive, Scope, Send
from project.monitoring.health import Check, Health, Readiness
from project.monitoring.metrics import CONTENT_TYPE, exposition

T = TypeVar("T")
log = logging.getLogger(__name__)

# In seconds: how long an answer may take, and for how long the last one is good.
PATIENCE = 5.0
GOOD_FOR = 2.0
_FORWARDED = frozenset({b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip", b"forwarded"})


class Probes:
    """ASGI: `/health/live`, `/health/ready` and `/metrics`; the rest goes to the next application.

    The database is asked from threads of their own, so that many who ask cost no more than one.
    """

    def __init__(self, app: App) -> None:
        self.app = app
        threads = ThreadPoolExecutor(2, thread_name_prefix="probes")
        self._health = _Shared(threads, Readiness().look)
        self._metrics = _Shared(threads, exposition)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a probe."""
        if scope["type"] != "http" or not _is_ours(scope["path"]):
            await self.app(scope, receive, send)
            return
        if scope["method"] not in {"GET", "HEAD"}:
            await _answer(send, scope, 405, _json({"status": "only read"}))
        elif scope["path"] == "/health/live":
            await _answer(send, scope, 200, _json({"status": "ok"}))
        elif scope["path"] == "/health/ready":
            await self._ready(scope, send)
        else:
            await self._figures(scope, send)

    async def _ready(self, scope: Scope, send: Send) -> None:
        health = await self._health.get()
        health = health or Health((Check("database", "does not answer"),))
        status = 503 if health.status == "unavailable" else 200
        await _answer(send, scope, status, _json(health.as_json()))

    async def _figures(self, scope: Scope, send: Send) -> None:
        if not _may_read(scope):
            words = "send CHANCERY_METRICS_TOKEN as bearer, or ask from this machine itself"
            await _answer(send, scope, 403, _json({"status": words}))
            return
        figures = await self._metrics.get()
        if figures is None:
            await _answer(send, scope, 503, _json({"status": "the database does not answer"}))
            return
        await _answer(send, scope, 200, figures, CONTENT_TYPE)


class _Shared(Generic[T]):
    """Work that many wait for and one thread does; what came of it is good for a moment."""

    def __init__(self, threads: ThreadPoolExecutor, work: Callable[[], T]) -> None:
        self._threads, self._work = threads, work
        self._under_way: Future[T] | None = None
        self._done_at = 0.0

    async def get(self) -> T | None:
        """Return what the work returns; None where it fails or takes too long."""
        if self._under_way is None or self._is_old(self._under_way):
            self._under_way = self._threads.submit(self._run)
        # Shielded: who gives up waiting does not end it for the others.
        waiting = asyncio.shield(asyncio.wrap_future(self._under_way))
        try:
            async with asyncio.timeout(PATIENCE):
                return await waiting
        except TimeoutError:
            log.warning("a probe found no answer within %s seconds", PATIENCE)
        except Exception:
            log.exception("a probe could not be answered")
        return None

    def _is_old(self, under_way: "Future[T]") -> bool:
        return under_way.done() and time.monotonic() - self._done_at > GOOD_FOR

    def _run(self) -> T:
        close_old_connections()
        try:
            return self._work()
        finally:
            close_old_connections()
            self._done_at = time.monotonic()


def _is_ours(path: str) -> bool:
    return path in {"/health/live", "/health/ready", "/metrics"}


def _may_read(scope: Scope) -> bool:
    """Return True if somebody may read figures: by the token or, where none is set, from here.

    What a proxy on this machine hands on is not from here.
    """
    headers = dict(scope["headers"])
    if settings.METRICS_TOKEN:
        given = headers.get(b"authorization", b"")
        return hmac.compare_digest(given, f"Bearer {settings.METRICS_TOKEN}".encode())
    if _FORWARDED & headers.keys() or not scope.get("client"):
        return False
    try:
        return ip_address(scope["client"][0]).is_loopback
    except ValueError:
        return False


def _json(answer: dict[str, object]) -> bytes:
    return json.dumps(answer).encode()


async def _answer(
    send: Send, scope: Scope, status: int, body: bytes, media_type: str = "application/json"
) -> None:
    headers = [
        (b"content-type", media_type.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    sent = b"" if scope["method"] == "HEAD" else body
    await send({"type": "http.response.body", "body": sent})
