"""Mail as it comes in one by one, and what is done to threads."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from inbox.actor import Actor
from inbox.errors import invalid, not_found
from inbox.intake.preparing import Delivery, prepare
from inbox.intake.sources import Place
from inbox.models import Inbox, Mailbox, Message, Submission, Thread, ThreadStatus
from inbox.operations.storing import mailboxes_of, recipient_of, store_messages

LONGEST_LABEL = 200


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
        there: Message | None = Message.objects.filter(submission=submission).first()
        if there is not None:
            return there
    recipient = recipient_of(inbox)
    delivery = Delivery(
        received_at=received_at,
        keywords=keywords,
        place=Place(role=mailbox_role) if mailbox_role else None,
        outbound=True if submission is not None else None,
    )
    prepared = prepare(raw, recipient, delivery)
    with transaction.atomic():
        stored = store_messages(
            inbox=inbox, recipient=recipient, batch=[prepared], live=True, submission=submission
        )
        if stored.made:
            return stored.made[0]
        message: Message = Message.objects.get(pk=stored.known[prepared.sha256])
        if submission is not None and message.submission_id is None:
            message.submission = submission
            message.save(update_fields=["submission"])
        return message


def set_thread_status(
    *, actor: Actor, thread: Thread, status: str, snoozed_until: datetime | None = None
) -> Thread:
    """Open, close or snooze a thread; a snoozed one needs the time at which it wakes.

    Raises DomainError where the status is none, or the time is missing, past, or out of place.
    """
    if status not in ThreadStatus.values:
        raise invalid("status", f"{status!r} is no status.", ", ".join(ThreadStatus.values))
    if (snoozed_until is not None) != (status == ThreadStatus.SNOOZED):
        raise invalid("snoozed_until", "A time to wake goes with a snoozed thread, and only there.")
    if snoozed_until is not None and snoozed_until <= timezone.now():
        raise invalid("snoozed_until", "That time is past.", "a time in the future")
    with transaction.atomic():
        thread = _own_thread(actor, thread)
        thread.status, thread.snoozed_until = status, snoozed_until
        thread.updated_at = timezone.now()
        thread.save(update_fields=["status", "snoozed_until", "updated_at"])
    return thread


def label_thread(
    *, actor: Actor, thread: Thread, add: Iterable[str] = (), remove: Iterable[str] = ()
) -> Thread:
    """Put a thread and its messages under labels (mailboxes, by name) and take them from others.

    A label that the inbox does not know yet is made. Raises DomainError where a name cannot be one.
    """
    added, removed = _label_names("add", add), _label_names("remove", remove)
    of_message: Any = Message.mailboxes.through
    with transaction.atomic():
        thread = _own_thread(actor, thread)
        places = [Place(role="", name=name) for name in added]
        mailboxes = mailboxes_of(thread.inbox, places).values() if places else ()
        thread.mailboxes.add(*mailboxes)
        of_message.objects.bulk_create(
            (
                of_message(message_id=message, mailbox_id=mailbox)
                for message in thread.messages.values_list("pk", flat=True)
                for mailbox in mailboxes
            ),
            ignore_conflicts=True,
        )
        gone = Mailbox.objects.filter(inbox=thread.inbox, name__in=removed)
        thread.mailboxes.remove(*gone)
        of_message.objects.filter(message__thread=thread, mailbox__in=gone).delete()
        thread.updated_at = timezone.now()
        thread.save(update_fields=["updated_at"])
    return thread


def _own_thread(actor: Actor, thread: Thread) -> Thread:
    """Return the thread's row, locked; not_found where the actor may not see it."""
    rows = Thread.objects.visible_to(actor).select_for_update(of=("self",))
    found: Thread | None = rows.select_related("inbox").filter(pk=thread.pk).first()
    if found is None:
        raise not_found("thread", thread.public_id, "thread_id")
    return found


def _label_names(field: str, names: Iterable[str]) -> list[str]:
    cleaned = [" ".join(name.split()) for name in names]
    for name in cleaned:
        if not name or len(name) > LONGEST_LABEL or not name.isprintable():
            raise invalid(
                field, f"{name!r} cannot be a label.", f"1 to {LONGEST_LABEL} printable characters"
            )
    return list(dict.fromkeys(cleaned))
