"""The ways in which mail leaves: one module each, and one line in `PROVIDERS`."""

from collections.abc import Callable
from typing import Any, Protocol

from inbox.credentials import CredentialError, unseal
from inbox.providers.base import Connection, Provider, ProviderError
from inbox.providers.imap.store import ImapStore
from inbox.providers.imap_smtp import ImapSmtp
from inbox.providers.local import Local
from inbox.providers.mail_store import MailStore, StoreError

PROVIDERS: dict[str, Callable[[Connection], Provider]] = {
    "local": Local,
    "imap_smtp": lambda connection: ImapSmtp(connection, mail_store_for),
}


class ConnectedAccount(Protocol):
    """What `provider_for` reads of an account's row."""

    address: Any
    provider: Any
    settings: Any
    secret: Any


def provider_for(account: ConnectedAccount) -> Provider:
    """Return the provider of an account, ready to submit; nothing is connected yet.

    Raises ProviderError (`permanent`) where the account names no provider that we have, or its
    password cannot be opened.
    """
    make = PROVIDERS.get(account.provider)
    if make is None:
        raise ProviderError("permanent", f"There is no provider {account.provider!r}.")
    try:
        secret = unseal(account.secret)
    except CredentialError as error:
        raise ProviderError("permanent", str(error)) from error
    return make(Connection(account.address, dict(account.settings), secret))


def mail_store_for(connection: Connection) -> MailStore:
    """Return a connection to the mail of an account, logged in; raises StoreError.

    An account without `imap_host` in its settings has its mail nowhere else.
    """
    if not connection.settings.get("imap_host"):
        words = f"The mail of {connection.address} lies nowhere else."
        raise StoreError("permanent", words)
    return ImapStore.connect(connection)
