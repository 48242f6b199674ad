"""Connecting an account to servers with its calendars, contacts, to-dos and files; and parting.

A server is tried outside any transaction, and kept inside one.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings as django_settings
from django.db import transaction

from inbox.accounts.account_settings import is_allowed
from inbox.accounts.credentials import Secret, Tokens, encrypt, encrypt_tokens
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Account, RemoteCollection, RemoteSource, SyncStatus
from inbox.operations.accounts.setup_facts import publish_account_change
from inbox.operations.mirror_entries import READ_FOR, touched
from inbox.providers import PROVIDERS, change_store_for
from inbox.providers.base import Connection
from inbox.providers.change_store import Collection
from inbox.providers.declaration import Declaration
from inbox.reasons import phrase as _
from inbox.syncing.collections.keepers import is_kept, keeper_of
from inbox.syncing.collections.listing import note_collections
from inbox.syncing.collections.visiting import ask_for_source_sync

_LONGEST_NAME = 200


def source_providers() -> list[Declaration]:
    """Return the providers that carry collections, in their order."""
    return [declared for declared in PROVIDERS.values() if declared.open_changes is not None]


def check_source(*, provider: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings without what is empty; raises DomainError naming the one at fault."""
    declared = PROVIDERS.get(provider)
    if declared is None or declared.open_changes is None:
        names = ", ".join(one.name for one in source_providers())
        raise invalid("provider", _("There is no provider of this name."), names)
    known = {one.name: one for one in declared.fields}
    kept = {name: value for name, value in settings.items() if value not in (None, "")}
    for name in kept:
        if name not in known and not _is_of_sign_in(declared, name):
            raise invalid(name, _("There is no such setting."), ", ".join(known))
    for name, one in known.items():
        if one.required and name not in kept:
            raise invalid(name, _("%(title)s is missing.", title=one.title), one.help or one.title)
    for name, host in declared.hosts_in(kept).items():
        if not is_allowed(host, django_settings.MAIL_HOSTS):
            words = _("The operator does not allow connections to %(host)s.", host=host)
            raise invalid(name, words, ", ".join(sorted(django_settings.MAIL_HOSTS)))
    return kept


def _is_of_sign_in(declared: Declaration, name: str) -> bool:
    """Return True for a setting that comes of signing in, and of which no form asks."""
    if name == "auth":
        return True
    return "oauth" in declared.sign_in and (
        name.startswith("oauth_") or name in {"username", "api_url"}
    )


def try_source(
    *, account: Account, provider: str, settings: Mapping[str, Any], secret: Secret
) -> list[Collection]:
    """Return what a server has for us; never inside a transaction.

    Raises DomainError for the settings, and StoreError for what the server says.
    """
    kept = check_source(provider=provider, settings=settings)
    with change_store_for(provider, Connection(account.address, kept, secret)) as store:
        return [one for one in store.collections() if is_kept(one.kind)]


def connect_source(
    *,
    account: Account,
    provider: str,
    settings: Mapping[str, Any],
    secret: Secret | Tokens,
    found: list[Collection],
    taken: frozenset[str],
    name: str = "",
    read_only: bool = False,
    by: Actor | None = None,
) -> RemoteSource:
    """Keep a server that was tried; those `found` whose keys are `taken` begin to come in.

    `by` is whoever connects it. Raises DomainError naming the field, and (`conflict`) where the
    account has this server already: a form is sent twice at times.
    """
    kept = check_source(provider=provider, settings=settings)
    declared = PROVIDERS[provider]
    label = " ".join(name.split())[:_LONGEST_NAME] or _usual_name(declared, kept)
    with transaction.atomic():
        # Of two at once, the second sees what the first has made.
        Account.objects.select_for_update(no_key=True).get(pk=account.pk)
        if connected_source(account=account, provider=provider, settings=kept):
            raise DomainError("conflict", _("This server is already connected."))
        source = RemoteSource.objects.create(
            workspace_id=account.workspace_id, account=account, provider=provider, name=label,
            settings=kept, secret=_sealed(secret),
            read_only=read_only,
        )  # fmt: skip
        note_collections(source, found, taken=taken)
        _note_sources(account)
        ask_for_source_sync(source=source, by_person=True)
        publish_account_change(account, "account.source_connected", by)
    return source


