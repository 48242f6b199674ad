"""What a person's sign-in at a provider makes of an account; and disconnecting it again.

Whoever signed in is found out outside any transaction, and kept inside one.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from django.db import transaction
from django.db.models import Q, QuerySet

from inbox.accounts.account_settings import INTERFACE
from inbox.accounts.sign_in_providers import SignInProvider
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import Account, RemoteSource, SyncState, SyncStatus, Workspace
from inbox.operations.accounts.connecting import change_connection, connect_account
from inbox.operations.accounts.setup_facts import publish_account_change
from inbox.operations.accounts.token_keeping import revoke_tokens
from inbox.providers import stays_here
from inbox.providers.presets import with_own_servers
from inbox.providers.sign_in.declared import KINDS, MAIL, Kind, without_plain
from inbox.providers.sign_in.discovery import AuthorizationServer
from inbox.providers.sign_in.failures import SignInError
from inbox.providers.sign_in.id_tokens import address_of, verify
from inbox.providers.sign_in.tokens import Granted
from inbox.reasons import phrase as _

# `none`: there were no tokens. `unsupported`: the provider has no way to. `shared`: another account
# or server lives on the same grant.
Revocation: TypeAlias = Literal["revoked", "failed", "unsupported", "shared", "none"]


@dataclass(frozen=True, slots=True)
class SignIn:
    """Who signed in where, and what they granted; `refused` kinds were asked for and are not."""

    provider: SignInProvider
    server: AuthorizationServer
    address: str
    granted: Granted
    scopes: frozenset[str]
    refused: tuple[Kind, ...]
    kinds: tuple[Kind, ...] = ("mail",)

    @property
    def mail_kind(self) -> Kind:
        """By what its mail is reached."""
        return "mail_api" if "mail_api" in self.kinds else "mail"

    def mail_settings(self) -> dict[str, Any]:
        """Return what `Account.settings` holds of where its mail is, and of its tokens."""
        if self.mail_kind == "mail_api":
            places = self.provider.interface_settings(self.address, self.scopes)
        else:
            places = self.provider.mail_settings(self.address)
        return places | token_settings(self, (self.mail_kind,))


def identify(
    *,
    provider: SignInProvider,
    server: AuthorizationServer,
    granted: Granted,
    kinds: tuple[Kind, ...],
    nonce: str | None,
) -> SignIn:
    """Return who signed in, with what they granted of the `kinds`; raises SignInError.

    Mail is what an account is made of: without it, where it was asked for, nothing is; nor without
    any of the kinds, or for an hour alone.
    """
    declared = provider.declared
    claims = verify(
        server, provider.client.id, granted.id_token, nonce=nonce, aliases=declared.issuer_aliases
    )
    address = address_of(server, granted, claims, declared.address_claims)
    others = kinds[1:] if declared.one_resource and "mail" in kinds else ()
    # One token names the scopes of one resource; the consent was to all of them or to none.
    scopes = granted.scopes | {scope for kind in others for scope in declared.scopes[kind]}
    refused = declared.refused_kinds(kinds, scopes)
    if MAIL.intersection(refused) or len(refused) == len(kinds):
        words = _(
            "%(provider)s signed you in, but you did not allow: %(what)s. Nothing was changed.",
            provider=provider.title,
            what=KINDS[refused[0]],
        )
        raise SignInError(words)
    if not granted.tokens.refresh:
        words = _(
            "%(provider)s gave access for a short time only (no refresh token).",
            provider=provider.title,
        )
        raise SignInError(words)
    return SignIn(provider, server, address, granted, scopes, tuple(refused), kinds)


def token_settings(sign_in: SignIn, kinds: tuple[Kind, ...]) -> dict[str, Any]:
    """Return what a row's settings hold of a sign-in, to renew and revoke its tokens for kinds."""
    provider, server = sign_in.provider, sign_in.server
    lacking = [scope for it in sign_in.refused for scope in provider.declared.scopes[it]]
    found = {
        "oauth_token_url": server.token_url,
        "oauth_client_id": provider.client.id,
        "oauth_scope": provider.scope_of(kinds),
        "oauth_client_auth": server.client_auth,
        "oauth_provider": provider.name,
        "oauth_granted": " ".join(without_plain(sign_in.scopes))[:4000],
        "oauth_refused": " ".join(lacking),
        "oauth_revocation_url": server.revocation_url,
    }
    return {key: value for key, value in found.items() if value}


