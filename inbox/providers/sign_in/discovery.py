"""What an authorization server says of itself: OpenID Connect Discovery 1.0, or RFC 8414."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from inbox.providers.sign_in.asking import Answer, ask, check_url
from inbox.providers.sign_in.client import ClientAuth
from inbox.providers.sign_in.failures import SignInError, refused, unreachable
from inbox.reasons import phrase as _

# What Microsoft's issuer has in the place of the tenant that somebody turns out to belong to.
TENANT = "{tenantid}"
_TENANT_ID = re.compile(r"[0-9a-f-]{36}")
_NEEDED = {"authorization_endpoint": "authorization_url", "token_endpoint": "token_url"}
_KNOWN = {
    "jwks_uri": "jwks_url",
    "userinfo_endpoint": "userinfo_url",
    "device_authorization_endpoint": "device_url",
    "revocation_endpoint": "revocation_url",
}


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """Where a provider's server answers and what it can do; `title` is what people call it."""

    title: str
    issuer: str
    authorization_url: str
    token_url: str
    jwks_url: str = ""
    userinfo_url: str = ""
    device_url: str = ""
    revocation_url: str = ""
    client_auth: ClientAuth = "post"
    # Its answers name it (RFC 9207): one that does not is not its own.
    names_itself: bool = False
    # Whether it knows the scope `offline_access`; None where it does not say.
    has_offline_access: bool | None = None

    def is_issuer(self, name: str, tenant: str = "") -> bool:
        """Return True if it calls itself so; with tenants, for this one or (empty) for any."""
        if TENANT not in self.issuer:
            return name == self.issuer
        before, __, after = self.issuer.partition(TENANT)
        found = name.removeprefix(before).removesuffix(after)
        is_tenant = name == before + found + after and _TENANT_ID.fullmatch(found) is not None
        return is_tenant and (not tenant or found == tenant)


def discover(issuer: str, title: str) -> AuthorizationServer:
    """Return what the server at an issuer's address says of itself; raises SignInError.

    Its own name must be the one that was asked, or hold a tenant's place on the same host.
    """
    found = _read(issuer, title)
    named = str(found.get("issuer", ""))
    if named.rstrip("/") != issuer.rstrip("/") and not _is_of_tenants(named, issuer):
        raise SignInError(
            _("%(provider)s calls itself by another name than was asked for.", provider=title)
        )
    urls = {name: _url(found, key, title) for key, name in {**_NEEDED, **_KNOWN}.items()}
    return AuthorizationServer(
        title=title,
        issuer=named,
        client_auth=_client_auth(found),
        names_itself=found.get("authorization_response_iss_parameter_supported") is True,
        has_offline_access=_has_offline_access(found),
        **urls,
    )


def _read(issuer: str, title: str) -> dict[str, Any]:
    parts = urlsplit(issuer)
    root = f"{parts.scheme}://{parts.netloc}"
    places = (
        f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        f"{root}/.well-known/oauth-authorization-server{parts.path.rstrip('/')}",
    )
    answer = Answer(404, b"")
    for place in places:
        try:
            check_url(place)
            answer = ask("GET", place)
        except ValueError:
            raise SignInError(
                _("The address of %(provider)s cannot be used.", provider=title)
            ) from None
        except (httpx.HTTPError, OSError) as error:
            raise unreachable(title, error) from None
        if answer.status == 200 and answer.fields:
            return answer.fields
        if answer.status != 404:
            break
    raise refused(title, answer)


def _is_of_tenants(named: str, issuer: str) -> bool:
    ours, theirs = urlsplit(issuer), urlsplit(named)
    return TENANT in named and (theirs.scheme, theirs.netloc) == (ours.scheme, ours.netloc)


def _url(found: dict[str, Any], key: str, title: str) -> str:
    url = str(found.get(key) or "")
    if not url and key not in _NEEDED:
        return ""
    try:
        check_url(url)
    except ValueError:
        words = _("%(provider)s gives an address that cannot be used.", provider=title)
        raise SignInError(words) from None
    return url


def _client_auth(found: dict[str, Any]) -> ClientAuth:
    """Return how the client shows its secret: in the body, where the server takes it so."""
    ways = found.get("token_endpoint_auth_methods_supported")
    if not isinstance(ways, list):
        return "basic"
    return "post" if "client_secret_post" in ways or "client_secret_basic" not in ways else "basic"


def _has_offline_access(found: dict[str, Any]) -> bool | None:
    scopes = found.get("scopes_supported")
    return "offline_access" in scopes if isinstance(scopes, list) else None
