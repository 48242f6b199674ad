"""Accounts whose rows are as their mailboxes at the server, so that nothing is to be synced yet."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from inbox.accounts import credentials
from inbox.models import Account, Inbox, Mailbox, Workspace
from inbox.models.remote import RemoteFolder, SyncState, SyncStatus
from tests.crowded_imap import PASSWORD, Box


def connect_many(
    workspace: Workspace, settings: Sequence[dict[str, object]], **more: Any
) -> list[Account]:
    """Make an account for each of the settings, which was synced a moment ago."""
    soon = timezone.now() + timedelta(hours=1)
    fields = {"provider": "imap_smtp", "secret": credentials.encrypt(PASSWORD), **more}
    accounts = Account.objects.bulk_create(
        Account(
            workspace=workspace, address=f"{one['username']}@lantern.example", settings=one, **fields
        )
        for one in settings
    )  # fmt: skip
    inboxes = Inbox.objects.bulk_create(
        Inbox(workspace=workspace, account=one, address=one.address) for one in accounts
    )
    mailboxes = Mailbox.objects.bulk_create(
        Mailbox(workspace=workspace, inbox=one, name="Inbox", role="inbox") for one in inboxes
    )
    box = Box()
    RemoteFolder.objects.bulk_create(
        RemoteFolder(
            account=account, mailbox=mailbox, name="INBOX", role="inbox", uidvalidity=7,
            uidnext=box.uidnext, messages=box.messages, highest_modseq=box.modseq, read_down_to=1,
        )
        for account, mailbox in zip(accounts, mailboxes, strict=True)
    )  # fmt: skip
    SyncState.objects.bulk_create(
        SyncState(
            workspace=workspace, account=one, status=SyncStatus.CURRENT, next_at=soon,
            features=["idle"],
        )
        for one in accounts
    )  # fmt: skip
    return accounts
