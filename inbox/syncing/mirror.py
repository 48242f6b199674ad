"""The mirror as a cache: whether the provider must be asked before our rows answer."""

import hashlib
import json
import logging
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias, cast

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from inbox.background.jobs import Payload, enqueue, handler
from inbox.background.periodic import periodic
from inbox.errors import DomainError
from inbox.models import Account, MirrorEntry
from inbox.models.remote import SyncState, SyncStatus
from inbox.operations.accounts.connections import maker_of
from inbox.operations.mirror_entries import invalidate
from inbox.providers.base import ProviderError
from inbox.providers.mail_store import StoreError
from inbox.reasons import own
from inbox.syncing.asking import bring_up_to_date
from inbox.syncing.collections.freshness import (
    Mirrored,
    ask_for_syncs,
    bring_collections_up_to_date,
    find_mirrored,
    is_behind,
)
from inbox.syncing.scheduling import ask_for_sync

Status: TypeAlias = Literal["fresh", "stale", "miss"]

# For how many seconds an answer is fresh, and for how many it still serves while we ask anew.
AGES: dict[str, tuple[int, int]] = {
    "email_list": (120, 600),
    "email": (900, 3600),
    "file_list": (600, 3600),
    "file": (1200, 7200),
    "contact_list": (1200, 7200),
    "contact": (1800, 14400),
    "event_list": (300, 1800),
    "event": (600, 3600),
    "search": (60, 300),
}
# What a sync of the account brings; calendars and contacts may have servers of their own.
_OF_MAIL = frozenset({"email_list", "email", "search"})
# So many entries are kept for an account, those used last; now and then a few more.
MOST_ENTRIES = 5000
_TRIMMED_EVERY = 200
KEEP_UNUSED = timedelta(days=7)
_REMOVED_AT_ONCE = 5000
_LONGEST_KEY = 100

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Freshness:
    """How old what we hold of something is: `cached_at` is when its provider was asked last."""

    status: Status
    cached_at: datetime
    entry_id: int
    bytes: int = 0


# One statement decides, counts and keeps the time, so that two calls at once count as two. Whatever
# a sync read since counts as asked too, but not for what was invalidated.
_CONSULT = """
INSERT INTO inbox_mirrorentry AS kept
  (workspace_id, account_id, name, resource, status, cached_at, used_at, bytes, hits, misses)
VALUES (%(workspace)s, %(account)s, %(name)s, %(resource)s, %(status)s, %(at)s, %(now)s, 0,
  %(hit)s, 1 - %(hit)s)
ON CONFLICT (account_id, name) DO UPDATE SET
  status = CASE WHEN {miss} THEN 'miss' WHEN {seen} <= %(fresh)s THEN 'stale' ELSE 'fresh' END,
  hits = kept.hits + CASE WHEN {miss} THEN 0 ELSE 1 END,
  misses = kept.misses + CASE WHEN {miss} THEN 1 ELSE 0 END,
  cached_at = CASE WHEN {miss} THEN %(now)s ELSE {seen} END,
  used_at = %(now)s
RETURNING id, status, cached_at, bytes
"""
_SEEN = "(CASE WHEN kept.cached_at < %(known)s THEN %(known)s ELSE kept.cached_at END)"
_IS_MISS = f"(%(asked)s = 1 OR kept.cached_at IS NULL OR {_SEEN} <= %(stale)s)"


def consult(
    *,
    account: Account,
    resource: str,
    key: object,
    use_cache: bool = True,
    force_refresh: bool = False,
) -> Freshness:
    """Say how fresh our rows are for a reading of this account, asking its provider if need be.

    `resource` is one of `AGES`; `key` is the row's public id, or a list's or search's parameters.
    On a `miss` the provider has just been asked; on `stale` it will be, by a job. The caller reads
    our rows afterwards in any case. Raises DomainError `provider_error`.

    An account whose mail lies at a server is asked by a sync, and one that is read for the first
    time, or paused, answers with what there is. A transaction does not wait for a server either.
    """
    state = getattr(account, "sync", None) if resource in _OF_MAIL else None
    mirrored = find_mirrored(account, resource)
    found = _consult(account, entry_name(account, resource, key), resource,
                     asked=force_refresh or not use_cache,
                     known=mirrored.current_at if mirrored else _known_at(state))  # fmt: skip
    if found.status == "miss" and found.entry_id % _TRIMMED_EVERY == 0:
        _trim(account.pk)
    if mirrored is not None:
        return _ask_sources(account, mirrored, found)
    if state is not None:
        return _ask_server(account, state, found)
    if found.status == "miss":
        _ask(account, found)
    elif found.status == "stale":
        asked_for = f"mirror.refresh:{found.entry_id}:{found.cached_at.timestamp():.0f}"
        enqueue(
            "mirror.refresh", {"entry_id": found.entry_id}, workspace_id=account.workspace_id,
            account_id=account.pk, key=asked_for, priority=7, slow=True,
        )  # fmt: skip
    return found


def entry_name(account: Account, resource: str, key: object) -> str:
    """Return `resource:account:…`, with the row's public id or a digest of the parameters."""
    if resource not in AGES:
        raise ValueError(f"{resource!r} is none of the resources {sorted(AGES)}")
    if isinstance(key, str) and len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable():
        return f"{resource}:{account.public_id}:{key}"
    text = json.dumps(key, sort_keys=True, default=str)
    return f"{resource}:{account.public_id}:{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def measure(found: Freshness, size: int) -> None:
    """Note how many bytes the answer takes, where it was just made anew."""
    if found.status == "miss" and size != found.bytes:
        MirrorEntry.objects.filter(pk=found.entry_id).update(bytes=size)


