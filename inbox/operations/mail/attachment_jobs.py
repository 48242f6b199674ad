"""Which attachments are read for the search, and when: in a job, after their message came in."""

from collections.abc import Iterable
from typing import Final

from inbox.background.jobs import Payload, enqueue
from inbox.models import Attachment, Inbox

NEW: Final = "search.attachments"
# Bytes; a larger file is kept, and found by its name.
LARGEST: Final = 20 * 2**20
LAST = 9
# What says nothing in words, or says it to programs: invitations are searched as events.
_SILENT_TYPES = ("image/", "audio/", "video/", "font/", "multipart/", "text/calendar")
_SILENT = frozenset(
    {
        "application/pgp-signature", "application/pgp-encrypted", "application/pkcs7-signature",
        "application/x-pkcs7-signature", "application/pkcs7-mime", "application/ics",
        "application/vnd.apple.mpegurl", "message/delivery-status",
    }
)  # fmt: skip


def is_read(content_type: str, size: int) -> bool:
    """Return True if it may say something in words, and is small enough to be read."""
    kind = content_type.partition(";")[0].strip().lower()
    return 0 < size <= LARGEST and not kind.startswith(_SILENT_TYPES) and kind not in _SILENT


def enqueue_reading(inbox: Inbox, attachments: Iterable[Attachment]) -> None:
    """Have what is attached to new messages of an inbox read; in the caller's transaction."""
    read = (it.message_id for it in attachments if is_read(it.content_type, it.size))
    if keys := list(dict.fromkeys(read)):
        where = {"workspace_id": inbox.workspace_id, "account_id": inbox.account_id}
        enqueue_rest({"message_ids": keys, "after": 0, **where})


def enqueue_rest(payload: Payload) -> None:
    """Have what is left of these messages read, in a job of its own."""
    enqueue(
        NEW, payload, workspace_id=payload["workspace_id"], account_id=payload["account_id"],
        priority=LAST, slow=True,
    )  # fmt: skip
