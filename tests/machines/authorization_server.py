"""A strict authorization server on loopback: OAuth 2.0 with PKCE, devices, revocation, OpenID.

It knows one client. It refuses whatever it does not know: parameters, twice the same one, verbs,
redirect addresses, scopes, a secret shown in another way than agreed. A person decides on its pages,
which a browser can show and `Person` fills in. On order it breaks (`faults`) or lies (`lies`).
"""

import base64
import hashlib
import json
import secrets
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import ec

CLIENT, SECRET = "chancery", "a secret: of ours"
KEY, OTHER_KEY = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
PLAIN = {"openid", "email", "profile", "offline_access"}
OF_REQUEST = {
    "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
    "code_challenge_method", "login_hint", "prompt", "access_type", "include_granted_scopes",
}  # fmt: skip
OF_GRANT = {
    "authorization_code": {"code", "redirect_uri", "code_verifier", "scope"},
    "refresh_token": {"refresh_token", "scope"},
    DEVICE_GRANT: {"device_code"},
}


# What knows no authorities is made in a tenth of the time: all of it is on this machine.
BROWSER = httpx.Client(verify=False, trust_env=False)


class Refusal(Exception):  # noqa: N818
    """An answer that is an error of the protocol."""

    def __init__(self, error: str, status: int = 400) -> None:
        super().__init__(error)
        self.error, self.status = error, status


@dataclass
class Grant:
    """What somebody granted: all tokens of one consent live and die together."""

    address: str
    scopes: set[str]
    nonce: str
    request: dict[str, str]
    refresh: str = ""
    spent: set[str] = field(default_factory=set)
    access: dict[str, float] = field(default_factory=dict)
    ended: bool = False


@dataclass
class Device:
    """A code that waits for somebody to enter it."""

    user_code: str
    scopes: set[str]
    until: float
    grant: Grant | None = None
    refused: bool = False
    asked_at: float = 0.0


