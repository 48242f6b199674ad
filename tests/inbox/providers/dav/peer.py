"""A DAV server that answers by script, and not always well."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

from tests.servers import server_context

CALENDAR = (
    '<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"'
    ' xmlns:s="http://calendarserver.org/ns/"><d:response><d:href>/cal/</d:href>'
    "<d:propstat><d:prop><d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"
    '<c:supported-calendar-component-set><c:comp name="VEVENT"/>'
    "</c:supported-calendar-component-set>{more}"
    "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>"
)


@dataclass(frozen=True)
class Request:
    """What came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """What goes back; `cut`: only so many bytes of it, and then the end of the connection."""

    status: int = 207
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    reset: bool = False


Script: TypeAlias = Callable[[Request], Reply]


class Peer:
    """The server: where it answers and what it was asked."""

    def __init__(self, certificate: Path | None = None) -> None:
        self.requests: list[Request] = []
        self.script: Script = lambda _request: Reply(404)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._scheme = "https" if certificate else "http"
        if certificate:
            self._server.socket = server_context(certificate).wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"

    def methods(self) -> list[str]:
        """Return what was asked, in order."""
        return [f"{each.method} {each.path}" for each in self.requests]

    def close(self) -> None:
        """Stop it."""
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        return type("Handler", (_Handler,), {"peer": self})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    peer: Peer

    def handle_one_request(self) -> None:
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body)
        self.peer.requests.append(request)
        self._reply(self.peer.script(request))

    def _reply(self, reply: Reply) -> None:
        if reply.reset:
            option = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
            self.connection.close()
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        try:
            self.wfile.write(reply.body[: reply.cut])
        except OSError:
            self.close_connection = True
        if reply.cut is not None:
            self.close_connection = True

    def log_message(self, *_args: object) -> None:
        """Write nothing."""


@contextmanager
def peer(certificate: Path | None = None) -> Iterator[Peer]:
    """Run such a server; with a certificate it speaks TLS."""
    server = Peer(certificate)
    try:
        yield server
    finally:
        server.close()


def calendar(more: str = "") -> Reply:
    """Return what a calendar says of itself."""
    return Reply(body=CALENDAR.format(more=more).encode())


def members(*items: tuple[str, str], token: str = "", more: str = "") -> Reply:
    """Return a list of items with their etags."""
    listed = "".join(
        f"<d:response><d:href>{href}</d:href><d:propstat><d:prop><d:getetag>{etag}</d:getetag>"
        "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        for href, etag in items
    )
    said = f"<d:sync-token>{token}</d:sync-token>" if token else ""
    return Reply(
        body=f'<d:multistatus xmlns:d="DAV:">{listed}{more}{said}</d:multistatus>'.encode()
    )