def _consult(
    account: Account, name: str, resource: str, *, asked: bool, known: datetime | None
) -> Freshness:
    now = timezone.now()
    fresh, stale = (now - timedelta(seconds=age) for age in AGES[resource])
    # For an entry that is new.
    is_miss = asked or known is None or known <= stale
    status = "miss" if is_miss else "fresh" if known and known > fresh else "stale"
    values: dict[str, Any] = {
        "workspace": account.workspace_id, "account": account.pk, "name": name,
        "resource": resource, "asked": int(asked), "now": _stored(now), "status": status,
        "at": _stored(now if is_miss else known), "hit": int(not is_miss),
        "known": _stored(known), "fresh": _stored(fresh), "stale": _stored(stale),
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_CONSULT.format(miss=_IS_MISS, seen=_SEEN), values)
        key, status, cached_at, size = cursor.fetchone()
    return Freshness(cast("Status", status), _read_time(cached_at), key, size)


def _stored(moment: datetime | None) -> Any:
    return connection.ops.adapt_datetimefield_value(moment)


def _read_time(stored: Any) -> datetime:
    """Return a time that came back from the database; SQLite's has no zone."""
    moment = datetime.fromisoformat(stored) if isinstance(stored, str) else stored
    return timezone.make_aware(moment) if timezone.is_naive(moment) else moment


def _ask(account: Account, found: Freshness) -> None:
    """Our rows are all there is, and so never behind; where only that can be said."""
    try:
        maker_of(account)
    except ProviderError as error:
        log.warning("account %s: %s", account.pk, error.words)
        invalidate(rows=MirrorEntry.objects.filter(pk=found.entry_id))
        raise DomainError("provider_error", own(error.words)) from error


def _known_at(state: SyncState | None) -> datetime | None:
    """Return as of when our rows are the provider's; None where we know that they are behind.

    Then somebody asked for a sync: mail was announced, or something of ours is yet to be told.
    """
    if state is None or (state.next_at is not None and state.next_at <= timezone.now()):
        return None
    return state.current_at


def _ask_server(account: Account, state: SyncState, found: Freshness) -> Freshness:
    """Have a sync bring what is new, now for a miss and soon for what is stale."""
    if found.status == "fresh":
        return found
    reading_on = state.first_done_at is None or state.status == SyncStatus.PAUSED
    if found.status == "stale" or reading_on or connection.in_atomic_block:
        ask_for_sync(account=account)
        if found.status == "stale":
            return found
        invalidate(rows=MirrorEntry.objects.filter(pk=found.entry_id))
        return replace(found, status="stale", cached_at=state.current_at or account.created_at)
    try:
        return replace(found, cached_at=bring_up_to_date(account))
    except StoreError as error:
        invalidate(rows=MirrorEntry.objects.filter(pk=found.entry_id))
        raise DomainError("provider_error", own(error.sentence)) from error


def _ask_sources(account: Account, mirrored: Mirrored, found: Freshness) -> Freshness:
    """Have the servers of calendars, contacts or files asked: now for a miss, soon for stale."""
    if found.status == "fresh":
        return found
    if found.status == "stale" or is_behind(mirrored) or connection.in_atomic_block:
        ask_for_syncs(mirrored)
        if found.status == "stale":
            return found
        invalidate(rows=MirrorEntry.objects.filter(pk=found.entry_id))
        return replace(found, status="stale", cached_at=mirrored.current_at or account.created_at)
    try:
        return replace(found, cached_at=bring_collections_up_to_date(mirrored.sources))
    except StoreError as error:
        invalidate(rows=MirrorEntry.objects.filter(pk=found.entry_id))
        raise DomainError("provider_error", own(error.sentence)) from error


@handler("mirror.refresh")
def refresh(payload: Payload) -> None:
    """Ask the provider of an entry that was stale; the entry is then fresh again."""
    entry = MirrorEntry.objects.filter(pk=payload["entry_id"]).select_related("account").first()
    if entry is None or entry.cached_at is None:
        return
    asked_at = timezone.now()
    maker_of(entry.account)
    # Not where it was invalidated, or asked for anew, meanwhile.
    same = MirrorEntry.objects.filter(pk=entry.pk, cached_at=entry.cached_at)
    same.update(cached_at=asked_at)


def _trim(account_id: int) -> None:
    """Remove what was used longest ago of an account that has too many entries."""
    rows = MirrorEntry.objects.filter(account_id=account_id).order_by("-used_at", "-id")
    surplus = list(rows.values_list("pk", flat=True)[MOST_ENTRIES : MOST_ENTRIES + 1000])
    if surplus:
        MirrorEntry.objects.filter(pk__in=surplus).delete()


@periodic(600)
def remove_unused(now: datetime | None = None) -> int:
    """Remove entries that nobody used for long, a bounded number at a time; return how many."""
    unused = Q(used_at__lt=(now or timezone.now()) - KEEP_UNUSED)
    keys = MirrorEntry.objects.filter(unused).values_list("pk", flat=True)[:_REMOVED_AT_ONCE]
    return MirrorEntry.objects.filter(pk__in=list(keys)).delete()[0]
