"""An OAuth token endpoint on loopback: it answers by script and keeps what it was asked."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs


@dataclass
class TokenServer:
    """Gives `token-1`, `token-2` and so on, each with its refresh token, once for each of those."""

    url: str = ""
    asked: list[dict[str, str]] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    lasts: int = 3600
    rotates: bool = True
    pause: float = 0
    names: Callable[[int], str] = "token-{}".format
    _good: set[str] = field(default_factory=lambda: {"refresh-0"})
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, given: dict[str, str]) -> tuple[int, bytes]:
        with self._lock:
            self.asked.append(given)
            number = len(self.asked)
        time.sleep(self.pause)
        if self.body is not None or self.status != 200:
            return self.status, self.body or b"{}"
        if given.get("refresh_token") not in self._good:
            return 400, b'{"error": "invalid_grant", "error_description": "used already"}'
        answer: dict[str, Any] = {"access_token": self.names(number), "expires_in": self.lasts}
        if self.rotates:
            self._good = {f"refresh-{number}"}
            answer["refresh_token"] = f"refresh-{number}"
        return 200, json.dumps(answer).encode()


@contextmanager
def token_server(**options: Any) -> Iterator[TokenServer]:
    """Serve one until the end."""
    script = TokenServer(**options)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            given = {name: values[0] for name, values in parse_qs(text).items()}
            status, body = script.answer(given)
            self.send_response(status)
            for name, value in script.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """Say nothing: a client may well give up."""

    server = Server(("127.0.0.1", 0), Handler)
    script.url = f"http://127.0.0.1:{server.server_port}/token"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
