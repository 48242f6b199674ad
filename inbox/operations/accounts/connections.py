"""The way to an account's provider: its credential opened and, where it runs out, renewed.

Nothing here may be called inside a transaction: renewing asks a server. Of all processes one renews
at a time, for many providers take a refresh token once only; the others go on with the token that
is still good, or wait for the new one.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar

from django.conf import settings as django_settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from inbox.accounts.account_settings import is_allowed
from inbox.accounts.credentials import (
    CredentialError,
    Secret,
    Tokens,
    decrypt,
    decrypt_tokens,
    encrypt_tokens,
)
from inbox.models import Account
from inbox.providers import PROVIDERS, mail_store_for
from inbox.providers.base import Connection, Provider, ProviderError
from inbox.providers.mail_store import MailStore, StoreError
from inbox.providers.oauth import TokenEndpoint, renew
from inbox.reasons import phrase as _

Found = TypeVar("Found")

# A token is renewed when it has less than this left, and used as long as it has the other.
RENEW_BEFORE = timedelta(minutes=5)
SHORTEST_USE = timedelta(seconds=30)
# Longer than a renewal can take.
RENEWAL_LEASE = timedelta(seconds=60)
PATIENCE = 30.0
PAUSE = 0.2


def connection_of(account: Account, *, refused: Secret | None = None) -> Connection:
    """Return how to reach an account as its row stands now, with a credential that is good now.

    `refused` is an access token that the server did not take, though its time is not over.
    Raises CredentialError where there is none to be had, or none to be used.
    """
    fresh = Account.objects.get(pk=account.pk)
    _check_places(fresh.settings)
    is_oauth = fresh.settings.get("auth") == "oauth"
    secret = _access_token(fresh, refused) if is_oauth else decrypt(fresh.secret)
    return Connection(fresh.address, dict(fresh.settings), secret)


def provider_of(account: Account) -> Provider:
    """Return the account's provider, ready to submit; it connects when it is used.

    Raises ProviderError: `login` where there is no credential that could be accepted, `locked` or
    `transient` as `mail_store_of`, and `permanent` for a provider that there is not.
    """
    make = maker_of(account)
    try:
        return make(connection_of(account))
    except CredentialError as error:
        raise ProviderError(_kind(error), error.words) from error


def with_provider(account: Account, use: Callable[[Provider], Found]) -> Found:
    """Return what using the account's provider gives.

    Where the server refuses an access token before its time, the token is renewed and the provider
    used once more: who could not log in has handed nothing over. The `account` has afterwards what
    it was tried with. Raises what `provider_of` and `use` raise.
    """
    make = maker_of(account)
    try:
        connection = _tried_with(account)
        try:
            return use(make(connection))
        except ProviderError as error:
            if error.kind != "login" or connection.settings.get("auth") != "oauth":
                raise
        return use(make(_tried_with(account, refused=connection.secret)))
    except CredentialError as error:
        raise ProviderError(_kind(error), error.words) from error


def _tried_with(account: Account, *, refused: Secret | None = None) -> Connection:
    connection = connection_of(account, refused=refused)
    account.refresh_from_db(fields=["secret", "settings"])
    return connection


def maker_of(account: Account) -> Callable[[Connection], Provider]:
    """Return what makes the account's provider; raises ProviderError where there is none such."""
    make = PROVIDERS.get(account.provider)
    if make is None:
        raise ProviderError(
            "permanent", _("There is no provider %(provider)s.", provider=repr(account.provider))
        )
    return make


def mail_store_of(account: Account) -> MailStore:
    """Return a connection to the account's mail, logged in.

    Raises StoreError: `login` where there is no credential that could be accepted, `locked` where
    it cannot be opened here, `transient` where a token could not be renewed just now, and whatever
    connecting raises.
    """
    try:
        connection = connection_of(account)
        try:
            return mail_store_for(connection)
        except StoreError as error:
            if error.kind != "login" or connection.settings.get("auth") != "oauth":
                raise
        # Withdrawn before its time, as after a change of the password: a new one may be taken.
        return mail_store_for(connection_of(account, refused=connection.secret))
    except CredentialError as error:
        raise StoreError(_kind(error), error.words) from error


def _kind(error: CredentialError) -> Literal["transient", "locked", "login"]:
    if error.is_passing:
        return "transient"
    return "locked" if error.is_locked else "login"


def _check_places(settings: dict[str, Any]) -> None:
    """Hold what was kept once against what the operator allows now."""
    for key in ("imap_host", "smtp_host"):
        host = str(settings.get(key, ""))
        if host and not is_allowed(host, django_settings.MAIL_HOSTS):
            raise CredentialError(
                _("The operator does not allow connections to %(host)s.", host=host)
            )


# -- tokens ----------------------------------------------------------------------------------------
def _access_token(account: Account, refused: Secret | None) -> Secret:
    """Return an access token that is good now, renewing it where that is due."""
    end = time.monotonic() + PATIENCE
    while True:
        tokens = decrypt_tokens(account.secret)
        if _will_do(tokens, RENEW_BEFORE if tokens.refresh else timedelta(0), refused):
            return tokens.access
        if not tokens.refresh:
            raise CredentialError(_("The access token has expired: reconnect the account."))
        if until := _claim(account):
            return _renewed(account, until, refused)
        if _will_do(tokens, SHORTEST_USE, refused):
            return tokens.access
        if time.monotonic() > end:
            raise CredentialError(_("The token is already being renewed."), is_passing=True)
        time.sleep(PAUSE)
        account.refresh_from_db()


def _will_do(tokens: Tokens, left: timedelta, refused: Secret | None) -> bool:
    is_refused = refused is not None and tokens.access.reveal() == refused.reveal()
    return not is_refused and tokens.is_good(timezone.now(), left)


def _claim(account: Account) -> datetime | None:
    """Take the sole right to renew; None where somebody has it. Refused inside a transaction."""
    now = timezone.now()
    until = now + RENEWAL_LEASE
    with transaction.atomic(durable=True):
        rows = Account.objects.filter(pk=account.pk)
        free = rows.filter(Q(renewing_until=None) | Q(renewing_until__lt=now))
        return until if free.update(renewing_until=until) else None


def _renewed(account: Account, until: datetime, refused: Secret | None) -> Secret:
    """Renew and keep the tokens, unless somebody did between our look and our claim."""
    try:
        account.refresh_from_db()
        before = account.secret
        tokens = decrypt_tokens(before)
        if not _will_do(tokens, RENEW_BEFORE, refused):
            tokens = _ask(account, tokens, refused)
            # Not over what somebody typed in meanwhile.
            rows = Account.objects.filter(pk=account.pk, secret=before)
            rows.update(secret=encrypt_tokens(tokens))
        return tokens.access
    finally:
        Account.objects.filter(pk=account.pk, renewing_until=until).update(renewing_until=None)


def _ask(account: Account, tokens: Tokens, refused: Secret | None) -> Tokens:
    """Return new tokens, or the ones there are where no new ones come and these still will do."""
    try:
        return renew(TokenEndpoint.read(account.settings), tokens)
    except CredentialError as error:
        if error.is_passing and _will_do(tokens, SHORTEST_USE, refused):
            return tokens
        raise
