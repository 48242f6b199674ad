"""Connecting an account to the servers where its mail lies; changing, trying out and pausing that.

A connection is tried outside any transaction, and kept inside one.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, TypeAlias

from django.conf import settings as django_settings
from django.db import transaction
from django.utils import timezone

from inbox.accounts.account_settings import check_settings
from inbox.accounts.credentials import CredentialError, Secret, Tokens, encrypt, encrypt_tokens
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Account, RemoteFolder, SyncState, SyncStatus, Workspace
from inbox.operations.accounts.accounts import create_account
from inbox.operations.accounts.connections import connection_of
from inbox.operations.accounts.setup_facts import publish_account_change
from inbox.operations.sending.pauses import enqueue_going_on
from inbox.providers import PROVIDERS, has_mail
from inbox.providers.base import Connection, Finding
from inbox.providers.jmap.probing import probe_jmap
from inbox.providers.oauth import TokenEndpoint, renew
from inbox.providers.presets import Preset, lacking_own_servers, with_own_servers
from inbox.providers.probing import is_sound, probe, probe_interface
from inbox.reasons import phrase as _
from inbox.syncing.scheduling import ask_for_sync

Credential: TypeAlias = Secret | Tokens
# What is connected here, by its settings.
CONNECTED = tuple(
    name for name, declared in PROVIDERS.items() if declared.read_mail or declared.read_mail_changes
)
# Where a credential is sent: it is not kept for another of these without being typed again.
_PLACES = ("imap_host", "smtp_host", "jmap_url", "mail_api", "api_url", "oauth_token_url")


@dataclass(frozen=True, slots=True)
class Trial:
    """What was found, and the credential as it is now: a token may have been renewed for it."""

    findings: list[Finding]
    credential: Credential | None

    @property
    def is_sound(self) -> bool:
        """Whether the account can be used as it was tried."""
        return is_sound(self.findings)


def provider_named(settings: dict[str, Any]) -> str:
    """Return the provider whose account has these settings."""
    followed = (one for one in PROVIDERS.values() if one.read_mail_changes is not None)
    return next((one.name for one in followed if one.has_mail(settings)), "imap_smtp")


def _probe(connection: Connection) -> list[Finding]:
    if connection.settings.get("mail_api"):
        return probe_interface(connection)
    try_it = probe_jmap if connection.settings.get("jmap_url") else probe
    return try_it(connection)


# -- trying ----------------------------------------------------------------------------------------
def try_connection(*, address: str, settings: dict[str, Any], credential: Credential) -> Trial:
    """Try the servers of an account that is not kept yet; raises DomainError for the settings."""
    settings = check_settings(settings, hosts=django_settings.MAIL_HOSTS)
    try:
        credential = _renewed(settings, credential)
    except CredentialError as error:
        return Trial([_unusable(error)], credential)
    secret = credential.access if isinstance(credential, Tokens) else credential
    return Trial(_probe(Connection(address, settings, secret)), credential)


def try_account(*, account: Account, settings: dict[str, Any]) -> Trial:
    """Try an account's servers with the credential that is kept; raises DomainError.

    Other settings than the kept ones may be tried, but not at other servers.
    """
    settings = check_settings(settings, hosts=django_settings.MAIL_HOSTS)
    refuse_other_places(account=account, settings=settings)
    try:
        connection = connection_of(account)
    except CredentialError as error:
        return Trial([_unusable(error)], None)
    return Trial(_probe(replace(connection, settings=settings)), None)


def _renewed(settings: dict[str, Any], credential: Credential) -> Credential:
    if not isinstance(credential, Tokens) or not credential.refresh:
        return credential
    if credential.is_good(timezone.now(), timedelta(minutes=1)):
        return credential
    return renew(TokenEndpoint.read(settings), credential)


def _unusable(error: CredentialError) -> Finding:
    title = _("There is no credential to sign in with")
    if error.is_locked:
        title = _("The stored credential cannot be decrypted")
    return Finding("oauth", "bad", title, error.words)


# -- keeping ---------------------------------------------------------------------------------------
def connect_account(
    *,
    workspace: Workspace,
    address: str,
    settings: dict[str, Any],
    credential: Credential,
    name: str = "",
    by: Actor | None = None,
    **fields: Any,
) -> Account:
    """Connect an account to its servers; its mail begins to come in.

    `fields` are the others of `create_account`, `by` whoever connects it (None: on the command
    line). Raises DomainError, which names the field.
    """
    settings = check_settings(with_own_servers(settings), hosts=django_settings.MAIL_HOSTS)
    with transaction.atomic():
        account = create_account(
            workspace=workspace, address=address, name=name, provider=provider_named(settings),
            settings=settings, **fields,
        )  # fmt: skip
        account.secret = _encrypted(credential)
        account.save(update_fields=["secret"])
        _look_anew(account)
        publish_account_change(account, "account.connected", by)
    return account


def unchecked_by(account: Account) -> Preset | None:
    """Return the provider whose word of senders the account could take, where it takes nobody's."""
    return None if account.authserv_id else lacking_own_servers(account.settings)


