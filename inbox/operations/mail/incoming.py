"""Mail as it comes in one by one."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from inbox.intake.prepared import Delivery
from inbox.intake.preparing import prepare
from inbox.intake.sources import TargetMailbox
from inbox.models import Inbox, Message, Submission
from inbox.operations.mail.storing import recipient_of, store_messages


def receive_message(
    *,
    inbox: Inbox,
    raw: bytes,
    received_at: datetime | None = None,
    keywords: Sequence[str] = (),
    mailbox_role: str = "",
    submission: Submission | None = None,
) -> Message:
    """Store a message that arrived, or (`submission`) the copy of one that we sent; once.

    Bytes that are there already give the message that is there. Without a role it goes into the
    inbox, or into sent where it is ours. Inbound mail publishes the fact `message.received`.
    """
    if submission is not None:
        there = Message.objects.filter(submission=submission).first()
        if there is not None:
            return there
    recipient = recipient_of(inbox)
    delivery = Delivery(
        received_at=received_at,
        keywords=keywords,
        place=TargetMailbox(role=mailbox_role) if mailbox_role else None,
        outbound=True if submission is not None else None,
    )
    prepared = prepare(raw, recipient, delivery)
    with transaction.atomic():
        stored = store_messages(
            inbox=inbox, recipient=recipient, batch=[prepared], live=True, submission=submission
        )
        if stored.made:
            return stored.made[0]
        message = Message.objects.get(pk=stored.known[prepared.sha256])
        if submission is not None and message.submission_id is None:
            message.submission = submission
            message.save(update_fields=["submission"])
        return message
