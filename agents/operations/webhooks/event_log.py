"""The log of events: noted in the transaction of the cause, put in order afterwards, and pruned.

A number that is taken inside a transaction says nothing of when others see it. So each fact is
noted first, and one writer at a time gives the notes their places: whoever has read up to a place
has seen everything before it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agents.events.payloads import FACTS, noun_of, tell
from agents.models import EVENT_PREFIX, FactNote, LoggedEvent, LogHead
from agents.operations.a2a.settling import settle_told
from agents.operations.webhooks.deliveries import deliver
from inbox import ids
from inbox.actor import Actor
from inbox.background.fairness import SMALL_SHARE, has_urgent_work
from inbox.background.jobs import Payload
from inbox.background.periodic import periodic

# A publication may be about hundreds of rows; so many of them are told of in one transaction.
NOTES_AT_ONCE, ROWS_A_NOTE = 50, 5
READ_AT_ONCE = 500
_REMOVED_AT_ONCE = 5000
_KNOWN = frozenset(FACTS)


def note(fact: str, payload: Payload, workspace_id: int) -> None:
    """Keep a fact that clients are told of, in the transaction of its cause."""
    if fact in _KNOWN:
        FactNote.objects.create(workspace_id=workspace_id, fact=fact, payload=payload)


def write_log() -> int:
    """Put what was noted in the log, in order, and on its way to webhooks; return how many events.

    Any number of processes may do this at once.
    """
    written = 0
    while FactNote.objects.exists():
        written += _write_some(SMALL_SHARE if has_urgent_work() else NOTES_AT_ONCE)
    return written


def _write_some(most: int) -> int:
    with transaction.atomic():
        head = _lock_head()
        notes = _a_few(FactNote.objects.order_by("pk")[:most], most * ROWS_A_NOTE)
        events = [
            LoggedEvent(
                id=place, workspace_id=told.workspace_id, fact=told.fact, data=told.data,
                account_ids=told.account_ids, agent_ids=told.agent_ids, at=told.at,
            )
            for place, told in enumerate(tell(notes), head.newest + 1)
        ]  # fmt: skip
        LoggedEvent.objects.bulk_create(events, batch_size=500)
        FactNote.objects.filter(pk__in=[note.pk for note in notes]).delete()
        if events:
            head.newest = events[-1].pk
            head.save(update_fields=["newest"])
        deliver(events)
        settle_told(events)
    return len(events)


def _a_few(notes: Iterable[FactNote], most_rows: int) -> list[FactNote]:
    """Return the first of the notes, one at least, which are about not too many rows."""
    found: list[FactNote] = []
    rows = 0
    for one in notes:
        lists = [len(value) for value in one.payload.values() if isinstance(value, list)]
        rows += max(lists, default=1)
        if found and rows > most_rows:
            break
        found.append(one)
    return found


def _lock_head() -> LogHead:
    rows = LogHead.objects.select_for_update().filter(pk=1)
    head = rows.first()
    if head is None:
        LogHead.objects.bulk_create([LogHead(pk=1)], ignore_conflicts=True)
        head = rows.get()
    return head


@periodic(600)
def prune(now: datetime | None = None) -> int:
    """Remove events that are older than `EVENT_LOG_DAYS`, some at a time; return how many."""
    before = (now or timezone.now()) - timedelta(days=settings.EVENT_LOG_DAYS)
    with transaction.atomic():
        head = _lock_head()
        # From the beginning on, so that the log has no holes: times are those of the causes.
        rows = LoggedEvent.objects.order_by("pk").values_list("pk", "at")[:_REMOVED_AT_ONCE]
        old = [place for place, _ in takewhile(lambda row: row[1] < before, rows)]
        if old:
            LoggedEvent.objects.filter(pk__lte=old[-1]).delete()
            head.removed = old[-1]
            head.save(update_fields=["removed"])
    return len(old)


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads the log, and of what: all facts where `facts` is empty."""

    actor: Actor
    facts: frozenset[str] = frozenset()

    def may_see(self, event: LoggedEvent) -> bool:
        """Whether an event is for this reader: its workspace, account, agent and scope."""
        actor = self.actor
        if event.workspace_id not in actor.workspace_ids:
            return False
        if event.account_ids is not None and not _is_granted(actor, event.account_ids):
            return False
        if event.agent_ids is not None and actor.id not in event.agent_ids:
            return False
        is_asked_for = not self.facts or event.fact in self.facts
        return is_asked_for and noun_of(event.fact).scope in actor.scopes


def _is_granted(actor: Actor, account_ids: list[int]) -> bool:
    return actor.account_ids is None or not actor.account_ids.isdisjoint(account_ids)


def ends_of_log() -> tuple[int, int]:
    """Return the newest place of the log, and the last one that was removed."""
    head = LogHead.objects.filter(pk=1).first()
    return (head.newest, head.removed) if head else (0, 0)


def read_place(event_id: str) -> int | None:
    """Return the place that a client's id stands for; None where it is no id of ours."""
    numbers = ids.decode(EVENT_PREFIX, event_id)
    return numbers[0] if numbers and len(numbers) == 1 else None


def place_id(place: int) -> str:
    """Return the id of a place in the log, whether or not an event of it is still there."""
    return ids.encode(EVENT_PREFIX, place)


def events_after(place: int, upto: int | None = None, workspace: int | None = None) -> Any:
    """Return the next events after a place, in order, at most `READ_AT_ONCE`."""
    rows = LoggedEvent.objects.filter(pk__gt=place)
    if upto is not None:
        rows = rows.filter(pk__lte=upto)
    if workspace is not None:
        rows = rows.filter(workspace_id=workspace)
    return list(rows.order_by("pk")[:READ_AT_ONCE])


def as_message(event: LoggedEvent) -> dict[str, Any]:
    """Return an event as clients and webhooks get it."""
    return {
        "type": event.fact,
        "timestamp": event.at.isoformat().replace("+00:00", "Z"),
        "data": event.data,
    }