def trust_servers_of_provider(*, account: Account, by: Actor | None = None) -> None:
    """Take the word of the provider's own servers for senders of what comes from now on.

    Raises DomainError (`conflict`) where the account takes somebody's already.
    """
    if unchecked_by(account) is None:
        raise DomainError("conflict", _("This account already uses a server's sender checks."))
    change_connection(account=account, settings=with_own_servers(account.settings), by=by)


def change_connection(
    *,
    account: Account,
    settings: dict[str, Any],
    credential: Credential | None = None,
    by: Actor | None = None,
) -> None:
    """Change how an account is reached and, where one is given, its credential.

    Raises DomainError: also (`password`) where it would be reached elsewhere with the old one.
    """
    settings = check_settings(settings, hosts=django_settings.MAIL_HOSTS)
    with transaction.atomic():
        current = Account.objects.select_for_update().get(pk=account.pk)
        changed = {
            key
            for key in current.settings | settings
            if current.settings.get(key) != settings.get(key)
        }
        if credential is None:
            refuse_other_places(account=current, settings=settings)
        else:
            current.secret = _encrypted(credential)
            changed.add("credential")
        if provider_named(settings) != current.provider:
            _forget_former(current)
        current.provider, current.settings = provider_named(settings), settings
        if "disconnected" in changed:
            SyncState.objects.filter(account=current).update(status=SyncStatus.WAITING)
        # Whoever is renewing the old tokens shall not keep them.
        current.renewing_until = None
        current.save(update_fields=["provider", "settings", "secret", "renewing_until"])
        _look_anew(current)
        enqueue_going_on(current)
        publish_account_change(current, "account.changed", by, changed)
    account.refresh_from_db()


def _forget_former(account: Account) -> None:
    """Forget ids and positions, which are the former provider's; its mail is known by its bytes."""
    RemoteFolder.objects.filter(account=account).delete()
    rows = SyncState.objects.filter(account=account)
    rows.update(position="", features=[], identities_at=None)


def refuse_other_places(*, account: Account, settings: dict[str, Any]) -> None:
    """Raise DomainError (`password`) where a kept credential would go to another server.

    Of an account that was disconnected none is kept.
    """
    if account.settings.get("disconnected"):
        raise invalid("password", _("The account was disconnected: enter its credential again."))
    if not account.secret:
        return
    if account.settings.get("auth", "password") != settings.get("auth", "password"):
        raise invalid("password", _("A different sign-in method needs its own credential."))
    for key in _PLACES:
        if settings.get(key) and settings[key] != account.settings.get(key):
            raise invalid(
                "password",
                _(
                    "%(server)s is a different server: enter the credential for it again.",
                    server=settings[key],
                ),
            )


def _encrypted(credential: Credential) -> bytes | None:
    if isinstance(credential, Tokens):
        return encrypt_tokens(credential)
    return encrypt(credential.reveal()) if credential else None


def _look_anew(account: Account) -> None:
    """Have the account synced now, whatever went wrong before; not where it is only sent from."""
    if not has_mail(account.provider, account.settings):
        SyncState.objects.filter(account=account).delete()
        return
    state, _ = SyncState.objects.get_or_create(account=account, workspace_id=account.workspace_id)
    if state.status != SyncStatus.PAUSED:
        _let_go_on(state)
        ask_for_sync(account=account, by_person=True)


def _let_go_on(state: SyncState) -> None:
    status = SyncStatus.NEW if state.first_done_at is None else SyncStatus.WAITING
    rows = SyncState.objects.filter(pk=state.pk)
    rows.update(status=status, words="", reply="", failures=0, next_at=None)


# -- pausing ---------------------------------------------------------------------------------------
def pause_account(*, account: Account, by: Actor | None = None) -> None:
    """Leave the provider alone: nothing is read or told there until somebody goes on.

    Mail that a person approves still leaves.
    """
    _state_of(account)
    rows = SyncState.objects.filter(account=account)
    with transaction.atomic():
        rows.update(status=SyncStatus.PAUSED, next_at=None, words="", reply="")
        publish_account_change(account, "account.paused", by)


def resume_account(*, account: Account, by: Actor | None = None) -> None:
    """Go on where it was paused; one that was not is only looked at now."""
    with transaction.atomic():
        _let_go_on(_state_of(account))
        ask_for_sync(account=account, by_person=True)
        publish_account_change(account, "account.resumed", by)


def _state_of(account: Account) -> SyncState:
    state = SyncState.objects.filter(account=account).first()
    if state is None:
        raise DomainError(
            "conflict",
            _("The mail of %(address)s is stored nowhere else.", address=account.address),
        )
    return state
