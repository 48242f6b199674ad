"""As whom an account may send, as its provider says it."""

from django.db import transaction

from inbox.accounts.credentials import CredentialError
from inbox.models import Account, Identity
from inbox.operations.accounts.connections import connection_of
from inbox.providers import PROVIDERS
from inbox.providers.mail_store import StoreError


def follow_identities(account: Account) -> None:
    """Take over the aliases that an account may send as; what is kept here already stays.

    Asks the provider, so not inside a transaction. Raises StoreError; where whoever signed in did
    not allow to ask, there are none.
    """
    declared = PROVIDERS.get(account.provider)
    if declared is None or declared.identities is None:
        return
    try:
        found = declared.identities(connection_of(account))
    except CredentialError as error:
        raise StoreError(error.kind, error.words) from error
    except StoreError as error:
        if error.kind != "permanent":
            raise
        return
    with transaction.atomic():
        Account.objects.select_for_update().get(pk=account.pk)
        known = {one.lower() for one in account.identities.values_list("email", flat=True)}
        new = {it.email: it for it in found if it.email not in known and len(it.email) <= 254}
        Identity.objects.bulk_create(
            Identity(workspace_id=account.workspace_id, account=account, email=key, name=it.name)
            for key, it in new.items()
        )
