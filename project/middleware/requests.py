"""Each request over HTTP: an id that the log and the jobs it causes carry, its time, its line."""

import logging
import re
import secrets
import time

from agents.surfaces.body_limit import App, Message, Receive, Scope, Send
from inbox.background.request_ids import LONGEST, for_request
from inbox.background.traces import are_collected, within_trace
from project.monitoring.metrics import observe_request

HEADER = b"x-request-id"
_FIT = re.compile(rb"[A-Za-z0-9._-]{1,%d}" % LONGEST)
# The beginnings of addresses, and what is served there.
_SURFACES = (
    ("/api/tools", "tools"),
    ("/api/", "rest"),
    ("/mcp", "mcp"),
    ("/a2a", "a2a"),
    ("/static/", "static"),
    ("/health/", "operating"),
    ("/metrics", "operating"),
)

log = logging.getLogger("chancery.requests")


class Requests:
    """ASGI: names, times and logs each request, and answers with its name in `X-Request-ID`.

    A name that came with the request, such as a proxy's, is taken over where it is plain. At INFO
    the log has a line for each but the probes, without the query: somebody may have searched.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; its time ends where its answer begins."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = _given(scope) or secrets.token_hex(16)
        began = time.perf_counter()

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                _note(scope, int(message["status"]), time.perf_counter() - began)
                headers = [*message.get("headers", ()), (HEADER, request_id.encode())]
                message = {**message, "headers": headers}
            await send(message)

        with for_request(request_id), within_trace(*_trace_of(scope)):
            await self.app(scope, receive, send_on)


def _given(scope: Scope) -> str:
    found = [value for name, value in scope["headers"] if name == HEADER]
    return found[0].decode() if found and _FIT.fullmatch(found[0]) else ""


def _trace_of(scope: Scope) -> tuple[str, str]:
    """Return the traceparent and tracestate of a request; empty where nobody collects spans."""
    if not are_collected():
        return "", ""
    given = dict(scope["headers"])
    parent, state = (given.get(name, b"") for name in (b"traceparent", b"tracestate"))
    return parent.decode("latin-1")[:200], state.decode("latin-1")[:1000]


def _note(scope: Scope, status: int, seconds: float) -> None:
    path = scope["path"]
    surface = next((name for start, name in _SURFACES if path.startswith(start)), "pages")
    observe_request(surface, status, seconds)
    # Probes come every few seconds and say nothing of anybody's work.
    if surface != "operating" and log.isEnabledFor(logging.INFO):
        log.info(
            "%s %s %s", scope["method"], path.encode("unicode_escape").decode()[:500], status,
            extra={"status": status, "surface": surface, "milliseconds": round(seconds * 1000, 1)},
        )  # fmt: skip
