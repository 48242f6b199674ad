"""Working out what messages mean, in the background: the newest first, some at a time."""

import time
from collections.abc import Sequence
from typing import Final

from django.db.models import Max, Min

from inbox.background.periodic import periodic
from inbox.models import Message, MessageVector
from inbox.semantic.loading import Meanings, find_encoder, is_on

# In seconds: how long one round may take, with a batch begun before.
_ROUND: Final = 8.0
BATCH: Final = 16
# A transaction that writes messages may end after one that wrote later ones; so far back it is
# looked for what is missing.
_LOOKED_BACK: Final = 2000
# Characters of the subject and of the text that the model is given.
_SUBJECT, _TEXT = 300, 1700


@periodic(15)
def embed_messages() -> int:
    """Work out the meaning of messages that have none yet, for some seconds; return how many.

    It goes on where it stopped. Until then a message is found by its words.
    """
    encoder = find_encoder() if is_on() else None
    if encoder is None:
        return 0
    done, until = 0, time.monotonic() + _ROUND
    while time.monotonic() < until:
        messages = _missing()
        if not messages:
            break
        _embed(encoder, messages)
        done += len(messages)
    return done


def _missing() -> Sequence[Message]:
    """Return the newest messages without a vector, then those older than all that have one."""
    without = Message.objects.filter(meaning=None, deleted_at=None).only(
        "inbox_id", "subject", "new_text", "text"
    )
    known = MessageVector.objects.aggregate(newest=Max("pk"), oldest=Min("pk"))
    if known["newest"] is None:
        return list(without.order_by("-pk")[:BATCH])
    newer = list(without.filter(pk__gt=known["newest"] - _LOOKED_BACK).order_by("-pk")[:BATCH])
    return newer or list(without.filter(pk__lt=known["oldest"]).order_by("-pk")[:BATCH])


def _embed(encoder: Meanings, messages: Sequence[Message]) -> None:
    texts = [text_of(message) for message in messages]
    vectors = encoder.encode(texts)
    MessageVector.objects.bulk_create(
        [
            MessageVector(message=message, inbox_id=message.inbox_id, vector=vector.tobytes())
            for message, vector in zip(messages, vectors, strict=True)
        ],
        # Another process may have been as quick, and a person may have removed the message.
        ignore_conflicts=True,
    )


def text_of(message: Message) -> str:
    """Return what the model is given of a message: its subject and the beginning of its words."""
    words = message.new_text or message.text
    return f"{message.subject[:_SUBJECT]}\n{words[:_TEXT]}"
