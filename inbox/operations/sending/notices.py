"""Mail that Chancery itself writes to people of a workspace, by an account whose owner allowed it.

It is no submission: nothing of an agent's or a stranger's is in it, and it goes to an address that
its person confirmed. No tool reaches this.
"""

from email import policy
from email.message import EmailMessage

from django.db import transaction
from django.db.models import OuterRef, QuerySet
from django.utils import timezone

from inbox.models import Account
from inbox.operations.accounts.connections import with_provider
from inbox.operations.sending.pauses import pause_sending, resumes_at
from inbox.providers.base import Envelope, Parcel, ProviderError

_WIRE = policy.SMTP.clone(cte_type="7bit")


def accounts_for_notices(user: int | OuterRef) -> QuerySet[Account]:
    """Return the accounts that may send notices to a person: of workspaces that are theirs."""
    rows = Account.objects.filter(sends_notices=True, workspace__memberships__user=user)
    return rows.order_by("workspace_id", "pk")


def send_notice(account: Account, *, to: str, message: EmailMessage) -> None:
    """Send a message, which has no From yet, to one address; raises ProviderError.

    An account whose login was refused is left alone for as long as what people approved waits too.
    """
    if resumes_at(account, timezone.now()) is not None:
        raise ProviderError("transient", account.sending_problem)
    message["From"] = account.address
    message["To"] = to
    parcel = Parcel(
        Envelope(account.address, (to,)), message.as_bytes(policy=_WIRE), message["Message-ID"]
    )
    try:
        with_provider(account, lambda provider: provider.submit(parcel, _hand_over))
    except ProviderError as error:
        if error.kind in {"login", "locked"}:
            with transaction.atomic():
                pause_sending(account, error)
        raise


def _hand_over() -> None:
    """Go on: what is sent twice under one Message-ID does no harm."""
