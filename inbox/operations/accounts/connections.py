"""The way to an account's provider: its credential opened and, where it runs out, renewed.

Nothing here may be called inside a transaction: renewing asks a server.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias, TypeVar

from django.conf import settings as django_settings

from inbox.accounts.account_settings import is_allowed
from inbox.accounts.credentials import CredentialError, Secret, decrypt
from inbox.models import Account
from inbox.operations.accounts.token_keeping import access_token, token_for
from inbox.providers import (
    PROVIDERS,
    hosts_of,
    mail_changes_for,
    mail_store_for,
    watched_mailbox_for,
)
from inbox.providers.base import Connection, Provider, ProviderError
from inbox.providers.mail_changes import MailChangeStore
from inbox.providers.mail_store import MailStore, StoreError
from inbox.providers.mail_watch import WatchedMailbox
from inbox.reasons import phrase as _

Found = TypeVar("Found")
InThread: TypeAlias = Callable[[Callable[[], Connection]], Awaitable[Connection]]


def connection_of(account: Account, *, refused: Secret | None = None) -> Connection:
    """Return how to reach an account as its row stands now, with a credential that is good now.

    `refused` is an access token that the server did not take, though its time is not over.
    Raises CredentialError where there is none to be had, or none to be used.
    """
    return _connection(account.pk, refused)


def _connection(account_id: int, refused: Secret | None = None) -> Connection:
    fresh = Account.objects.get(pk=account_id)
    if fresh.settings.get("disconnected"):
        raise CredentialError(_("The account was disconnected: sign in again."))
    _check_places(fresh)
    is_oauth = fresh.settings.get("auth") == "oauth"
    secret = access_token(fresh, refused) if is_oauth else decrypt(fresh.secret)
    other = partial(token_for, fresh) if is_oauth else None
    return Connection(fresh.address, dict(fresh.settings), secret, secret_for=other)


def provider_of(account: Account) -> Provider:
    """Return the account's provider, ready to submit; it connects when it is used.

    Raises ProviderError: `login` where there is no credential that could be accepted, `locked` or
    `transient` as `mail_store_of`, and `permanent` for a provider that there is not.
    """
    make = maker_of(account)
    try:
        return make(connection_of(account))
    except CredentialError as error:
        raise ProviderError(error.kind, error.words) from error


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
        raise ProviderError(error.kind, error.words) from error


def _tried_with(account: Account, *, refused: Secret | None = None) -> Connection:
    connection = connection_of(account, refused=refused)
    account.refresh_from_db(fields=["secret", "settings"])
    return connection


def maker_of(account: Account) -> Callable[[Connection], Provider]:
    """Return what makes the account's provider; raises ProviderError where there is none such."""
    declared = PROVIDERS.get(account.provider)
    if declared is None or declared.send is None:
        raise ProviderError(
            "permanent", _("There is no provider %(provider)s.", provider=repr(account.provider))
        )
    return declared.send


def mail_store_of(account: Account) -> MailStore:
    """Return a connection to the account's mail, logged in.

    Raises StoreError: `login` where there is no credential that could be accepted, `locked` where
    it cannot be opened here, `transient` where a token could not be renewed just now, and whatever
    connecting raises.
    """
    try:
        connection = connection_of(account)
        try:
            return mail_store_for(account.provider, connection)
        except StoreError as error:
            if error.kind != "login" or connection.settings.get("auth") != "oauth":
                raise
        # Withdrawn before its time, as after a change of the password: a new one may be taken.
        return mail_store_for(account.provider, connection_of(account, refused=connection.secret))
    except CredentialError as error:
        raise StoreError(error.kind, error.words) from error


async def watched_mailbox_of(
    account_id: int, provider: str, name: str, in_thread: InThread
) -> WatchedMailbox:
    """Return a connection that watches a mailbox of an account, in the running event loop.

    `in_thread` runs what blocks: reading rows, and asking for tokens. Raises StoreError as
    `mail_store_of` does.
    """
    try:
        connection = await in_thread(partial(_connection, account_id))
        try:
            return await watched_mailbox_for(provider, connection, name)
        except StoreError as error:
            if error.kind != "login" or connection.settings.get("auth") != "oauth":
                raise
        renewed = await in_thread(partial(_connection, account_id, connection.secret))
        return await watched_mailbox_for(provider, renewed, name)
    except CredentialError as error:
        raise StoreError(error.kind, error.words) from error


def with_mail_changes(account: Account, use: Callable[[MailChangeStore], Found]) -> Found:
    """Return what using a way to the account's mail by change tokens gives.

    Where the server refuses an access token before its time, the token is renewed and all is done
    once more: whoever follows changes goes on from what is written down. Raises StoreError as
    `mail_store_of` does, and what `use` raises.
    """
    try:
        connection = connection_of(account)
        try:
            return use(mail_changes_for(account.provider, connection))
        except StoreError as error:
            if error.kind != "login" or connection.settings.get("auth") != "oauth":
                raise
        renewed = connection_of(account, refused=connection.secret)
        return use(mail_changes_for(account.provider, renewed))
    except CredentialError as error:
        raise StoreError(error.kind, error.words) from error


def _check_places(account: Account) -> None:
    """Hold what was kept once against what the operator allows now."""
    for host in hosts_of(account.provider, account.settings).values():
        if not is_allowed(host, django_settings.MAIL_HOSTS):
            raise CredentialError(
                _("The operator does not allow connections to %(host)s.", host=host)
            )
