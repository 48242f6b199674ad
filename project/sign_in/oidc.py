"""Asking an OpenID Connect provider who somebody is: code flow with PKCE, state and nonce.

OpenID Connect Core 1.0 3.1, Discovery 1.0 4, RFC 7636, RFC 9207. Its answers are checked whole: who
signed them, for whom, for which question, and until when.
"""

import base64
import hashlib
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx
import jwt
from django.conf import settings
from django.core.cache import cache
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _

SECONDS = 10.0
_KEPT = 3600
_LEEWAY = 60
_SCOPE = "openid email profile"
# Signatures by keys that the provider publishes; none by a shared secret, and none at all.
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class OidcError(Exception):
    """Nobody was made known by it, in words."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is remembered while somebody is at the provider's."""

    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True)
class Outsider:
    """Whom the provider has shown, and the address that it has verified, if any."""

    subject: str
    email: str


def provider_name() -> str:
    """Return what people know the provider by."""
    return settings.OIDC_NAME or urlsplit(settings.OIDC_ISSUER).hostname or settings.OIDC_ISSUER


def make_question() -> Question:
    """Return a question that was never asked before."""
    return Question(*(secrets.token_urlsafe(32) for _ in range(3)))


def address_to_ask(question: Question, callback: str) -> str:
    """Return where the browser is sent to; raises OidcError."""
    digest = hashlib.sha256(question.verifier.encode()).digest()
    parameters = {
        "response_type": "code",
        "client_id": settings.OIDC_CLIENT_ID,
        "redirect_uri": callback,
        "scope": _SCOPE,
        "state": question.state,
        "nonce": question.nonce,
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256",
    }
    where = str(_discover()["authorization_endpoint"])
    return f"{where}{'&' if '?' in where else '?'}{urlencode(parameters)}"


def read_answer(question: Question, given: dict[str, str], callback: str) -> Outsider:
    """Return who came back with these parameters; raises OidcError."""
    if not constant_time_compare(given.get("state", ""), question.state):
        raise OidcError(
            _("This answer does not belong to a sign-in from this browser. Start again.")
        )
    if given.get("iss", settings.OIDC_ISSUER) != settings.OIDC_ISSUER:
        raise OidcError(_("The answer comes from a different provider than the one asked."))
    if given.get("error") or not given.get("code"):
        raise OidcError(_("The provider did not sign you in."))
    tokens = _exchange(given["code"], question, callback)
    claims = _verified(str(tokens.get("id_token", "")), question)
    if "email" not in claims:
        claims |= _more_of(claims, str(tokens.get("access_token", "")))
    is_verified = claims.get("email_verified") is True
    return Outsider(str(claims["sub"]), str(claims.get("email", "")) if is_verified else "")


def _discover() -> dict[str, Any]:
    """Return what the provider says of itself, asked once an hour."""
    key = f"oidc:{hashlib.sha256(settings.OIDC_ISSUER.encode()).hexdigest()}"
    found: dict[str, Any] | None = cache.get(key)
    if found is None:
        place = settings.OIDC_ISSUER.rstrip("/") + "/.well-known/openid-configuration"
        found = _ask("GET", place)
        if found.get("issuer") != settings.OIDC_ISSUER:
            raise OidcError(_("The provider's name does not match CHANCERY_OIDC_ISSUER."))
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            _check_address(str(found.get(name, "")))
        cache.set(key, found, _KEPT)
    return found


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise OidcError(_("The provider gives an address that is not https."))


def _exchange(code: str, question: Question, callback: str) -> dict[str, Any]:
    """Give the code for the tokens."""
    about = _discover()
    body = {
        "grant_type": "authorization_code", "code": code, "redirect_uri": callback,
        "code_verifier": question.verifier,
    }  # fmt: skip
    ours = (settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET)
    ways = about.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    if "client_secret_basic" in ways:
        # Each is encoded first (RFC 6749 2.3.1).
        auth = httpx.BasicAuth(*(quote(part, safe="") for part in ours))
        return _ask("POST", about["token_endpoint"], data=body, auth=auth)
    body |= dict(zip(("client_id", "client_secret"), ours, strict=True))
    return _ask("POST", about["token_endpoint"], data=body)


def _verified(token: str, question: Question) -> dict[str, Any]:
    """Return what an ID token claims, if it is the provider's, for us, and for this question."""
    try:
        claims: dict[str, Any] = jwt.decode(
            token, _key_of(token), algorithms=list(_ALGORITHMS), audience=settings.OIDC_CLIENT_ID,
            issuer=settings.OIDC_ISSUER, leeway=_LEEWAY,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )  # fmt: skip
    except jwt.PyJWTError as error:
        raise OidcError(
            _("The provider's answer is not valid: its signature, time or recipient is wrong.")
        ) from error
    if claims.get("azp", settings.OIDC_CLIENT_ID) != settings.OIDC_CLIENT_ID:
        raise OidcError(_("The provider's answer is for someone else."))
    if not constant_time_compare(str(claims.get("nonce", "")), question.nonce):
        raise OidcError(_("The provider's answer belongs to another sign-in. Start again."))
    return claims


def _key_of(token: str) -> jwt.PyJWK:
    """Return the published key that a token names."""
    name = jwt.get_unverified_header(token).get("kid")
    keys = jwt.PyJWKSet.from_dict(_ask("GET", _discover()["jwks_uri"])).keys
    fitting = [key for key in keys if name is None or key.key_id == name]
    if not fitting or (name is None and len(keys) > 1):
        raise jwt.InvalidTokenError
    return fitting[0]


def _more_of(claims: dict[str, Any], access_token: str) -> dict[str, Any]:
    """Return what the provider says of them elsewhere, if it is of the same person."""
    place = str(_discover().get("userinfo_endpoint", ""))
    if not place or not access_token:
        return {}
    _check_address(place)
    more = _ask("GET", place, headers={"Authorization": f"Bearer {access_token}"})
    if more.get("sub") != claims["sub"]:
        raise OidcError(_("The provider's answer is for someone else."))
    return {name: more[name] for name in ("email", "email_verified") if name in more}


def _ask(method: str, url: str, **how: Any) -> dict[str, Any]:
    try:
        answer = httpx.request(method, url, timeout=SECONDS, **how)
        answer.raise_for_status()
        told = answer.json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise OidcError(_("The provider cannot be reached, or answers with an error.")) from error
    if not isinstance(told, dict):
        raise OidcError(_("The provider cannot be reached, or answers with an error."))
    return told
