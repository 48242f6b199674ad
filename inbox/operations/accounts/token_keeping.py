"""Tokens in a row: opened, renewed where they run out, and given back when they are done with.

A row is whatever has the columns `settings`, `secret` and `renewing_until`, as an account does.
Nothing here may be called inside a transaction: renewing asks a server. Of all processes one renews
at a time, for many providers take a refresh token once only; the others go on with the token that
is still good, or wait for the new one.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Protocol, cast

from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from inbox.accounts.credentials import (
    Ciphertext,
    CredentialError,
    Secret,
    Tokens,
    decrypt_tokens,
    encrypt_tokens,
)
from inbox.accounts.sign_in_providers import provider_named
from inbox.providers.oauth import TokenEndpoint, renew
from inbox.providers.sign_in.client import Client
from inbox.providers.sign_in.tokens import revoke
from inbox.reasons import phrase as _

# A token is renewed when it has less than this left, and used as long as it has the other.
RENEW_BEFORE = timedelta(minutes=5)
SHORTEST_USE = timedelta(seconds=30)
# Longer than a renewal can take.
RENEWAL_LEASE = timedelta(seconds=60)
PATIENCE = 30.0
PAUSE = 0.2


class TokenRow(Protocol):
    """A row that keeps tokens; it is locked for a renewal by `renewing_until`."""

    pk: Any
    settings: Any
    secret: Any
    renewing_until: Any

    def refresh_from_db(self) -> None:
        """Read it anew."""


def access_token(row: TokenRow, refused: Secret | None = None) -> Secret:
    """Return an access token that is good now, renewing it where that is due.

    `refused` is one that the server did not take, though its time is not over. Raises
    CredentialError where there is none to be had.
    """
    end = time.monotonic() + PATIENCE
    while True:
        tokens = decrypt_tokens(row.secret)
        if _will_do(tokens, RENEW_BEFORE if tokens.refresh else timedelta(0), refused):
            return tokens.access
        if not tokens.refresh:
            raise CredentialError(_("The access token has expired: reconnect the account."))
        if until := _claim(row):
            return _renewed(row, until, refused)
        if _will_do(tokens, SHORTEST_USE, refused):
            return tokens.access
        _wait(end)
        row.refresh_from_db()


def token_for(row: TokenRow, scope: str) -> Secret:
    """Return a new access token for other scopes, by the same refresh token.

    It is not kept; a new refresh token that comes with it is. Raises CredentialError where there is
    none to be had.
    """
    end = time.monotonic() + PATIENCE
    while not (until := _claim(row)):
        _wait(end)
    with _claimed(row, until) as before:
        tokens = decrypt_tokens(before)
        if not tokens.refresh:
            raise CredentialError(_("The access token has expired: reconnect the account."))
        endpoint = replace(TokenEndpoint.read(row.settings), scope=scope)
        other = renew(endpoint, with_current_secret(row.settings, tokens))
        kept = replace(tokens, refresh=other.refresh)
        _rows(row).filter(secret=before).update(secret=encrypt_tokens(kept))
        return other.access


def revoke_tokens(settings: dict[str, Any], secret: Ciphertext | None) -> bool | None:
    """Return True if the provider revoked the tokens of a row, None where it has no way to.

    The refresh token goes first: with it go the access tokens that came of it (RFC 7009 2.1).
    """
    url = str(settings.get("oauth_revocation_url") or "")
    if not url:
        return None
    try:
        tokens = with_current_secret(settings, decrypt_tokens(secret))
        endpoint = TokenEndpoint.read(settings)
    except CredentialError:
        return False
    client = Client(endpoint.client_id, tokens.client_secret)
    if tokens.refresh:
        return revoke(url, client, endpoint.client_auth, tokens.refresh, "refresh_token")
    return revoke(url, client, endpoint.client_auth, tokens.access, "access_token")


def with_current_secret(settings: dict[str, Any], tokens: Tokens) -> Tokens:
    """Return the tokens with the client's secret as the operator has it now, where it is ours.

    What was granted to a client without a secret is renewed without one.
    """
    if not tokens.client_secret:
        return tokens
    provider = provider_named(str(settings.get("oauth_provider", "")))
    if provider is None or provider.client.id != settings.get("oauth_client_id"):
        return tokens
    return replace(tokens, client_secret=provider.client.secret)


def _will_do(tokens: Tokens, left: timedelta, refused: Secret | None) -> bool:
    is_refused = refused is not None and tokens.access.reveal() == refused.reveal()
    return not is_refused and tokens.is_good(timezone.now(), left)


def _rows(row: TokenRow) -> QuerySet[Model]:
    return cast("type[Model]", type(row))._default_manager.filter(pk=row.pk)


def _claim(row: TokenRow) -> datetime | None:
    """Take the sole right to renew; None where somebody has it. Refused inside a transaction."""
    now = timezone.now()
    until = now + RENEWAL_LEASE
    with transaction.atomic(durable=True):
        free = _rows(row).filter(Q(renewing_until=None) | Q(renewing_until__lt=now))
        return until if free.update(renewing_until=until) else None


def _wait(end: float) -> None:
    """Wait a moment for who renews; raises CredentialError where that took too long."""
    if time.monotonic() > end:
        raise CredentialError(_("The token is already being renewed."), is_passing=True)
    time.sleep(PAUSE)


@contextmanager
def _claimed(row: TokenRow, until: datetime) -> Iterator[Ciphertext | None]:
    """Have the row's secret as it is now, and give the claim back afterwards."""
    try:
        row.refresh_from_db()
        yield row.secret
    finally:
        _rows(row).filter(renewing_until=until).update(renewing_until=None)


def _renewed(row: TokenRow, until: datetime, refused: Secret | None) -> Secret:
    """Renew and keep the tokens, unless somebody did between our look and our claim."""
    with _claimed(row, until) as before:
        tokens = decrypt_tokens(before)
        if not _will_do(tokens, RENEW_BEFORE, refused):
            tokens = _ask(row, tokens, refused)
            # Not over what somebody typed in meanwhile.
            _rows(row).filter(secret=before).update(secret=encrypt_tokens(tokens))
        return tokens.access


def _ask(row: TokenRow, tokens: Tokens, refused: Secret | None) -> Tokens:
    """Return new tokens, or the ones there are where no new ones come and these still will do."""
    try:
        return renew(TokenEndpoint.read(row.settings), with_current_secret(row.settings, tokens))
    except CredentialError as error:
        if error.is_passing and _will_do(tokens, SHORTEST_USE, refused):
            return tokens
        raise
