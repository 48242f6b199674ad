"""Connecting a mail account: its identity, its inbox and the usual mailboxes."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from inbox.errors import DomainError, invalid
from inbox.models import Account, Identity, Inbox, Mailbox, Workspace
from inbox.reasons import phrase as _

# RFC 8621 2; the name of each is its role's, capitalised.
MAILBOX_ROLES = ("inbox", "sent", "drafts", "archive", "junk", "trash")


def create_account(
    *,
    workspace: Workspace,
    address: str,
    name: str = "",
    provider: str = "local",
    settings: dict[str, Any] | None = None,
    undo_seconds: int = 10,
    authserv_id: str = "",
) -> Account:
    """Make an account with its default identity, its inbox and a mailbox for each usual role.

    Raises DomainError where the address is none (`invalid_input`) or is connected (`conflict`).
    """
    address = check_address(address)
    with transaction.atomic():
        # Of two at once, the second sees what the first has made.
        Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
        if Account.objects.filter(workspace=workspace, address=address).exists():
            raise DomainError(
                "conflict", _("%(address)s is already connected.", address=address), field="address"
            )
        account = Account.objects.create(
            workspace=workspace, address=address, name=name, provider=provider,
            settings=settings or {}, undo_seconds=undo_seconds, authserv_id=authserv_id,
        )  # fmt: skip
        Identity.objects.create(
            workspace=workspace, account=account, email=address, name=name, is_default=True
        )
        inbox = Inbox.objects.create(workspace=workspace, account=account, address=address)
        Mailbox.objects.bulk_create(
            Mailbox(workspace=workspace, inbox=inbox, name=role.capitalize(), role=role)
            for role in MAILBOX_ROLES
        )
    return account


def identities_of(account: Account, *, field: str = "account_id") -> list[Identity]:
    """Return as whom an account may send, its default first; there is at least one.

    Raises DomainError `conflict`, which names the `field`, where there is none.
    """
    rows = account.identities.offered().filter(workspace_id=account.workspace_id)
    identities = list(rows.order_by("-is_default", "pk"))
    if not identities:
        raise DomainError("conflict", _("The account has no identity to send as."), field=field)
    return identities


def check_address(address: str) -> str:
    """Return an address as accounts have it; raises DomainError (`address`) where it is none."""
    address = address.strip().lower()
    try:
        validate_email(address)
    except ValidationError:
        raise invalid(
            "address",
            _("%(address)s is not an email address.", address=repr(address)),
            _("one address, such as office@example.org"),
        ) from None
    if len(address) > 254:
        raise invalid(
            "address", _("The address is too long."), _("at most 254 characters (RFC 5321)")
        )
    return address
