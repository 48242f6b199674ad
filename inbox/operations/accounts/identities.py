"""As whom an account may send, as its provider says it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from inbox.accounts.credentials import CredentialError
from inbox.models import Account, Identity, SyncState
from inbox.operations.accounts.connections import connection_of
from inbox.providers import PROVIDERS
from inbox.providers.mail_changes import SenderIdentity
from inbox.providers.mail_store import StoreError

# The provider is not asked again before.
ASKED_EVERY: Final = timedelta(days=1)


def follow_identities(account: Account) -> None:
    """Have the identities of an account follow its provider's aliases, once a day at most.

    New ones are taken over, and what is not named any more is offered no more; what was made here
    and the account's own address stay. Asks the provider, so not inside a transaction. Raises
    StoreError; where whoever signed in did not allow to ask, nothing changes.
    """
    declared = PROVIDERS.get(account.provider)
    if declared is None or declared.identities is None:
        return
    now = timezone.now()
    rows = SyncState.objects.filter(account=account)
    if rows.filter(identities_at__gt=now - ASKED_EVERY).exists():
        return
    try:
        found = declared.identities(connection_of(account))
    except CredentialError as error:
        raise StoreError(error.kind, error.words) from error
    except StoreError as error:
        if error.kind != "permanent":
            raise
        found = []
    with transaction.atomic():
        Account.objects.select_for_update().get(pk=account.pk)
        # Everybody may send as somebody: where nobody is named, nothing is known.
        if found:
            _take_over(account, found)
        rows.update(identities_at=now)


def _take_over(account: Account, found: Sequence[SenderIdentity]) -> None:
    named = {it.email: it for it in found if len(it.email) <= 254}
    known = list(account.identities.all())
    for one in known:
        is_listed = one.email.lower() in named or (None if one.is_listed is None else False)
        one.is_listed = None if _is_own(account, one) else is_listed
    Identity.objects.bulk_update(known, ["is_listed"])
    new = named.keys() - {one.email.lower() for one in known}
    Identity.objects.bulk_create(
        Identity(
            workspace_id=account.workspace_id, account=account, email=key, name=named[key].name,
            is_listed=True,
        )
        for key in sorted(new)
    )  # fmt: skip


def _is_own(account: Account, one: Identity) -> bool:
    return one.is_default or one.email.lower() == account.address.lower()
