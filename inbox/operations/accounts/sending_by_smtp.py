"""Sending by SMTP for an account whose mail is read by an interface of its provider's own.

By SMTP exactly the sealed bytes leave; an interface may write them anew.
"""

from dataclasses import replace

from django.conf import settings as django_settings
from django.db import transaction

from inbox.accounts.account_settings import check_settings
from inbox.accounts.credentials import CredentialError
from inbox.accounts.sign_in_providers import known_provider
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.models import Account
from inbox.operations.accounts.connections import connection_of
from inbox.operations.accounts.setup_facts import publish_account_change
from inbox.providers.imap_smtp import for_smtp
from inbox.providers.probing import is_sound, probe


def prefer_smtp(*, account: Account, by: Actor | None = None) -> bool:
    """Have an account send by its provider's SMTP server, if that lets it in; return whether so.

    Where the server refuses, as many organizations have it, the interface goes on sending. Nothing
    is sent. Not to be called inside a transaction: servers are asked.
    """
    provider = known_provider(str(account.settings.get("oauth_provider", "")))
    scopes = provider.declared.smtp_scopes if provider else ()
    if provider is None or not scopes or not account.settings.get("mail_api"):
        return False
    servers = provider.mail_settings(account.address)
    found = {key: value for key, value in servers.items() if key.startswith("smtp_")}
    found["oauth_smtp_scope"] = " ".join((*scopes, "offline_access"))
    try:
        settings = check_settings({**account.settings, **found}, hosts=django_settings.MAIL_HOSTS)
        connection = for_smtp(replace(connection_of(account), settings=settings))
    except (CredentialError, DomainError):
        return False
    if not is_sound(probe(connection)):
        return False
    with transaction.atomic():
        current = Account.objects.select_for_update().get(pk=account.pk)
        current.settings = {**current.settings, **found}
        current.save(update_fields=["settings"])
        publish_account_change(current, "account.changed", by, set(found))
    account.refresh_from_db()
    return True
