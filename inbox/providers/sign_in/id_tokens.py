"""Who signed in: an ID token, verified by the keys that its issuer publishes, and their address."""

import hmac
from collections.abc import Collection
from typing import Any

import httpx
import jwt

from inbox.providers.sign_in.asking import ask
from inbox.providers.sign_in.discovery import AuthorizationServer
from inbox.providers.sign_in.failures import SignInError, refused, unreachable
from inbox.providers.sign_in.tokens import Granted
from inbox.reasons import phrase as _

# None that is symmetric, and not `none`.
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
# How far two clocks may be apart.
_LEEWAY = 60
_LONGEST_TOKEN = 32_768
_OF_THE_ADDRESS = ("email", "email_verified", "preferred_username")


def verify(
    server: AuthorizationServer,
    client_id: str,
    token: str,
    *,
    nonce: str | None,
    aliases: Collection[str] = (),
) -> dict[str, Any]:
    """Return what an ID token claims, if it is this server's, for us and in answer to the `nonce`.

    Without a nonce (None) there was no question, as with a code on another device. `aliases` are
    other names under which the issuer signs. Raises SignInError.
    """
    if not token or len(token) > _LONGEST_TOKEN or not server.jwks_url:
        raise SignInError(_("%(provider)s does not say who signed in.", provider=server.title))
    try:
        claims: dict[str, Any] = jwt.decode(
            token, _key_of(server, token), algorithms=list(_ALGORITHMS), audience=client_id,
            leeway=_LEEWAY, options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )  # fmt: skip
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        raise _invalid() from None
    is_theirs = server.is_issuer(str(claims["iss"]), str(claims.get("tid", "-")))
    if not is_theirs and claims["iss"] not in aliases:
        raise _invalid()
    if claims.get("azp", client_id) != client_id:
        raise SignInError(_("The provider's answer is for someone else."))
    if nonce is not None and not hmac.compare_digest(
        str(claims.get("nonce", "")).encode(), nonce.encode()
    ):
        raise SignInError(_("The provider's answer belongs to another sign-in. Start again."))
    return claims


def address_of(
    server: AuthorizationServer, granted: Granted, claims: dict[str, Any], names: Collection[str]
) -> str:
    """Return the address of who signed in, in small letters; raises SignInError where none is told.

    `names` are the claims that may hold it, the best first; `email` counts where it is verified.
    """
    if not any(name in claims for name in names):
        claims = claims | _more_of(server, granted, claims)
    for name in names:
        value = claims.get(name)
        if not isinstance(value, str) or "@" not in value or len(value) > 254:
            continue
        if name == "email" and claims.get("email_verified") is not True:
            words = _("%(provider)s has not verified the address %(address)s.",
                      provider=server.title, address=repr(value))  # fmt: skip
            raise SignInError(words)
        return value.strip().lower()
    raise SignInError(
        _("%(provider)s does not tell the address that was signed in.", provider=server.title)
    )


def _invalid() -> SignInError:
    return SignInError(
        _("The provider's answer is not valid: its signature, time or recipient is wrong.")
    )


def _key_of(server: AuthorizationServer, token: str) -> jwt.PyJWK:
    """Return the published key that a token names."""
    name = jwt.get_unverified_header(token).get("kid")
    keys = jwt.PyJWKSet.from_dict(_read(server, server.jwks_url, {})).keys
    fitting = [key for key in keys if name is None or key.key_id == name]
    if not fitting or (name is None and len(keys) > 1):
        raise jwt.InvalidTokenError
    return fitting[0]


def _more_of(
    server: AuthorizationServer, granted: Granted, claims: dict[str, Any]
) -> dict[str, Any]:
    """Return what the provider says of them elsewhere, if it is of the same person."""
    if not server.userinfo_url:
        return {}
    bearer = {"authorization": f"Bearer {granted.tokens.access.reveal()}"}
    more = _read(server, server.userinfo_url, bearer)
    if more.get("sub") != claims["sub"]:
        raise SignInError(_("The provider's answer is for someone else."))
    return {name: more[name] for name in _OF_THE_ADDRESS if name in more}


def _read(server: AuthorizationServer, url: str, headers: dict[str, str]) -> dict[str, Any]:
    try:
        answer = ask("GET", url, headers=headers)
    except (httpx.HTTPError, OSError) as error:
        raise unreachable(server.title, error) from None
    if answer.status != 200:
        raise refused(server.title, answer)
    return answer.fields
