"""What stand-ins for vendors' interfaces have in common: HTTP, tokens, quotas, faults on order.

A stand-in inherits `ApiServer` and answers calls; state is its own. It is reached on loopback.
"""

import json
import re
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.machines.authorization_server import AuthorizationServer

# `drop`: nothing is done, and the connection ends. `lose`: it is done, and the connection ends.
# `half`: it is done, and half of the answer comes. A number is a status: nothing is done.
FaultKind: TypeAlias = Literal["drop", "lose", "half"] | int
LONGEST_BODY = 70 * 1024 * 1024


@dataclass(slots=True)
class Call:
    """A request as it came; `path` is decoded, `query` in its order."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes = b""
    raw_path: str = ""
    # Who asks, once the token was looked at.
    account: str = ""

    def parts(self) -> list[str]:
        """Return the segments of the path, each decoded by itself."""
        return [unquote(part) for part in self.raw_path.strip("/").split("/")]

    def prefers(self) -> set[str]:
        """Return what the client prefers (RFC 7240)."""
        return {each.strip() for each in self.headers.get("prefer", "").split(",") if each.strip()}


@dataclass(slots=True)
class Reply:
    """An answer: `body` is JSON, bytes as they are, or nothing."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    def content(self) -> bytes:
        if self.body is None:
            return b""
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body, ensure_ascii=False).encode()


@dataclass(slots=True)
class Fault:
    """What comes in place of the next answer to calls that match."""

    kind: FaultKind
    matches: re.Pattern[str] = field(default_factory=lambda: re.compile(""))
    retry_after: str = ""
    times: int = 1
    # So many matching calls go well before.
    after: int = 0


@dataclass(slots=True)
class Token:
    """What an access token opens, and until when."""

    account: str
    scopes: frozenset[str]
    until: float


class ApiServer:
    """A server of an interface; what tests look at or bend stands here."""

    def __init__(self) -> None:
        self.url = ""
        self.lock = threading.RLock()
        self.calls: list[Call] = []
        self.tokens: dict[str, Token] = {}
        # Whose tokens are good here as well.
        self.issuer: AuthorizationServer | None = None
        self.faults: list[Fault] = []
        # So many calls of an account are answered until it has to wait; None: as many as it likes.
        self.allowance: int | None = None
        self.retry_after = "2"
        self._asked: dict[str, int] = {}
        self._waits: dict[str, float] = {}

    # -- for tests ---------------------------------------------------------------------------------
    def issue(self, account: str, *scopes: str, lasts: float = 3600) -> str:
        """Return a new token of an account."""
        token = secrets.token_urlsafe(24)
        self.tokens[token] = Token(account, frozenset(scopes), time.time() + lasts)
        return token

    def order(
        self, kind: FaultKind, matching: str = "", *, after: int = 0, times: int = 1,
        retry_after: str = "",
    ) -> None:  # fmt: skip
        """Have something go wrong with calls whose `METHOD path` matches."""
        self.faults.append(Fault(kind, re.compile(matching), retry_after, times, after))

    # -- for stand-ins -----------------------------------------------------------------------------
    def answer(self, call: Call) -> Reply:
        """Return the answer to a call; under the lock."""
        raise NotImplementedError

    def error(self, status: int, code: str, words: str) -> Reply:
        """Return a refusal in the interface's own form."""
        raise NotImplementedError

    def token_of(self, call: Call) -> Token | None:
        """Return what the call's token opens; None where that is nothing (any more)."""
        scheme, _, token = call.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer":
            return None
        found = self.tokens.get(token) or self._granted(token)
        return found if found is not None and found.until > time.time() else None

    def _granted(self, token: str) -> Token | None:
        """Return what somebody granted who signed in at the authorization server, if any did."""
        for grant in self.issuer.grants if self.issuer else ():
            if not grant.ended and token in grant.access:
                scopes = frozenset(map(self.scope_name, grant.scopes))
                return Token(grant.address, scopes, grant.access[token])
        return None

    def scope_name(self, scope: str) -> str:
        """Return what the interface itself calls a scope that was asked for."""
        return scope

    def must_wait(self, account: str) -> bool:
        """Count a call of an account; return True where it has to wait instead."""
        now = time.time()
        if self._waits.get(account, 0.0) > now:
            return True
        if self.allowance is None:
            return False
        self._asked[account] = self._asked.get(account, 0) + 1
        if self._asked[account] > self.allowance:
            self._asked[account] = 0
            self._waits[account] = now + float(self.retry_after)
            return True
        return False

    # -- plumbing ----------------------------------------------------------------------------------
    def fault_of(self, call: Call) -> Fault | None:
        """Return what goes wrong with this call, and count it."""
        for fault in self.faults:
            if fault.matches.search(f"{call.method} {call.path}"):
                if fault.after:
                    fault.after -= 1
                    continue
                fault.times -= 1
                if not fault.times:
                    self.faults.remove(fault)
                return fault
        return None

    def handle(self, call: Call) -> tuple[Reply | None, FaultKind | None]:
        with self.lock:
            self.calls.append(call)
            fault = self.fault_of(call)
            if fault is not None and fault.kind == "drop":
                return None, "drop"
            if fault is not None and isinstance(fault.kind, int):
                reply = self.error(fault.kind, "ordered", "on order")
                if fault.retry_after:
                    reply.headers["Retry-After"] = fault.retry_after
                return reply, None
            return self.answer(call), fault.kind if fault else None


class Handler(BaseHTTPRequestHandler):
    """Reads calls and writes answers; `api` is set by the server that it serves."""

    api: ApiServer
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def serve(self) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(min(length, LONGEST_BODY))
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = parse_qsl(parts.query, keep_blank_values=True)
        call = Call(self.command, unquote(parts.path), query, headers, body, parts.path)
        reply, fault = self.api.handle(call)
        if reply is None or fault == "lose":
            self.end()
            return
        self.write(reply, half=fault == "half")

    def write(self, reply: Reply, *, half: bool) -> None:
        content = reply.content()
        self.send_response(reply.status)
        if content and not isinstance(reply.body, bytes):
            self.send_header("Content-Type", "application/json")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if half else content)
        self.wfile.flush()
        if half:
            self.end()

    def end(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = serve  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


@contextmanager
def serving(server: ApiServer, path: str = "") -> Iterator[ApiServer]:
    """Serve until left; `url` ends in `path`."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Say nothing of clients that went away."""

    http = Server(("127.0.0.1", 0), type("Handler", (Handler,), {"api": server}))
    server.url = f"http://127.0.0.1:{http.server_port}{path}"
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
