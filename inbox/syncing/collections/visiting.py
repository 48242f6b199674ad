"""A visit to a server with collections: the store, and the lease under which rows are written."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from inbox.background.periodic import periodic
from inbox.models import RemoteCollection, RemoteSource
from inbox.providers import PROVIDERS
from inbox.providers.change_store import ChangeStore, Collection, CollectionKind
from inbox.providers.declaration import Limits
from inbox.providers.mail_store import StoreError
from inbox.syncing.turns import LeaseLost, SyncLease, Turns

JOB = "source.sync"
# A visit makes room for others after so many seconds, and goes on when it is its turn again.
SLICE = 20.0
_HOUR = timedelta(hours=1)
# Intervals are scattered by as much: not before the hour is over.
_LATER = 1.2


def _interval(source: Any, now: datetime) -> timedelta:
    looks = timedelta(seconds=limits_of(source).seconds_between_looks)
    return max(looks, rest_of_hour(source, now) * _LATER)


TURNS = Turns(JOB, RemoteSource.objects.all, "id", "source_id", _interval)


def ask_for_source_sync(*, source: RemoteSource, by_person: bool = False) -> bool:
    """Have a source synced soon, in the caller's transaction; return whether it will be."""
    return TURNS.ask(source.pk, source.account_id, source.workspace_id, by_person=by_person)


@periodic(5)
def enqueue_due_sources(now: datetime | None = None) -> int:
    """Enqueue the syncs of sources that are due; return how many."""
    return TURNS.enqueue_due(now or timezone.now())


@dataclass(slots=True)
class SourceVisit:
    """One signed-in way to a source, by whoever holds its lease.

    `until` is when it makes room for others, as `time.monotonic()` counts. `allowance` is how many
    requests it may make. `unfinished` is set when more is to be done than there was time for, or
    requests.
    """

    source: RemoteSource
    store: ChangeStore
    held: SyncLease
    allowance: int
    until: float = field(default_factory=lambda: time.monotonic() + SLICE)
    unfinished: bool = False
    # The items at which the server failed in this visit, and how it did at the one that was new.
    failed: set[int] = field(default_factory=set)
    failure: StoreError | None = None

    @property
    def is_spent(self) -> bool:
        """Return True if no more requests may be made for now."""
        return self.store.calls >= self.allowance

    def is_over(self) -> bool:
        """Return True where it should make room; notes that something is left to do."""
        over = time.monotonic() >= self.until or self.is_spent
        self.unfinished = self.unfinished or over
        return over

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write rows, all or none, and only under the lease; the server is not asked meanwhile.

        Raises LeaseLost where another has it by now.
        """
        with transaction.atomic():
            if not TURNS.renew(self.held):
                raise LeaseLost
            yield


def as_listed(collection: RemoteCollection) -> Collection:
    """Return a row as its store knows the collection."""
    kind = cast("CollectionKind", collection.kind)
    return Collection(
        collection.href, kind, collection.name, collection.color, collection.is_writable
    )


# -- how often a server is asked -------------------------------------------------------------------
# Requests are counted once a visit is over: the last of an hour may go a little beyond.
def limits_of(source: RemoteSource) -> Limits:
    """Return what the declaration of a source's provider says; of an unknown one, the usual."""
    declared = PROVIDERS.get(source.provider)
    return declared.limits if declared else Limits(seconds_between_looks=3_600)


def calls_left(source: RemoteSource, now: datetime) -> int:
    """Return how many requests may be made of a source before its hour is over."""
    most = limits_of(source).calls_an_hour
    return max(most - source.calls_in_hour, 0) if _lasts(source, now) else most


def rest_of_hour(source: RemoteSource, now: datetime) -> timedelta:
    """Return how long a source is left alone; nothing where requests are left in its hour."""
    if source.hour_began_at is None or calls_left(source, now):
        return timedelta()
    return source.hour_began_at + _HOUR - now


def count_calls(source: RemoteSource, calls: int, now: datetime) -> None:
    """Count requests that were made since `now`; where the last hour is over, one begins."""
    rows = RemoteSource.objects.filter(pk=source.pk)
    if _lasts(source, now):
        rows.update(calls_in_hour=F("calls_in_hour") + calls)
    else:
        rows.update(calls_in_hour=calls, hour_began_at=now)


def _lasts(source: RemoteSource, now: datetime) -> bool:
    began = source.hour_began_at
    return began is not None and began <= now < began + _HOUR
