"""The way to a source: its credential opened. Nothing here may be called inside a transaction."""

from functools import partial

from django.conf import settings as django_settings

from inbox.accounts.account_settings import is_allowed
from inbox.accounts.credentials import CredentialError, Secret, decrypt
from inbox.models import RemoteSource
from inbox.operations.accounts.token_keeping import access_token
from inbox.providers import change_store_for, hosts_of
from inbox.providers.base import Connection
from inbox.providers.change_store import ChangeStore
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _


def change_store_of(source: RemoteSource) -> ChangeStore:
    """Return a way to the collections of a source, signed in; raises StoreError."""
    _check_places(source)
    has_tokens = source.settings.get("auth") == "oauth"
    connection = Connection(
        source.account.address,
        dict(source.settings),
        _token_of(source) if has_tokens else _password_of(source),
        renew=partial(_token_of, source) if has_tokens else None,
    )
    return change_store_for(source.provider, connection)


def _password_of(source: RemoteSource) -> Secret:
    try:
        return decrypt(source.secret)
    except CredentialError as error:
        raise StoreError(error.kind, error.words) from error


def _token_of(source: RemoteSource, refused: Secret | None = None) -> Secret:
    """Return an access token that is good now, and is not the one that was refused."""
    try:
        return access_token(source, refused)
    except CredentialError as error:
        raise StoreError(error.kind, error.words) from error


def _check_places(source: RemoteSource) -> None:
    """Hold what was kept once against what the operator allows now."""
    for host in hosts_of(source.provider, source.settings).values():
        if not is_allowed(host, django_settings.MAIL_HOSTS):
            words = _("The operator does not allow connections to %(host)s.", host=host)
            raise StoreError("permanent", words)
