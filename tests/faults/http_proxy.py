"""An HTTP proxy before a real server, at which each request can go wrong on order."""

import contextlib
import http.client
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

from tests.ports import free_port


@dataclass(frozen=True)
class Answered:
    """An answer of the proxy's own."""

    status: int
    body: bytes = b"{}"
    headers: tuple[tuple[str, str], ...] = ()


# `reset`: the connection is reset before the request gets there. `lost`: it gets there, and the
# connection is reset in place of the answer. `half`: half the answer comes.
Fault: TypeAlias = Answered | str | None


@dataclass
class HttpProxy:
    """Listens on loopback; `script` says of the number and content of each request what happens."""

    host: str
    port: int
    script: Callable[[int, str, str, bytes], Fault] = lambda *_request: None
    asked: list[tuple[str, str]] = field(default_factory=list)

    def __enter__(self) -> "HttpProxy":
        proxy = self
        self.number = 0
        self.lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                proxy._serve(self)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_args: Any) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_args: Any) -> None:
                """A client may hang up."""

        self.own_port = free_port()
        self._server = Server(("127.0.0.1", self.own_port), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.own_port}"

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        with self.lock:
            self.number += 1
            number = self.number
            self.asked.append((request.command, request.path))
        fault = self.script(number, request.command, request.path, body)
        if fault == "reset":
            _reset(request)
            return
        if isinstance(fault, Answered):
            _answer(request, fault.status, fault.headers, fault.body)
            return
        status, headers, told = self._forwarded(request, body)
        if fault == "lost":
            _reset(request)
        elif fault == "half":
            with contextlib.suppress(OSError):
                _answer(request, status, headers, told, cut=len(told) // 2)
                request.close_connection = True
        else:
            _answer(request, status, headers, told)

    def _forwarded(
        self, request: BaseHTTPRequestHandler, body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        kept = ("authorization", "content-type", "accept")
        given = {name: value for name, value in request.headers.items() if name.lower() in kept}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        try:
            connection.request(request.command, request.path, body or None, given)
            answer = connection.getresponse()
            names = ("content-type", "www-authenticate", "retry-after")
            told = [(name, value) for name, value in answer.getheaders() if name.lower() in names]
            if location := answer.getheader("Location"):
                place = location.replace(f":{self.port}", f":{self.own_port}")
                told.append(("Location", place))
            return answer.status, told, answer.read()
        finally:
            connection.close()


def _answer(
    request: BaseHTTPRequestHandler, status: int, headers: Any, body: bytes, cut: int | None = None
) -> None:
    request.send_response(status)
    for name, value in headers:
        request.send_header(name, value)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body if cut is None else body[:cut])


def _reset(request: BaseHTTPRequestHandler) -> None:
    request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    request.connection.close()
    request.close_connection = True
    request.wfile.close()
