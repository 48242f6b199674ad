"""Reading what is attached, for the search, in the background: after a message came in.

Each file is read by itself, a PDF in a process of its own (`inbox.files.file_text`), and what was
read stands there: a job that was cut short goes on where it stopped. Mail that was here before is
gone through from the oldest on, some files a job, each job enqueuing the next.
"""

import time
from datetime import timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from inbox.background.jobs import Payload, enqueue, handler
from inbox.files.file_text import extract_text
from inbox.models import Attachment, AttachmentText
from inbox.operations.mail.attachment_jobs import LAST, NEW, enqueue_rest, is_read
from inbox.rfc5322.text.language import detect_language
from inbox.rfc5322.text.unspaced import bigrams
from inbox.rfc5322.text.word_forms import extra_words

EARLIER = "search.earlier_attachments"
# How many files a job looks at, and for how long (seconds) it goes on to the next.
AT_ONCE: Final = 20
_LONGEST: Final = 20.0
_LEASE = timedelta(minutes=5)
_SAMPLE = 20_000


@handler(NEW, lease=_LEASE)
def read_attachments(payload: Payload) -> None:
    """Read what is attached to these messages; what is left goes to a next job."""
    rows = Attachment.objects.filter(message__in=payload["message_ids"])
    if after := _read_next(rows, payload["after"]):
        enqueue_rest({**payload, "after": after})


@handler(EARLIER, lease=_LEASE)
def read_earlier_attachments(payload: Payload) -> None:
    """Read the next attachments after a key, oldest first, and go on."""
    if after := _read_next(Attachment.objects.all(), payload["after"]):
        enqueue(EARLIER, {"after": after}, key=f"{EARLIER}:{after}", priority=LAST, slow=True)


def _read_next(rows: QuerySet[Attachment], after: int) -> int:
    """Read the next of these after a key, for some time; return the last key, 0 at the end."""
    rows = rows.filter(pk__gt=int(after)).order_by("pk").select_related("blob", "message", "said")
    rows = rows.only(
        "filename", "content_type", "size", "message__inbox_id", "blob__workspace_id",
        "blob__sha256", "said__attachment",
    )  # fmt: skip
    found = list(rows[:AT_ONCE])
    until = time.monotonic() + _LONGEST
    for attachment in found:
        if not hasattr(attachment, "said") and is_read(attachment.content_type, attachment.size):
            _keep(attachment, _words_of(attachment))
        if time.monotonic() >= until:
            return attachment.pk
    return found[-1].pk if len(found) == AT_ONCE else 0


def _words_of(attachment: Attachment) -> str:
    """Return what it says; "" where it cannot be read. Outside of a transaction: it takes long."""
    try:
        content = attachment.blob.read()
    except (FileNotFoundError, ValueError):
        # Lost in the storage, or changed there.
        return ""
    return extract_text(content, attachment.filename, attachment.content_type)


def _keep(attachment: Attachment, text: str) -> None:
    if not text.strip():
        return
    sample = text[:_SAMPLE]
    extra = " ".join([*bigrams(sample), *extra_words(sample, detect_language(sample))])
    try:
        with transaction.atomic():
            AttachmentText.objects.create(
                attachment=attachment, message_id=attachment.message_id,
                inbox_id=attachment.message.inbox_id, text=text, search_extra=extra,
            )  # fmt: skip
    except IntegrityError:
        # Another worker was as quick, or its message was removed meanwhile.
        pass
