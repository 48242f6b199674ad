"""Which open activities a newer one of their thread stands for in the queue."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.db import connection, transaction

from inbox.models import Activity, ActivityStatus, Message
from inbox.operations.batched import in_chunks

_OPEN = (ActivityStatus.SURFACED, ActivityStatus.NEEDS_REVIEW, ActivityStatus.QUARANTINED)
_AT_ONCE = 1000


class _Line(NamedTuple):
    key: int
    thread: int
    at: datetime
    status: str
    is_superseded: bool


def settle_order_of(activity_ids: Iterable[int]) -> None:
    """Work out anew who stands for whom in the threads of these activities.

    Call it in the transaction that made them or changed their status; the queries do not grow with
    their number. What has no message, such as a note, stands for itself.
    """
    for chunk in in_chunks(activity_ids, _AT_ONCE):
        threads = Message.objects.filter(activities__in=chunk).order_by()
        settle_order_in(threads.values_list("thread_id", flat=True).distinct())


def settle_order_in(thread_ids: Iterable[int | None]) -> None:
    """Work it out anew in these threads, as after they were joined or a message was removed."""
    known = sorted({key for key in thread_ids if key is not None})
    for chunk in in_chunks(known, _AT_ONCE):
        _settle(chunk)
        if connection.features.has_select_for_update:
            # Where two write in a thread at once, neither sees what the other does until it is
            # done: whoever is done last sees both. A lock would be taken in an order of its own.
            transaction.on_commit(partial(_settle, chunk), robust=True)


def _settle(thread_ids: Sequence[int]) -> None:
    rows = Activity.objects.filter(message__thread__in=thread_ids, status__in=_OPEN)
    of_thread: dict[int, list[_Line]] = defaultdict(list)
    for row in rows.order_by().values_list(
        "pk", "message__thread", "created_at", "status", "is_superseded"
    ):
        of_thread[row[1]].append(_Line(*row))
    _write([line for lines in of_thread.values() for line in _wrong(lines)])


def _wrong(lines: Sequence[_Line]) -> list[_Line]:
    """Return the lines of a thread that do not say what they should.

    What is newer stands for what is older, unless the older one presses more: something surfaced
    stands for all, anything else for its like.
    """
    newest: dict[str, datetime] = {}
    for line in lines:
        newest[line.status] = max(line.at, newest.get(line.status, line.at))
    surfaced = newest.get(ActivityStatus.SURFACED)
    return [
        line
        for line in lines
        if line.is_superseded
        != (line.at < newest[line.status] or (surfaced is not None and line.at < surfaced))
    ]


def _write(lines: Sequence[_Line]) -> None:
    for is_superseded in (True, False):
        keys = [line.key for line in lines if line.is_superseded != is_superseded]
        for chunk in in_chunks(keys):
            Activity.objects.filter(pk__in=chunk).update(is_superseded=is_superseded)
