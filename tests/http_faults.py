"""A proxy before an HTTP server on loopback that spoils one request on order, each in its own way.

`with faulty(server_url) as proxy:` has `proxy.url` answer as the server does. `proxy.spoil(n, way)`
spoils the n-th request from then on, counted from 0; `proxy.count` says how many came. Of what is
`late` the server has done what was asked, and whoever asked never hears of it.

Which requests are spoiled is left to chance: `HTTP_FAULTS_SEED` repeats what a test that failed said,
and `HTTP_FAULTS=all` has every one spoiled.
"""

import http.client
import os
import random
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import urlsplit

Case = TypeVar("Case")
# The connection ends before the server has heard of it, or after it has done it; half an answer;
# a status in the server's place; a status after the server has done it; a token that is gone.
WAYS = ("reset", "late reset", "half", "401", "412", "429", "503", "late 502", "no token")
_NO_TOKEN = b'<?xml version="1.0"?><error xmlns="DAV:"><valid-sync-token/></error>'
_HOPS = {"connection", "transfer-encoding", "content-length", "keep-alive", "date", "server"}


def some_of(cases: Sequence[Case], number: int) -> list[Case]:
    """Return so many of what can go wrong, or all of it with HTTP_FAULTS=all."""
    if os.environ.get("HTTP_FAULTS") == "all":
        return list(cases)
    seed = int(os.environ.get("HTTP_FAULTS_SEED", "1"))
    chosen = random.Random(seed).sample(cases, number)
    # Shown where it fails.
    sys.stderr.write(f"HTTP_FAULTS_SEED={seed}: {chosen}\n")
    return chosen


@dataclass
class FaultyProxy:
    """The proxy; `spoiled` are the methods of the requests that were."""

    url: str
    upstream: tuple[str, int]
    count: int = 0
    spoiled: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    _at: int = -1
    _way: str = ""

    def spoil(self, at: int, way: str) -> None:
        """Spoil the request of this number from now on."""
        with self.lock:
            self.count, self._at, self._way = 0, at, way
            self.spoiled.clear()

    def next_way(self, method: str) -> str:
        """Return how the next request is spoiled; empty: it is not."""
        with self.lock:
            is_it = self.count == self._at
            self.count += 1
            if is_it:
                self.spoiled.append(method)
            return self._way if is_it else ""

    def ask(self, method: str, path: str, headers: Any, body: bytes) -> tuple[int, Any, bytes]:
        """Return what the server answers."""
        asking = http.client.HTTPConnection(*self.upstream, timeout=30)
        try:
            asking.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                if name.lower() not in _HOPS:
                    asking.putheader(name, value)
            asking.putheader("Content-Length", str(len(body)))
            asking.endheaders(body)
            answer = asking.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            asking.close()


@contextmanager
def faulty(url: str) -> Iterator[FaultyProxy]:
    """Put a proxy before a server for as long as the context lasts."""
    parts = urlsplit(url)
    upstream = (parts.hostname or "127.0.0.1", parts.port or 80)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    place = f"http://127.0.0.1:{server.server_address[1]}{parts.path.rstrip('/')}"
    server.proxy = FaultyProxy(place, upstream)  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.proxy  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_one_request(self) -> None:
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        proxy: FaultyProxy = self.server.proxy  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        way = proxy.next_way(self.command)
        # What only an answer to such a request can be.
        if way == "no token" and b"sync-token" not in body:
            way = ""
        if way == "412" and "If-Match" not in self.headers:
            way = ""
        if way == "reset":
            self._hang_up()
        elif way == "no token":
            self._answer(403, [("Content-Type", "application/xml")], _NO_TOKEN)
        elif way.isdecimal():
            self._answer(int(way), [("Retry-After", "1")] if way != "401" else [], b"no")
        else:
            self._pass_on(way, proxy.ask(self.command, self.path, self.headers, body))

    def _pass_on(self, way: str, answer: tuple[int, Any, bytes]) -> None:
        status, headers, body = answer
        if way == "late reset":
            self._hang_up()
        elif way.startswith("late "):
            self._answer(int(way.removeprefix("late ")), [], b"no")
        elif way == "half":
            self._answer(status, headers, body, sent=len(body) // 2)
            self._hang_up()
        else:
            self._answer(status, headers, body)

    def _answer(self, status: int, headers: Any, body: bytes, sent: int | None = None) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _HOPS:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:sent])
        self.wfile.flush()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(2)

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing of each request."""
