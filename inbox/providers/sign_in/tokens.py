"""Tokens: asked for, and revoked (RFC 6749, RFC 7009)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx

from inbox.accounts.credentials import Secret, Tokens
from inbox.providers.oauth import TOKEN, life_of
from inbox.providers.sign_in.asking import Answer, ask
from inbox.providers.sign_in.client import Client, ClientAuth, client_fields
from inbox.providers.sign_in.discovery import AuthorizationServer
from inbox.providers.sign_in.failures import SignInError, refused, unreachable
from inbox.reasons import phrase as _

LONGEST_SCOPE = 4000
_REVOCATION_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Granted:
    """What a person granted: tokens, the scopes that they are for, and who that was, signed."""

    tokens: Tokens
    scopes: frozenset[str]
    id_token: str


def ask_token(
    server: AuthorizationServer, client: Client, fields: Mapping[str, str], asked: frozenset[str]
) -> Granted:
    """Return what the token endpoint gives for these fields; raises SignInError."""
    answer = post_as(server, server.token_url, client, fields)
    if answer.status != 200:
        raise refused(server.title, answer)
    return read_granted(server, client, answer, asked)


def post_as(
    server: AuthorizationServer, url: str, client: Client, fields: Mapping[str, str]
) -> Answer:
    """Return the answer to a form that the client sends; raises SignInError where none comes."""
    auth, body = client_fields(client, server.client_auth, fields)
    try:
        return ask("POST", url, fields=body, auth=auth)
    except (httpx.HTTPError, OSError) as error:
        raise unreachable(server.title, error) from None


def read_granted(
    server: AuthorizationServer, client: Client, answer: Answer, asked: frozenset[str]
) -> Granted:
    """Return what a good answer holds; where it names no scopes, it is those that were asked."""
    found = answer.fields
    access, refresh = found.get("access_token"), found.get("refresh_token")
    is_bearer = str(found.get("token_type", "bearer")).lower() == "bearer"
    if not isinstance(access, str) or not TOKEN.fullmatch(access) or not is_bearer:
        words = _("%(endpoint)s answered without a token.", endpoint=server.title)
        raise SignInError(words, is_passing=True)
    has_refresh = isinstance(refresh, str) and TOKEN.fullmatch(refresh)
    scope = found.get("scope")
    scopes = frozenset(scope[:LONGEST_SCOPE].split()) if isinstance(scope, str) else asked
    tokens = Tokens(
        Secret(access), Secret(str(refresh) if has_refresh else ""), client.secret,
        datetime.now(UTC) + life_of(found.get("expires_in")),
    )  # fmt: skip
    return Granted(tokens, scopes, str(found.get("id_token") or ""))


def revoke(url: str, client: Client, auth: ClientAuth, token: Secret, kind: str) -> bool:
    """Return True if a token (`kind`: refresh_token or access_token) opens nothing any more.

    Of one that was revoked before a server says yes again (RFC 7009 2.2), and Google that it is
    none.
    """
    fields = {"token": token.reveal(), "token_type_hint": kind}
    basic, body = client_fields(client, auth, fields)
    try:
        answer = ask("POST", url, fields=body, auth=basic, seconds=_REVOCATION_SECONDS)
    except (httpx.HTTPError, OSError):
        return False
    return answer.status == 200 or (answer.status == 400 and answer.error == "invalid_token")
