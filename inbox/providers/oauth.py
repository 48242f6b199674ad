"""Renewing OAuth 2.0 tokens (RFC 6749 6) at the address that an account's settings name."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from inbox.accounts.credentials import CredentialError, Secret, Tokens
from inbox.providers.sign_in.asking import SECONDS, Answer, ask, check_url
from inbox.providers.sign_in.client import Client, ClientAuth, client_fields
from inbox.reasons import phrase as _

LONGEST_LIFE = timedelta(days=366)
# What may stand in a token (RFC 6749 A.12, A.17), without blanks.
TOKEN = re.compile(r"[\x21-\x7e]{1,16384}")


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    """Where tokens are renewed, as which client, and how that shows its secret."""

    url: str
    client_id: str
    scope: str = ""
    client_auth: ClientAuth = "post"

    @classmethod
    def read(cls, settings: dict[str, Any]) -> Self:
        """Return the client of an account's settings; raises CredentialError where it has none."""
        url, client_id = settings.get("oauth_token_url"), settings.get("oauth_client_id")
        if not isinstance(url, str) or not isinstance(client_id, str) or not client_id:
            raise CredentialError(_("The account has no token address or client ID."))
        try:
            check_url(url)
        except ValueError as error:
            raise CredentialError(
                _("The token address cannot be used: %(error)s.", error=error)
            ) from None
        scope = str(settings.get("oauth_scope") or "")
        is_basic = settings.get("oauth_client_auth") == "basic"
        return cls(url, client_id, scope, "basic" if is_basic else "post")


def renew(endpoint: TokenEndpoint, tokens: Tokens) -> Tokens:
    """Return new tokens for the refresh token; what the answer leaves out stays as it is.

    One request, no redirects, no proxies, within `SECONDS`. Raises CredentialError.
    """
    fields = {
        "grant_type": "refresh_token",
        "refresh_token": tokens.refresh.reveal(),
    }
    if endpoint.scope:
        fields["scope"] = endpoint.scope
    client = Client(endpoint.client_id, tokens.client_secret)
    auth, fields = client_fields(client, endpoint.client_auth, fields)
    try:
        answer = ask("POST", endpoint.url, fields=fields, auth=auth, seconds=SECONDS)
    except (httpx.HTTPError, OSError) as error:
        words = _(
            "%(host)s did not answer when the token was renewed. (%(error)s)",
            host=_host(endpoint),
            error=type(error).__name__,
        )
        raise CredentialError(words, is_passing=True) from None
    if answer.status != 200:
        raise _refusal(endpoint, answer)
    return _read(endpoint, tokens, answer)


def _host(endpoint: TokenEndpoint) -> str:
    return urlsplit(endpoint.url).hostname or endpoint.url


def _refusal(endpoint: TokenEndpoint, answer: Answer) -> CredentialError:
    """Say what the refusal means; only its code is quoted, for a server may repeat what it got."""
    said = f" ({answer.error or f'HTTP {answer.status}'})"
    host = _host(endpoint)
    if answer.is_passing:
        return CredentialError(
            _("%(host)s cannot renew the token right now%(said)s.", host=host, said=said),
            is_passing=True,
        )
    if 300 <= answer.status < 400:
        return CredentialError(
            _(
                "%(host)s redirects elsewhere%(said)s; tokens are never sent on.",
                host=host,
                said=said,
            )
        )
    if answer.error == "invalid_grant":
        return CredentialError(
            _(
                "%(host)s no longer accepts the sign-in%(said)s: reconnect the account.",
                host=host,
                said=said,
            )
        )
    return CredentialError(
        _("%(host)s refuses to renew the token%(said)s: check the client.", host=host, said=said)
    )


def _read(endpoint: TokenEndpoint, tokens: Tokens, answer: Answer) -> Tokens:
    found = answer.fields
    access, refresh = found.get("access_token"), found.get("refresh_token")
    if not isinstance(access, str) or not TOKEN.fullmatch(access):
        raise CredentialError(
            _("%(endpoint)s answered without a token.", endpoint=_host(endpoint)), is_passing=True
        )
    is_new = isinstance(refresh, str) and TOKEN.fullmatch(refresh)
    return Tokens(
        Secret(access),
        Secret(str(refresh)) if is_new else tokens.refresh,
        tokens.client_secret,
        datetime.now(UTC) + life_of(found.get("expires_in")),
    )


def life_of(seconds: object) -> timedelta:
    """Return how long the access token lasts; an hour where the server does not say."""
    try:
        given = timedelta(seconds=int(str(seconds)))
    except (ValueError, OverflowError):
        return timedelta(hours=1)
    return min(max(given, timedelta(0)), LONGEST_LIFE)
