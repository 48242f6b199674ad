"""Renewing OAuth 2.0 tokens (RFC 6749 6) at the address that an account's settings name."""

import ipaddress
import json
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from inbox.accounts.credentials import CredentialError, Secret, Tokens
from inbox.reasons import phrase as _

SECONDS = 20.0
LONGEST_ANSWER = 65_536
LONGEST_URL = 1000
LONGEST_LIFE = timedelta(days=366)
# What may stand in a token (RFC 6749 A.12, A.17), without blanks.
TOKEN = re.compile(r"[\x21-\x7e]{1,16384}")
_CODE = re.compile(r"[a-z_]{1,60}")
_PASSING = frozenset({"temporarily_unavailable", "server_error", "slow_down"})


@dataclass(frozen=True, slots=True)
class TokenEndpoint:
    """Where tokens are renewed, and as which client."""

    url: str
    client_id: str
    scope: str = ""

    @classmethod
    def read(cls, settings: dict[str, Any]) -> Self:
        """Return the client of an account's settings; raises CredentialError where it has none."""
        url, client_id = settings.get("oauth_token_url"), settings.get("oauth_client_id")
        if not isinstance(url, str) or not isinstance(client_id, str) or not client_id:
            raise CredentialError(_("The account has no token address or client ID."))
        try:
            check_token_url(url)
        except ValueError as error:
            raise CredentialError(
                _("The token address cannot be used: %(error)s.", error=error)
            ) from None
        return cls(url, client_id, str(settings.get("oauth_scope") or ""))


def check_token_url(url: str) -> None:
    """Raise ValueError, saying why, for an address that tokens are not sent to."""
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError(f"it is no address of at most {LONGEST_URL} plain characters")
    parts = urlsplit(url)
    if not parts.hostname or "@" in parts.netloc or parts.fragment or parts.port == 0:
        raise ValueError("it must name a host, without a user and without a fragment")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_here(parts.hostname)):
        raise ValueError("it must begin with https://")


def renew(endpoint: TokenEndpoint, tokens: Tokens) -> Tokens:
    """Return new tokens for the refresh token; what the answer leaves out stays as it is.

    One request, no redirects, no proxies, within `SECONDS`. Raises CredentialError.
    """
    fields = {
        "grant_type": "refresh_token",
        "refresh_token": tokens.refresh.reveal(),
        "client_id": endpoint.client_id,
    }
    if tokens.client_secret:
        fields["client_secret"] = tokens.client_secret.reveal()
    if endpoint.scope:
        fields["scope"] = endpoint.scope
    try:
        status, body = _post(endpoint.url, fields)
    except (httpx.HTTPError, OSError) as error:
        words = _(
            "%(host)s did not answer when the token was renewed. (%(error)s)",
            host=_host(endpoint),
            error=type(error).__name__,
        )
        raise CredentialError(words, is_passing=True) from None
    if status != 200:
        raise _refusal(endpoint, status, body)
    return _read(endpoint, tokens, body)


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _host(endpoint: TokenEndpoint) -> str:
    return urlsplit(endpoint.url).hostname or endpoint.url


def _post(url: str, fields: dict[str, str]) -> tuple[int, bytes]:
    end = time.monotonic() + SECONDS
    with (
        httpx.Client(follow_redirects=False, trust_env=False, timeout=SECONDS / 2) as client,
        client.stream("POST", url, data=fields, headers={"accept": "application/json"}) as answer,
    ):
        body = b""
        for part in answer.iter_raw():
            body += part
            if len(body) > LONGEST_ANSWER or time.monotonic() > end:
                raise httpx.ReadTimeout("the answer does not end")
        return answer.status_code, body


def _refusal(endpoint: TokenEndpoint, status: int, body: bytes) -> CredentialError:
    """Say what the refusal means; only its code is quoted, for a server may repeat what it got."""
    code = str(_object(body).get("error", ""))
    said = f" ({code})" if _CODE.fullmatch(code) else f" (HTTP {status})"
    host = _host(endpoint)
    if status >= 500 or status in (408, 429) or code in _PASSING:
        return CredentialError(
            _("%(host)s cannot renew the token right now%(said)s.", host=host, said=said),
            is_passing=True,
        )
    if 300 <= status < 400:
        return CredentialError(
            _(
                "%(host)s redirects elsewhere%(said)s; tokens are never sent on.",
                host=host,
                said=said,
            )
        )
    if code == "invalid_grant":
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


def _read(endpoint: TokenEndpoint, tokens: Tokens, body: bytes) -> Tokens:
    answer = _object(body)
    access, refresh = answer.get("access_token"), answer.get("refresh_token")
    if not isinstance(access, str) or not TOKEN.fullmatch(access):
        raise CredentialError(
            _("%(endpoint)s answered without a token.", endpoint=_host(endpoint)), is_passing=True
        )
    is_new = isinstance(refresh, str) and TOKEN.fullmatch(refresh)
    return Tokens(
        Secret(access),
        Secret(str(refresh)) if is_new else tokens.refresh,
        tokens.client_secret,
        datetime.now(UTC) + _life(answer.get("expires_in")),
    )


def _life(seconds: object) -> timedelta:
    """Return how long the access token lasts; an hour where the server does not say."""
    try:
        given = timedelta(seconds=int(str(seconds)))
    except (ValueError, OverflowError):
        return timedelta(hours=1)
    return min(max(given, timedelta(0)), LONGEST_LIFE)


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