def connect_signed_in(
    *, workspace: Workspace, sign_in: SignIn, name: str = "", by: Actor | None = None
) -> Account:
    """Connect the account of who signed in; raises DomainError, also where it is connected."""
    return connect_account(
        workspace=workspace, address=sign_in.address, name=name, settings=sign_in.mail_settings(),
        credential=sign_in.granted.tokens, by=by,
    )  # fmt: skip


def sign_in_again(*, account: Account, sign_in: SignIn, by: Actor | None = None) -> None:
    """Put new tokens in the place of what an account has; raises DomainError (`conflict`).

    Only of the account's own address: its mail is another's otherwise. Its tokens are for the
    provider's servers, where those are known, and not for any that it had before.
    """
    if sign_in.address != account.address.lower():
        words = _(
            "You signed in as %(other)s, but this account is %(address)s. Nothing was changed.",
            other=sign_in.address,
            address=account.address,
        )
        raise DomainError("conflict", words, field="address")
    mail = sign_in.mail_settings()
    dropped = {"auth", "disconnected"} | ({"username"} if not _is_oauth(account) else set())
    # Its mail is reached in one way: by mail servers, or by an interface.
    others = ("imap_", "smtp_", "jmap_") if sign_in.mail_kind == "mail_api" else INTERFACE
    kept = {
        key: value
        for key, value in account.settings.items()
        if not key.startswith(("oauth_", *others)) and key not in dropped
    }
    has_servers = bool(sign_in.provider.declared.presets or sign_in.provider.imap)
    both = {**kept, **mail} if has_servers else {**mail, **kept}
    username = kept.get("username", mail["username"])
    settings = {**both, "auth": "oauth", "username": username}
    change_connection(
        account=account, settings=with_own_servers(settings), credential=sign_in.granted.tokens,
        by=by,
    )  # fmt: skip


def disconnect_account(*, account: Account, by: Actor | None = None) -> Revocation:
    """Revoke an account's tokens at the provider and forget its credential, whatever came of that.

    Its mail stays here; nothing is read or sent until somebody signs in again. Raises DomainError
    (`conflict`) where there is nothing to disconnect.
    """
    check_connected(account)
    revocation = revoke_grant(account, account.address)
    with transaction.atomic():
        current = Account.objects.select_for_update().get(pk=account.pk)
        current.secret, current.renewing_until = None, None
        lost = {"oauth_granted", "oauth_refused"}
        kept = {key: value for key, value in current.settings.items() if key not in lost}
        current.settings = kept | {"disconnected": True}
        current.save(update_fields=["secret", "renewing_until", "settings"])
        rows = SyncState.objects.filter(account=account)
        rows.update(status=SyncStatus.PAUSED, next_at=None, words="", reply="")
        publish_account_change(account, "account.disconnected", by, {"credential"})
    account.refresh_from_db()
    return revocation


def check_connected(account: Account) -> None:
    """Raise DomainError (`conflict`) where there is nothing to disconnect."""
    if stays_here(account.provider) or account.settings.get("disconnected"):
        raise DomainError("conflict", _("The account is not connected."))


def revoke_grant(row: Account | RemoteSource, address: str) -> Revocation:
    """Have the provider revoke what an address granted to us, unless another row lives on it.

    `row` is an account or a server that is about to forget its tokens.
    """
    if not _is_oauth(row) or not row.secret:
        return "none"
    client_id = row.settings.get("oauth_client_id")
    accounts = Account.objects.filter(address=address, settings__oauth_client_id=client_id)
    sources = _sources_on(address, client_id)
    # Google revokes all that a person granted to a client, whichever token is named.
    if isinstance(row, Account):
        accounts = accounts.exclude(pk=row.pk)
    else:
        sources = sources.exclude(pk=row.pk)
    if any(rows.exclude(secret=None).exists() for rows in (accounts, sources)):
        return "shared"
    done = revoke_tokens(row.settings, row.secret)
    if done is None:
        return "unsupported"
    return "revoked" if done else "failed"


def sources_on_sign_in(account: Account) -> QuerySet[RemoteSource]:
    """Return the account's servers that live on its own sign-in: the same address and client."""
    if not _is_oauth(account):
        return RemoteSource.objects.none()
    rows = _sources_on(account.address, account.settings.get("oauth_client_id"))
    return rows.filter(account=account, settings__auth="oauth").order_by("pk")


def _sources_on(address: str, client_id: object) -> QuerySet[RemoteSource]:
    named = Q(settings__username=address) | Q(account__address=address)
    return RemoteSource.objects.filter(named, settings__oauth_client_id=client_id)


def _is_oauth(row: Account | RemoteSource) -> bool:
    return bool(row.settings.get("auth") == "oauth")