@dataclass
class AuthorizationServer:
    """The server; everything that tests look at or bend stands here."""

    url: str = ""
    redirects: set[str] = field(default_factory=set)
    scopes: set[str] = field(default_factory=lambda: {"https://mail.example/"})
    client_auth: str = "client_secret_post"
    address: str = "mira@lantern.example"
    lasts: int = 3600
    interval: int = 1
    device_lasts: int = 600
    gives_refresh: bool = True
    # Whether devices are clients without a secret, as at Microsoft.
    device_is_public: bool = False
    # Changes of the discovery document, of ID tokens and of what the browser brings back.
    about: dict[str, Any] = field(default_factory=dict)
    lies: dict[str, Any] = field(default_factory=dict)
    brings: dict[str, str] = field(default_factory=dict)
    signs_with: Any = KEY
    issuer_path: str = ""
    # By path, what comes in the place of the next answers: `drop`, or a status.
    faults: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    grants: list[Grant] = field(default_factory=list)
    codes: dict[str, tuple[Grant, float]] = field(default_factory=dict)
    used_codes: dict[str, Grant] = field(default_factory=dict)
    devices: dict[str, Device] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def issuer(self) -> str:
        return self.url + self.issuer_path

    def is_good(self, token: object) -> bool:
        """Return True if an access token opens the mailbox now."""
        with self.lock:
            return any(
                not it.ended and it.access.get(str(token), 0) > time.time() for it in self.grants
            )

    def calls(self, path: str) -> list[dict[str, str]]:
        return [given for at, given in self.asked if at == path]

    # -- what it says of itself --------------------------------------------------------------------
    def discovery(self) -> dict[str, Any]:
        ends = {
            "authorization_endpoint": "/authorize", "token_endpoint": "/token",
            "device_authorization_endpoint": "/device", "revocation_endpoint": "/revoke",
            "userinfo_endpoint": "/userinfo", "jwks_uri": "/keys",
        }  # fmt: skip
        return {
            "issuer": self.issuer, **{name: self.url + path for name, path in ends.items()},
            "token_endpoint_auth_methods_supported": [self.client_auth],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": sorted(PLAIN | self.scopes),
            "authorization_response_iss_parameter_supported": True, **self.about,
        }  # fmt: skip

    def keys(self) -> dict[str, Any]:
        public = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(KEY.public_key()))
        return {"keys": [{**public, "kid": "one", "alg": "ES256", "use": "sig"}]}

    # -- the browser -------------------------------------------------------------------------------
    def check_request(self, given: dict[str, str]) -> None:
        if unknown := given.keys() - OF_REQUEST:
            raise Refusal(f"unknown: {sorted(unknown)}")
        if given.get("client_id") != CLIENT or given.get("redirect_uri") not in self.redirects:
            raise Refusal("no such client or redirect address")
        is_code = given.get("response_type") == "code"
        is_pkce = (
            given.get("code_challenge_method") == "S256"
            and len(given.get("code_challenge", "")) == 43
        )
        has_random = all(len(given.get(name, "")) >= 32 for name in ("state", "nonce"))
        if not (is_code and is_pkce and has_random):
            raise Refusal("neither code, PKCE, state nor nonce may lack")
        self.check_scopes(given.get("scope", ""))

    def check_scopes(self, text: str) -> set[str]:
        scopes = text.split()
        if len(scopes) != len(set(scopes)) or not set(scopes) <= PLAIN | self.scopes:
            raise Refusal("invalid_scope")
        return set(scopes)

    def decide(self, given: dict[str, str]) -> str:
        """Return where the browser goes with a person's word."""
        request = dict(parse_qsl(given["request"]))
        self.check_request(request)
        back = {"state": request["state"], "iss": self.issuer}
        if given["action"] == "refuse":
            back["error"] = "access_denied"
        else:
            grant = Grant(given["address"], set(given["scopes"].split()), request["nonce"], request)
            code = secrets.token_urlsafe(24)
            with self.lock:
                self.grants.append(grant)
                self.codes[code] = (grant, time.time() + 60)
            back["code"] = code
        back |= self.brings
        return f"{request['redirect_uri']}?{urlencode(back)}"

    def activate(self, given: dict[str, str]) -> str:
        device = next(
            (it for it in self.devices.values() if it.user_code == given["user_code"]), None
        )
        if device is None:
            return "no such code"
        if given["action"] == "refuse":
            device.refused = True
            return "refused"
        device.grant = Grant(given["address"], set(device.scopes), "", {})
        with self.lock:
            self.grants.append(device.grant)
        return "allowed"

    # -- tokens ------------------------------------------------------------------------------------
    def authenticate(self, given: dict[str, str], header: str) -> dict[str, str]:
        """Return the form without what shows the client; raises Refusal."""
        pair = base64.b64encode(b"chancery:a%20secret%3A%20of%20ours").decode()
        if self.client_auth == "client_secret_basic":
            fits = header == f"Basic {pair}" and not {"client_id", "client_secret"} & given.keys()
        else:
            shown = (given.get("client_id"), given.get("client_secret"))
            is_device = "device_code" in given or given.keys() == {"scope", "client_id"}
            wanted = None if self.device_is_public and is_device else SECRET
            fits = not header and shown == (CLIENT, wanted)
        if not fits:
            raise Refusal("invalid_client", 401)
        return {k: v for k, v in given.items() if k not in ("client_id", "client_secret")}

    def token(self, given: dict[str, str], header: str) -> dict[str, Any]:
        given = self.authenticate(given, header)
        kind = given.pop("grant_type", "")
        if kind not in OF_GRANT:
            raise Refusal("unsupported_grant_type")
        if given.keys() - OF_GRANT[kind]:
            raise Refusal("invalid_request")
        with self.lock:
            if kind == "authorization_code":
                return self.issue(self.by_code(given), fresh=True)
            if kind == "refresh_token":
                return self.issue(self.by_refresh(given), fresh=False)
            return self.issue(self.by_device(given), fresh=True)

    def by_code(self, given: dict[str, str]) -> Grant:
        code = given.get("code", "")
        if code in self.used_codes:
            # RFC 6749 4.1.2: who has it twice had it stolen.
            self.used_codes[code].ended = True
            raise Refusal("invalid_grant")
        grant, until = self.codes.pop(code, (None, 0.0))
        if grant is None or until < time.time():
            raise Refusal("invalid_grant")
        self.used_codes[code] = grant
        digest = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        same_place = given.get("redirect_uri") == grant.request["redirect_uri"]
        if challenge != grant.request["code_challenge"] or not same_place:
            raise Refusal("invalid_grant")
        return grant

    def by_refresh(self, given: dict[str, str]) -> Grant:
        token = given.get("refresh_token", "")
        grant = next((it for it in self.grants if token and it.refresh == token), None)
        if spent := next((it for it in self.grants if token in it.spent), None):
            spent.ended = True
        if grant is None or grant.ended:
            raise Refusal("invalid_grant")
        if set(given.get("scope", "").split()) - grant.scopes - PLAIN:
            raise Refusal("invalid_scope")
        return grant

    def by_device(self, given: dict[str, str]) -> Grant:
        device = self.devices.get(given.get("device_code", ""))
        if device is None:
            raise Refusal("invalid_grant")
        too_soon, device.asked_at = time.time() - device.asked_at < self.interval, time.time()
        if too_soon:
            raise Refusal("slow_down")
        if device.refused:
            raise Refusal("access_denied")
        if device.until < time.time():
            raise Refusal("expired_token")
        if device.grant is None:
            raise Refusal("authorization_pending")
        del self.devices[given["device_code"]]
        return device.grant

    def issue(self, grant: Grant, *, fresh: bool) -> dict[str, Any]:
        access = secrets.token_urlsafe(24)
        grant.access[access] = time.time() + self.lasts
        answer = {"access_token": access, "token_type": "Bearer", "expires_in": self.lasts,
                  "scope": " ".join(sorted(grant.scopes))}  # fmt: skip
        if self.gives_refresh:
            grant.spent |= {grant.refresh} - {""}
            grant.refresh = answer["refresh_token"] = secrets.token_urlsafe(24)
        return answer | ({"id_token": self.id_token(grant)} if fresh else {})

    def id_token(self, grant: Grant) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300,
            "sub": f"sub of {grant.address}", "email": grant.address, "email_verified": True,
            **({"nonce": grant.nonce} if grant.nonce else {}), **self.lies,
        }  # fmt: skip
        claims = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(claims, self.signs_with, "ES256", headers={"kid": "one"})

    def start_device(self, given: dict[str, str], header: str) -> dict[str, Any]:
        given = self.authenticate(given, header)
        if given.keys() != {"scope"}:
            raise Refusal("invalid_request")
        code, shown = secrets.token_urlsafe(24), secrets.token_hex(4).upper()
        scopes = self.check_scopes(given["scope"])
        self.devices[code] = Device(shown, scopes, time.time() + self.device_lasts)
        return {
            "device_code": code, "user_code": shown, "verification_uri": f"{self.url}/activate",
            "expires_in": self.device_lasts, "interval": self.interval,
        }  # fmt: skip

    def revoke(self, given: dict[str, str], header: str) -> dict[str, Any]:
        given = self.authenticate(given, header)
        if not given.get("token") or given.keys() - {"token", "token_type_hint"}:
            raise Refusal("invalid_request")
        for grant in self.grants:
            if given["token"] == grant.refresh or given["token"] in grant.access:
                grant.ended = True
        return {}

    def userinfo(self, header: str) -> dict[str, Any]:
        token = header.removeprefix("Bearer ")
        grant = next((it for it in self.grants if token in it.access and not it.ended), None)
        if grant is None:
            raise Refusal("invalid_token", 401)
        return {"sub": f"sub of {grant.address}", "email": grant.address, "email_verified": True}


