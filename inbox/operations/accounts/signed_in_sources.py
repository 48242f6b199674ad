"""What a person's sign-in at a provider makes of its calendars, contacts, to-dos and files.

Nothing here may be called inside a transaction: the provider is asked.
"""

from collections.abc import Iterable

from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import Account, RemoteSource
from inbox.operations.accounts.signing_in import (
    Revocation,
    SignIn,
    check_connected,
    disconnect_account,
    revoke_grant,
    sources_on_sign_in,
    token_settings,
)
from inbox.operations.accounts.sources import (
    change_source_secret,
    connect_source,
    disconnect_source,
    source_providers,
    try_source,
)
from inbox.providers.change_store import Collection
from inbox.providers.declaration import Declaration
from inbox.reasons import phrase as _

# What comes in until a person says otherwise; files are many and large.
_TAKEN = frozenset({"calendar", "contacts", "todos"})
# Of several attempts, what is told: where there is something left to do, that.
_TOLD_FIRST: tuple[Revocation, ...] = ("failed", "unsupported", "shared", "revoked", "none")


def signed_in_at(name: str) -> Declaration | None:
    """Return what carries the collections of whoever signs in at a provider, if anything does."""
    return next((one for one in source_providers() if one.signs_in_at == name), None)


def connect_signed_in_source(
    *, account: Account, sign_in: SignIn, by: Actor | None = None
) -> RemoteSource:
    """Connect what somebody has who signed in; what is their own begins to come in, but for files.

    Raises DomainError, and StoreError for what the server says.
    """
    declared = signed_in_at(sign_in.provider.name)
    if declared is None:
        words = _("Nothing but mail is read at %(provider)s.", provider=sign_in.provider.title)
        raise DomainError("conflict", words)
    settings = _settings(sign_in, declared)
    again = account.sources.filter(provider=declared.name, settings__username=sign_in.address)
    if again.exists():
        words = _("%(address)s is already connected.", address=sign_in.address)
        raise DomainError("conflict", words, field="address")
    tokens = sign_in.granted.tokens
    found = try_source(
        account=account, provider=declared.name, settings=settings, secret=tokens.access
    )
    return connect_source(
        account=account, provider=declared.name, settings=settings, secret=tokens, found=found,
        taken=_own(found), name=f"{sign_in.provider.title} ({sign_in.address})", by=by,
    )  # fmt: skip


def sign_in_source_again(*, source: RemoteSource, sign_in: SignIn, by: Actor | None = None) -> None:
    """Put new tokens in the place of what a server has; raises DomainError (`conflict`)."""
    before = str(source.settings.get("username", ""))
    declared = signed_in_at(sign_in.provider.name)
    if sign_in.address != before.lower() or declared is None or declared.name != source.provider:
        words = _(
            "You signed in as %(other)s, but this account is %(address)s. Nothing was changed.",
            other=sign_in.address,
            address=before,
        )
        raise DomainError("conflict", words, field="address")
    kept = {key: value for key, value in source.settings.items() if not key.startswith("oauth_")}
    change_source_secret(
        source=source, secret=sign_in.granted.tokens,
        settings={**kept, **_settings(sign_in, declared)}, by=by,
    )  # fmt: skip


def disconnect_signed_in_source(
    *, source: RemoteSource, keep: bool, by: Actor | None = None
) -> Revocation:
    """Part from a server, and have its provider revoke the tokens, whatever comes of that."""
    revocation = _revoke(source)
    disconnect_source(source=source, keep=keep, by=by)
    return revocation


def disconnect_account_with_sources(*, account: Account, by: Actor | None = None) -> Revocation:
    """Disconnect an account and its servers that live on the same sign-in, all at once.

    What came in from these servers and was the person's own stays here. Each server's own tokens
    are revoked as the account's are; returned is what a person has to know first of all these
    attempts. Raises DomainError (`conflict`) where there is nothing to disconnect.
    """
    sources = list(sources_on_sign_in(account))
    check_connected(account)
    for source in sources:
        disconnect_source(source=source, keep=True, by=by)
    # Now that nothing else lives on them, the provider is told.
    attempts = [disconnect_account(account=account, by=by), *(_revoke(one) for one in sources)]
    return min(attempts, key=_TOLD_FIRST.index)


def _revoke(source: RemoteSource) -> Revocation:
    return revoke_grant(source, str(source.settings.get("username", "")))


def _settings(sign_in: SignIn, declared: Declaration) -> dict[str, str]:
    allowed = sign_in.provider.declared.granted_kinds(sign_in.scopes)
    kinds = tuple(kind for kind in declared.granted_kinds if kind in allowed)
    found = {
        "auth": "oauth", "username": sign_in.address, "api_url": sign_in.provider.api_url,
        **token_settings(sign_in, kinds),
    }  # fmt: skip
    return {name: value for name, value in found.items() if value}


def _own(found: Iterable[Collection]) -> frozenset[str]:
    return frozenset(
        one.key for one in found if one.kind in _TAKEN and (one.writable or one.is_default)
    )
