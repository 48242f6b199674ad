"""Mailboxes made at the provider because something of ours is to go there."""

from inbox.models import Account, Mailbox
from inbox.models.remote import RemoteFolder
from inbox.providers.mail_store import MailStore, StoreError

# The usual names (RFC 6154 has the roles), which every mail program knows again.
_NAMES = {
    "archive": "Archive", "trash": "Trash", "junk": "Junk", "sent": "Sent", "drafts": "Drafts",
}  # fmt: skip


def folder_for(store: MailStore, account: Account, mailbox_id: int) -> RemoteFolder:
    """Make a mailbox at the provider for one of ours that has a role, and return its row.

    Raises StoreError, `permanent` where it cannot be had there.
    """
    mailbox = Mailbox.objects.get(pk=mailbox_id)
    usual = _NAMES.get(mailbox.role)
    if usual is None:
        raise StoreError("permanent", f"No mailbox is made there for {mailbox.name!r}.")
    inbox = RemoteFolder.objects.filter(account=account, role="inbox").first()
    name = _make(store, usual, inbox.delimiter if inbox else "")
    state = store.folder_state(name)
    # What lies in it already, if anything, is still to be read.
    row, _ = RemoteFolder.objects.get_or_create(
        account=account, name=name,
        defaults={
            "mailbox": mailbox, "role": mailbox.role, "uidvalidity": state.uidvalidity,
            "delimiter": inbox.delimiter if inbox else "",
        },
    )  # fmt: skip
    return row


def _make(store: MailStore, name: str, delimiter: str) -> str:
    """Make a mailbox of this name; on servers that keep all of them below the INBOX, there."""
    try:
        store.create(name)
    except StoreError as error:
        if error.kind != "permanent" or not delimiter:
            raise
        name = f"INBOX{delimiter}{name}"
        store.create(name)
    return name