# -- its pages and its doors -------------------------------------------------------------------------
def consent_page(server: AuthorizationServer, query: str) -> str:
    scopes = dict(parse_qsl(query))["scope"]
    return f"""<!doctype html><title>Who are you?</title><h1>Who are you?</h1>
<form method="post" action="/decide"><input type="hidden" name="request" value="{escape(query)}">
<label>Address <input name="address" value="{escape(server.address)}"></label>
<label>Scopes <input name="scopes" value="{escape(scopes)}"></label>
<button name="action" value="allow">Allow</button>
<button name="action" value="refuse">Refuse</button></form>"""


class Door(BaseHTTPRequestHandler):
    """One request: strict about verbs, forms and what may be asked twice."""

    script: AuthorizationServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.serve("GET", urlsplit(self.path).query)

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.serve("POST", text)

    def serve(self, verb: str, text: str) -> None:
        path = urlsplit(self.path).path
        found = parse_qs(text, keep_blank_values=True)
        given = {name: values[0] for name, values in found.items()}
        self.script.asked.append((path, given))
        fault = self.script.faults[path].pop(0) if self.script.faults[path] else None
        if fault == "drop":
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        try:
            if fault is not None:
                raise Refusal("on_order", fault) if isinstance(fault, int) else Refusal(fault)
            if any(len(values) > 1 for values in found.values()):
                raise Refusal("invalid_request")
            self.answer(verb, path, given, text)
        except Refusal as refusal:
            self.send(refusal.status, json.dumps({"error": refusal.error}))
        except (KeyError, ValueError) as error:
            self.send(400, json.dumps({"error": "invalid_request", "why": repr(error)}))

    def answer(self, verb: str, path: str, given: dict[str, str], text: str) -> None:
        script, header = self.script, self.headers.get("Authorization", "")
        posts = {
            "/token": script.token, "/device": script.start_device, "/revoke": script.revoke,
        }  # fmt: skip
        gets: dict[str, Any] = {
            f"{script.issuer_path}/.well-known/openid-configuration": script.discovery,
            f"/.well-known/oauth-authorization-server{script.issuer_path}": script.discovery,
            "/keys": script.keys,
        }
        if verb == "POST" and path in posts and "?" not in self.path:
            self.send(200, json.dumps(posts[path](given, header)))
        elif verb == "GET" and path in gets and not given:
            self.send(200, json.dumps(gets[path]()))
        elif (verb, path) == ("GET", "/userinfo"):
            self.send(200, json.dumps(script.userinfo(header)))
        elif (verb, path) == ("GET", "/authorize"):
            script.check_request(given)
            self.send(200, consent_page(script, text), "text/html")
        elif (verb, path) == ("POST", "/decide"):
            self.send(302, "", location=script.decide(given))
        elif (verb, path) == ("POST", "/activate"):
            self.send(200, script.activate(given), "text/plain")
        else:
            raise Refusal("not_found", 404)

    def send(
        self, status: int, text: str, kind: str = "application/json", location: str = ""
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def authorization_server(**options: Any) -> Iterator[AuthorizationServer]:
    """Serve one until the end."""
    script = AuthorizationServer(**options)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OwnDoor", (Door,), {"script": script}))
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def decide(
    where: str,
    action: str = "allow",
    address: str = "mira@lantern.example",
    scopes: str | None = None,
) -> str:
    """Go where a browser is sent, as a person who decides; return where the server sends it back."""
    page = BROWSER.get(where)
    assert page.status_code == 200, page.text
    query = urlsplit(where).query
    asked = dict(parse_qsl(query))["scope"]
    form = {"request": query, "action": action, "address": address}
    back = BROWSER.post(
        urlsplit(where)._replace(path="/decide", query="").geturl(),
        data=form | {"scopes": asked if scopes is None else scopes},
    )
    assert back.status_code == 302, back.text
    return back.headers["Location"]


def enter_code(
    server: AuthorizationServer, user_code: str, action: str = "allow", **more: str
) -> str:
    """Enter a code on another device, as a person who decides."""
    form = {"user_code": user_code, "action": action, "address": server.address, **more}
    return BROWSER.post(f"{server.url}/activate", data=form).text
