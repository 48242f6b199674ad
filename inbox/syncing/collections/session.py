"""One sync of a source: by one worker at a time, who reads, tells, and says when to come again.

Each step may be cut off anywhere: the rows say how far it came, and the next sync goes on there.
"""

import logging
from functools import partial
from typing import Any

from django.utils import timezone

from inbox.background.heartbeat import renewed
from inbox.background.jobs import Payload, handler
from inbox.models import RemoteCollection, RemoteItem, RemoteSource, SyncStatus
from inbox.operations.accounts.source_connections import change_store_of
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _
from inbox.reasons import quoted
from inbox.syncing.collections.following import follow_gone
from inbox.syncing.collections.keepers import PathKeeper, is_kept, keeper_of
from inbox.syncing.collections.listing import list_collections
from inbox.syncing.collections.noting import note_changes
from inbox.syncing.collections.reading import read_stale
from inbox.syncing.collections.recognizing import try_places_again
from inbox.syncing.collections.telling import tell_changes
from inbox.syncing.collections.visiting import (
    JOB,
    TURNS,
    SourceVisit,
    calls_left,
    count_calls,
    limits_of,
)
from inbox.syncing.turns import LEASE, LeaseLost, SyncLease

log = logging.getLogger(__name__)
_LONGEST_WORDS = 500
# So often what changed there while it was told is settled at once.
_ROUNDS = 3


@handler(JOB)
def sync(payload: Payload) -> None:
    """Bring a source and our side to the same state, where that is due."""
    sync_source(payload["source_id"])


def sync_source(source_id: int) -> bool:
    """Sync a source that is due and that nobody else syncs; return whether it went well.

    What goes wrong is written into its row, which says when it is tried again.
    """
    held = TURNS.hold(source_id)
    if held is None:
        return False
    with renewed(partial(TURNS.renew, held), LEASE):
        try:
            fields = _visit(source_id, held)
        except LeaseLost:
            log.warning("another worker took over the sync of source %s", source_id)
            return False
        except StoreError as error:
            log.warning("source %s: %s", source_id, f"{error.words} {error.reply}".strip())
            TURNS.settle_failure(held, error)
            return False
        except Exception as error:
            log.exception("the sync of source %s failed", source_id)
            words = _("The sync failed unexpectedly (%(error)s).", error=type(error).__name__)
            TURNS.settle_failure(held, StoreError("transient", words))
            return False
        return TURNS.settle_success(held, **fields)


def _visit(source_id: int, held: SyncLease) -> dict[str, Any]:
    """Keep every collection that is taken in step; return what to write down."""
    source = RemoteSource.objects.select_related("account").get(pk=source_id)
    started = timezone.now()
    allowance = calls_left(source, started)
    if not allowance:
        return {"unfinished": False, **_spent(source)}
    with change_store_of(source) as store:
        visit = SourceVisit(source, store, held, allowance)
        try:
            _keep_all_in_step(visit)
        finally:
            count_calls(source, store.calls, started)
        return _columns(visit, started)


def _keep_all_in_step(visit: SourceVisit) -> None:
    list_collections(visit)
    rows = visit.source.collections.filter(is_taken=True, is_gone=False)
    for collection in rows.select_related("source").order_by("current_at", "pk"):
        if visit.is_spent and visit.is_over():
            return
        if is_kept(collection.kind):
            _keep_in_step(visit, collection)
    if visit.failure is not None:
        raise visit.failure


def _spent(source: RemoteSource) -> dict[str, Any]:
    """Return what is written down where no more requests may be made in this hour."""
    most = limits_of(source).calls_an_hour
    words = _("No more than %(most)s requests an hour are made of such a server.", most=f"{most:,}")
    return {"status": SyncStatus.THROTTLED, "words": words}


def _columns(visit: SourceVisit, started: Any) -> dict[str, Any]:
    source = visit.source
    status = SyncStatus.CURRENT
    if visit.unfinished:
        status = SyncStatus.CURRENT if source.first_done_at else SyncStatus.FIRST
    items = RemoteItem.objects.filter(collection__source=source, collection__is_taken=True)
    columns: dict[str, Any] = {
        "unfinished": visit.unfinished, "status": status, "calls": visit.store.calls,
        "started_at": source.started_at or started,
    }  # fmt: skip
    if source.first_done_at is None:
        columns |= {"total": items.count(), "done": items.filter(stale=False).count()}
    if visit.unfinished and visit.is_spent:
        columns |= {"unfinished": False, **_spent(source)}
    if not visit.unfinished:
        columns |= {
            "current_at": started,
            "first_done_at": source.first_done_at or timezone.now(),
        }
    return columns


def _keep_in_step(visit: SourceVisit, collection: RemoteCollection) -> None:
    started = timezone.now()
    keeper = keeper_of(collection.kind)
    if not keeper.is_open(collection):
        # It was deleted here: what the server has stays as it is.
        collection.is_taken = False
        with visit.writing():
            collection.save(update_fields=["is_taken"])
        return
    try:
        note_changes(visit, collection)
        read_stale(visit, collection)
        follow_gone(visit, collection)
        if isinstance(keeper, PathKeeper):
            with visit.writing():
                try_places_again(keeper, collection)
        for _round in range(_ROUNDS):
            tell_changes(visit, collection)
            # What the server has changed meanwhile, or made something else of.
            if not read_stale(visit, collection):
                break
    except StoreError as error:
        if error.kind not in {"gone", "permanent"}:
            raise
        # The others of this source may well go on.
        _save_problem(visit, collection, error)
        return
    if not visit.unfinished:
        rows = RemoteCollection.objects.filter(pk=collection.pk)
        rows.update(
            current_at=started, first_done_at=collection.first_done_at or timezone.now(), problem=""
        )


def _save_problem(visit: SourceVisit, collection: RemoteCollection, error: StoreError) -> None:
    collection.problem = quoted(error.words, error.reply, _LONGEST_WORDS)
    collection.is_gone = error.kind == "gone"
    with visit.writing():
        collection.save(update_fields=["problem", "is_gone"])
