"""What a client asks for, as it stands in the address of the person's page."""

from dataclasses import dataclass
from string import ascii_letters, digits
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit

from django.http import HttpRequest
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.models import get_application_model
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views.mixins import OAuthLibMixin
from oauthlib.common import add_params_to_uri

from agents.operations.granting.connections import Promise
from agents.surfaces.mcp.transports.addresses import is_served, plain_path
from agents.surfaces.mcp.transports.handler import PATH
from project.oauth.names import clean_name
from project.oauth.redirects import place_of, returns_here

_Application = get_application_model()
_LONGEST_AUDIENCE = 400
# SHA-256 in base64url, without what fills it up (RFC 7636, section 4.2).
_CHALLENGE = 43
_BASE64URL = frozenset(ascii_letters + digits + "-_")


class Unanswerable(Exception):  # noqa: N818
    """A request of which not even the sender is known: nobody is sent anywhere."""


class Wrong(Exception):  # noqa: N818
    """A request that its client is to be told is wrong; `back` is where, `code` is RFC 6749's."""

    def __init__(self, code: str, words: str, back: str) -> None:
        super().__init__(words)
        self.code, self.words, self.back = code, words, back


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for authorization (RFC 6749, 4.1.1) of a client that is known."""

    credentials: dict[str, Any]
    scopes: list[str]
    name: str
    # Where its metadata document is; empty where it registered itself under any name it liked.
    host: str
    redirect_uri: str
    audience: str

    @property
    def returns_here(self) -> bool:
        """Whether the answer goes to a program on the person's own machine."""
        return returns_here(self.redirect_uri)

    @property
    def place(self) -> str:
        """Where the answer goes: a host, or the scheme of a program."""
        return place_of(self.redirect_uri)

    @property
    def called(self) -> str:
        """What the client is called here: by its own word, or where that is from."""
        return self.name or self.host or self.place


class _AddressOnly(OAuthLibCore):  # type: ignore[misc]
    """Takes a request from its address alone: the form below it is ours, and says nothing of it."""

    def extract_body(self, request: HttpRequest) -> list[tuple[str, str]]:
        return []


class _Protocol(OAuthLibMixin):  # type: ignore[misc]
    oauthlib_backend_class = _AddressOnly


def read_asked(request: HttpRequest) -> Asked:
    """Return what is asked; raises Unanswerable, or Wrong where the client is to hear of it."""
    if any("\0" in text for pair in request.GET.lists() for text in (pair[0], *pair[1])):
        raise Unanswerable("The address holds a zero byte.")
    try:
        scopes, found = _Protocol.get_oauthlib_core().validate_authorization_request(request)
    except ValueError as error:
        raise Unanswerable("The query of the address cannot be read.") from error
    except FatalClientError as error:
        cause = error.oauthlib_error
        raise Unanswerable(cause.description or cause.error) from error
    except OAuthToolkitError as error:
        cause = error.oauthlib_error
        back = _answer_to(request, cause.redirect_uri, cause.twotuples, cause.state)
        raise Wrong(cause.error, cause.description or "", back) from error
    names = ("client_id", "redirect_uri", "response_type", "state", "code_challenge")
    credentials = {name: found[name] for name in names if found.get(name) is not None}
    method = found.get("code_challenge_method")
    resources = request.GET.getlist("resource")
    audience = _audience(request, resources)
    client = found["request"].client
    asked = Asked(
        {**credentials, "code_challenge_method": method}, scopes, clean_name(client.name),
        _host_of(client), str(found["redirect_uri"]), audience,
    )  # fmt: skip
    if method != "S256" or not _is_hash(credentials["code_challenge"]):
        words = "code_challenge has to be a hash by the code_challenge_method S256"
        raise _wrong(request, asked, "invalid_request", words)
    if not audience:
        words = "resource has to be one address of MCP at this host, such as " + _home(request)
        raise _wrong(request, asked, "invalid_target", words)
    # As the client wrote it, for it is held against what the client writes later.
    asked.credentials["resource"] = resources or [audience]
    return asked


def grant(request: HttpRequest, asked: Asked, scopes: list[str], promise: Promise) -> str:
    """Keep a code for what was promised; return where the browser brings it."""
    credentials = {**asked.credentials, "promise": promise}
    core = _Protocol.get_oauthlib_core()
    back: str = core.create_authorization_response(request, scopes, credentials, True)[0]
    return back


def refuse(request: HttpRequest, asked: Asked) -> str:
    """Return where the browser brings the person's no."""
    pairs = [("error", "access_denied")]
    return _answer_to(request, asked.redirect_uri, pairs, asked.credentials.get("state"))


def _wrong(request: HttpRequest, asked: Asked, code: str, words: str) -> Wrong:
    pairs = [("error", code), ("error_description", words)]
    state = asked.credentials.get("state")
    return Wrong(code, words, _answer_to(request, asked.redirect_uri, pairs, state))


def _answer_to(
    request: HttpRequest, redirect_uri: str, pairs: list[tuple[str, str]], state: str | None
) -> str:
    """Return a redirect URI with an error, the state and who answers (RFC 9207, section 2)."""
    given = dict(pairs) | ({"state": state} if state else {})
    issuer = oauth2_settings.oauth2_authorization_server_issuer(request)
    answered: str = add_params_to_uri(redirect_uri, [*given.items(), ("iss", issuer)])
    return answered


def _home(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").lower().rstrip("/") + PATH


def _audience(request: HttpRequest, resources: list[str]) -> str:
    """Return the one address that is asked for (RFC 8707); empty where it is none of ours.

    Clients of old revisions name none, and mean `/mcp`.
    """
    home = _home(request)
    if not resources:
        return home
    asked = _split(resources[0])
    origin = f"{asked.scheme}://{asked.netloc}".lower()
    is_ours = origin + PATH == home and is_served(asked.path) and not asked.query
    if len(resources) > 1 or not is_ours or len(resources[0]) > _LONGEST_AUDIENCE:
        return ""
    return origin + plain_path(asked.path)


def _is_hash(challenge: str) -> bool:
    return len(challenge) == _CHALLENGE and _BASE64URL.issuperset(challenge)


def _split(address: str) -> SplitResult:
    """Return the parts of an address; none of one that cannot be read."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _host_of(client: Any) -> str:
    if client.registration_source != _Application.RegistrationSource.CIMD:
        return ""
    return urlsplit(str(client.client_id)).netloc


def again(request: HttpRequest, **more: str) -> str:
    """Return the same address with more in its query."""
    kept = [pair for pair in request.GET.lists() if pair[0] not in more]
    return "?" + urlencode([*kept, *more.items()], doseq=True)
