"""A small OpenID Connect provider on loopback: code flow, PKCE, RS256; it can be told to lie."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "chancery", "a secret: of ours"
_KEY = rsa.generate_private_key(65537, 2048)
_OTHER = rsa.generate_private_key(65537, 2048)


@dataclass
class OidcServer:
    """Lets in whoever comes, as `claims` say; `changes` falsify the ID token."""

    url: str = ""
    claims: dict[str, Any] = field(
        default_factory=lambda: {
            "sub": "u-1", "email": "rhea@lantern.example", "email_verified": True,
        }
    )  # fmt: skip
    changes: dict[str, Any] = field(default_factory=dict)
    signs_with: Any = _KEY
    algorithm: str = "RS256"
    userinfo: dict[str, Any] = field(default_factory=dict)
    asked: dict[str, dict[str, str]] = field(default_factory=dict)

    def authorize(self, query: dict[str, str]) -> str:
        """Return where a person who agrees is sent."""
        code = f"code-{len(self.asked)}"
        self.asked[code] = query
        answer = {"code": code, "state": query["state"], "iss": self.url}
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def token(self, given: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        query = self.asked.pop(given.get("code", ""), None)
        ours = base64.b64encode(f"{CLIENT}:a%20secret%3A%20of%20ours".encode()).decode()
        if query is None or authorization != f"Basic {ours}":
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(given["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != query["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": query["nonce"],
            **self.claims, **self.changes,
        }  # fmt: skip
        key = None if self.algorithm == "none" else self.signs_with
        token = jwt.encode(claims, key, self.algorithm, headers={"kid": "one"})
        return 200, {"id_token": token, "access_token": "a-token", "token_type": "Bearer"}

    def read(self, path: str) -> dict[str, Any]:
        if path.endswith("openid-configuration"):
            names = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
            about = {f"{name}_endpoint": f"{self.url}/{at}" for name, at in names.items()}
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys", **about}
        if path == "/keys":
            public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(_KEY.public_key()))
            return {"keys": [{**public, "kid": "one", "alg": "RS256", "use": "sig"}]}
        return self.userinfo


@contextmanager
def oidc_server() -> Iterator[OidcServer]:
    """Serve one until the end."""
    script = OidcServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(200, script.read(urlsplit(self.path).path))

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            given = {name: values[0] for name, values in parse_qs(text).items()}
            self._answer(*script.token(given, self.headers.get("Authorization", "")))

        def _answer(self, status: int, told: dict[str, Any]) -> None:
            body = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


OTHER_KEY = _OTHER
