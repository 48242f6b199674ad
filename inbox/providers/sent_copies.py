"""Copies of sent mail in a provider's mailboxes: whether one is there, and putting one there."""

from collections.abc import Sequence
from datetime import datetime

from inbox.providers.mail_store import Folder, MailStore

SENT_NAME = "Sent"


def has_copy(store: MailStore, message_id: str) -> bool:
    """Return True if the sent mail, or else the inbox, has this Message-ID; raises StoreError.

    The inbox too: a Message-ID that nobody could know before is in there only if the mail was sent
    to its own sender.
    """
    folders = store.folders()
    names = [name for role in ("sent", "inbox") if (name := _of_role(folders, role))]
    return any(store.find(name, message_id) for name in names)


def put_copy(store: MailStore, raw: bytes, message_id: str, sent_at: datetime | None) -> None:
    """Have exactly one copy lie with the sent mail, marked as read; raises StoreError.

    What is there already, from a try whose answer was lost or by the provider itself, stays as it
    is. Where another came in between, ours is taken away again.
    """
    name = _sent_mailbox(store)
    if store.find(name, message_id):
        return
    uid = store.append(name, raw, keywords=frozenset({"$seen"}), received_at=sent_at)
    if uid is not None and any(other < uid for other in store.find(name, message_id)):
        store.open(name)
        store.expunge([uid])


def _of_role(folders: Sequence[Folder], role: str) -> str:
    return next((one.name for one in folders if one.role == role and one.selectable), "")


def _sent_mailbox(store: MailStore) -> str:
    """Return the name of the mailbox for sent mail; it is made where there is none."""
    folders = store.folders()
    if name := _of_role(folders, "sent"):
        return name
    name = f"{_prefix(folders)}{SENT_NAME}"
    store.create(name)
    return name


def _prefix(folders: Sequence[Folder]) -> str:
    """Return what every name begins with on servers that keep all mailboxes below the inbox."""
    others = [one for one in folders if one.name.upper() != "INBOX"]
    for one in others:
        prefix = f"INBOX{one.delimiter}" if one.delimiter else ""
        if prefix and all(other.name.startswith(prefix) for other in others):
            return prefix
    return ""