def connected_source(
    *, account: Account, provider: str, settings: Mapping[str, Any]
) -> RemoteSource | None:
    """Return the server of an account that is reached so, by the same user; None for none."""
    telling = {"username", *(one.name for one in PROVIDERS[provider].fields)}
    wanted = {name: settings[name] for name in telling if settings.get(name)}
    for source in account.sources.filter(provider=provider).order_by("pk"):
        if wanted == {name: source.settings[name] for name in telling if source.settings.get(name)}:
            return source
    return None


def _sealed(secret: Secret | Tokens) -> bytes | None:
    if isinstance(secret, Tokens):
        return encrypt_tokens(secret)
    return encrypt(secret.reveal()) if secret else None


def _note_sources(account: Account) -> None:
    """Have the account's row say whether there are any, so that readings need not look."""
    account.has_sources = account.sources.exists()
    account.save(update_fields=["has_sources"])
    touched(account=account, resources=tuple(READ_FOR))


def _usual_name(declared: Declaration, settings: Mapping[str, Any]) -> str:
    host = next(iter(declared.hosts_in(settings).values()), "")
    return host[:_LONGEST_NAME] or str(declared.title)


def change_source_secret(
    *,
    source: RemoteSource,
    secret: Secret | Tokens,
    settings: Mapping[str, Any] | None = None,
    by: Actor | None = None,
) -> None:
    """Keep another password for a source, or other tokens and `settings`; look there at once."""
    with transaction.atomic():
        source.secret = _sealed(secret)
        if settings is not None:
            source.settings = check_source(provider=source.provider, settings=settings)
            # What it may now show, it did not before.
            source.listed_at = None
        source.save(update_fields=["secret", "settings", "listed_at"])
        _let_go_on(source)
        ask_for_source_sync(source=source, by_person=True)
        publish_account_change(source.account, "account.source_changed", by)


def set_source_paused(*, source: RemoteSource, paused: bool, by: Actor | None = None) -> None:
    """Leave a server alone until somebody goes on, or go on."""
    with transaction.atomic():
        if paused:
            rows = RemoteSource.objects.filter(pk=source.pk)
            rows.update(status=SyncStatus.PAUSED, next_at=None, words="", reply="")
        else:
            _let_go_on(source)
            ask_for_source_sync(source=source, by_person=True)
        publish_account_change(source.account, "account.source_changed", by)


def _let_go_on(source: RemoteSource) -> None:
    status = SyncStatus.NEW if source.first_done_at is None else SyncStatus.WAITING
    rows = RemoteSource.objects.filter(pk=source.pk)
    rows.update(status=status, words="", reply="", failures=0, next_at=None)


def change_collection(
    *, collection: RemoteCollection, taken: bool, read_only: bool, by: Actor | None = None
) -> None:
    """Take a collection or leave it, and say whether what changes here is told there.

    What is left goes from here, softly; the server's stays as it is. What is taken again comes in
    anew.
    """
    source = collection.source
    with transaction.atomic():
        current = RemoteCollection.objects.select_for_update().get(pk=collection.pk)
        current.source = source
        if taken and not current.is_taken:
            current.position, current.first_done_at, current.problem = "", None, ""
            keeper_of(current.kind).open(current)
        elif current.is_taken and not taken:
            keeper_of(current.kind).close(current)
            current.items.all().delete()
        current.is_taken, current.read_only = taken, read_only
        current.save()
        ask_for_source_sync(source=source, by_person=True)
        publish_account_change(source.account, "account.source_changed", by)


def disconnect_source(*, source: RemoteSource, keep: bool, by: Actor | None = None) -> None:
    """Part from a server; `keep`: what came from there stays here, as ours alone.

    Without that it is deleted here, softly, and so is what was only subscribed to: nothing would
    tell any more that others wrote it. The server's own stays as it is in any case.
    """
    with transaction.atomic():
        for collection in source.collections.select_for_update().filter(is_taken=True):
            if not (keep and collection.is_own):
                keeper_of(collection.kind).close(collection)
        publish_account_change(source.account, "account.source_disconnected", by)
        source.delete()
        _note_sources(source.account)
