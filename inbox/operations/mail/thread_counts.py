"""What a thread counts and bears of its messages, worked out anew for many threads at a time."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Max
from django.utils import timezone

from inbox.models import Message, Thread
from inbox.operations.batched import in_chunks

_AT_ONCE = 500


def bring_threads_up_to_date(thread_ids: Iterable[int]) -> None:
    """Count the kept messages of threads anew, and take the threads' labels from them.

    Runs in the transaction that changed the messages; the queries do not grow with their number.
    """
    for chunk in in_chunks(sorted(set(thread_ids)), _AT_ONCE):
        threads = list(Thread.objects.select_for_update().filter(pk__in=chunk).order_by("pk"))
        _count(threads)
        _label(threads)


def _count(threads: list[Thread]) -> None:
    kept = Message.objects.kept().filter(thread__in=threads).order_by()
    found = {
        row["thread_id"]: row
        for row in kept.values("thread_id").annotate(number=Count("pk"), newest=Max("received_at"))
    }
    now = timezone.now()
    for thread in threads:
        row = found.get(thread.pk)
        thread.message_count = row["number"] if row else 0
        thread.last_message_at = row["newest"] if row else thread.last_message_at
        thread.updated_at = now
    columns = ["message_count", "last_message_at", "updated_at"]
    Thread.objects.bulk_update(threads, columns, batch_size=_AT_ONCE)


def _label(threads: list[Thread]) -> None:
    of_message: Any = Message.mailboxes.through
    of_thread: Any = Thread.mailboxes.through
    pairs = of_message.objects.filter(message__thread__in=threads, message__deleted_at=None)
    wanted = set(pairs.order_by().values_list("message__thread_id", "mailbox_id").distinct())
    there = {
        (row.thread_id, row.mailbox_id): row.pk
        for row in of_thread.objects.filter(thread__in=threads)
    }
    surplus = [key for pair, key in there.items() if pair not in wanted]
    of_thread.objects.filter(pk__in=surplus).delete()
    of_thread.objects.bulk_create(
        (
            of_thread(thread_id=thread, mailbox_id=mailbox)
            for thread, mailbox in sorted(wanted - there.keys())
        ),
        ignore_conflicts=True,
    )
