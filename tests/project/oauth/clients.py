"""Clients that sign in: one by hand, which may do anything, and where one's document lies."""

import base64
import hashlib
import http.server
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import httpx

from tests.patience import LONG
from tests.servers import server_context
from tests.trust import trust

CALLBACK = "http://127.0.0.1:33418/callback"


class Client:
    """A client that knows an address, and does by hand what the protocol says."""

    def __init__(self, url: str, redirect: str = CALLBACK) -> None:
        self.url, self.redirect = url, redirect
        self.web = httpx.Client(base_url=url, timeout=LONG, verify=trust())
        self.verifier = secrets.token_urlsafe(48)
        self.id = ""
        self.resource = f"{url}/mcp"

    def register(self, **metadata: Any) -> httpx.Response:
        given = {"client_name": "Scout", "redirect_uris": [self.redirect], **metadata}
        answer = self.web.post("/oauth/register", json=given)
        if answer.status_code == 201:
            self.id = answer.json()["client_id"]
        return answer

    @property
    def challenge(self) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def address(self, **changes: Any) -> str:
        """Return where the person's browser is to be opened; None leaves a parameter out."""
        asked = {
            "response_type": "code", "client_id": self.id, "redirect_uri": self.redirect,
            "state": "a-state", "code_challenge": self.challenge, "code_challenge_method": "S256",
            "resource": self.resource, **changes,
        }  # fmt: skip
        told = {name: value for name, value in asked.items() if value is not None}
        return f"{self.url}/admin/connect/?{urlencode(told, doseq=True)}"

    def exchange(self, code: str, **changes: Any) -> httpx.Response:
        given = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect,
            "client_id": self.id, "code_verifier": self.verifier, "resource": self.resource,
            **changes,
        }  # fmt: skip
        return self._post("/oauth/token", given)

    def renew(self, refresh_token: str, **changes: Any) -> httpx.Response:
        given = {"grant_type": "refresh_token", "refresh_token": refresh_token,
                 "client_id": self.id, **changes}  # fmt: skip
        return self._post("/oauth/token", given)

    def leave(self, token: str, **changes: Any) -> httpx.Response:
        return self._post("/oauth/revoke", {"token": token, "client_id": self.id, **changes})

    def read(self, token: str, path: str = "/mcp", name: str = "look_around") -> httpx.Response:
        """Call a tool by 2025-11-25."""
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": name, "arguments": {}}}  # fmt: skip
        return self.ask(token, call, path)

    def ask(self, token: str, call: dict, path: str = "/mcp") -> httpx.Response:
        headers = {"Accept": "application/json, text/event-stream",
                   "MCP-Protocol-Version": "2025-11-25"}  # fmt: skip
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return self.web.post(path, json=call, headers=headers)

    def _post(self, path: str, given: dict) -> httpx.Response:
        told = {name: value for name, value in given.items() if value is not None}
        return self.web.post(path, data=told)


@dataclass
class Documents:
    """Client-id metadata documents, served over TLS on loopback."""

    url: str = ""
    asked: list[str] = field(default_factory=list)
    status: int = 200
    kind: str = "application/json"
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def client_id(self) -> str:
        return f"{self.url}/client.json"

    def document(self) -> bytes:
        told = {
            "client_id": self.client_id, "client_name": "Scout", "redirect_uris": [CALLBACK],
            "token_endpoint_auth_method": "none", "grant_types": ["authorization_code"],
            "response_types": ["code"],
        }  # fmt: skip
        changed = {**told, **self.changes}
        return json.dumps({key: it for key, it in changed.items() if it is not None}).encode()


@contextmanager
def documents(certificate) -> Iterator[Documents]:
    """Serve them until the end."""
    script = Documents()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            script.asked.append(self.path)
            body = script.document() if script.body is None else script.body
            self.send_response(script.status)
            for name, value in {"Content-Type": script.kind, **script.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            time.sleep(script.pause)
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = server_context(certificate).wrap_socket(server.socket, server_side=True)
    script.url = f"https://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield script
    server.shutdown()
    server.server_close()
