"""A workspace with somebody's own mail."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.parser import BytesHeaderParser

from django.db import transaction

from agents.operations.setup.logins import Keys, open_desk
from inbox.errors import invalid
from inbox.intake.sources import Source, SourceItem
from inbox.models import Import, Inbox
from inbox.operations.accounts.accounts import create_account
from inbox.operations.accounts.workspaces import create_workspace, free_slug
from inbox.operations.mail.imports import import_mail
from inbox.reasons import of_error
from inbox.reasons import phrase as _
from inbox.rfc5322.addresses.parsing import check_address, parse_addresses

# What says whose mailbox it is, the surest first.
_DELIVERED = ("Delivered-To", "X-Original-To", "Envelope-To")
_SAMPLE = 1_000
_HEAD = 16 * 1024


@dataclass(frozen=True, slots=True)
class OwnMail:
    """What was done; `keys` are for showing once, None where they were made before."""

    inbox: Inbox
    run: Import
    keys: Keys | None


def guess_address(source: Source) -> str:
    """Return the address to which most of the mail was delivered; empty where none can be told."""
    delivered: Counter[str] = Counter()
    addressed: Counter[str] = Counter()
    step = max(1, source.total // _SAMPLE)
    for item in source.items[::step]:
        headers = BytesHeaderParser().parsebytes(_head(item))
        for name in _DELIVERED:
            delivered.update(_addresses(headers.get_all(name, [])))
        addressed.update(_addresses(headers.get_all("To", [])))
    for counted in (delivered, addressed):
        if counted:
            return counted.most_common(1)[0][0]
    return ""


def _head(item: SourceItem) -> bytes:
    """Return the first bytes of an item; none where it cannot be read, which the import tells."""
    try:
        return b"" if item.problem else item.head(_HEAD)
    except OSError:
        return b""


def _addresses(values: Iterable[object]) -> set[str]:
    found = (one.email.lower() for value in values for one in parse_addresses(str(value), limit=20))
    return {address for address in found if _is_usable(address)}


def _is_usable(address: str) -> bool:
    try:
        return check_address(address) == address
    except ValueError:
        return False


def bring_own_mail(
    *,
    source: Source,
    address: str,
    authserv_id: str = "",
    on_progress: Callable[[int], None] | None = None,
) -> OwnMail:
    """Bring mail into the workspace of this address, which is made if there is none yet.

    Doing so again brings in what is new. The provider is `local`: nothing that is sent leaves the
    machine. Raises DomainError for an address that is none.
    """
    address = address.strip().lower()
    inbox = Inbox.objects.filter(address=address).order_by("pk").first()
    if inbox is None:
        inbox = _make_inbox(address, authserv_id)
    run = import_mail(inbox=inbox, source=source, on_progress=on_progress)
    return OwnMail(inbox, run, open_desk(inbox=inbox))


def _make_inbox(address: str, authserv_id: str) -> Inbox:
    try:
        check_address(address)
    except ValueError as error:
        raise invalid(
            "address",
            _(
                "%(address)s is not an email address: %(error)s.",
                address=repr(address),
                error=of_error(error),
            ),
        ) from error
    with transaction.atomic():
        account = create_account(
            workspace=create_workspace(name=address, slug=_slug_of(address)),
            address=address,
            authserv_id=authserv_id,
        )
    return Inbox.objects.get(account=account)


def _slug_of(address: str) -> str:
    return free_slug(address.replace("@", "-at-").replace(".", "-"))
