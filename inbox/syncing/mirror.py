"""The mirror as a cache: whether the provider must be asked before our rows answer."""

import hashlib
import json
import logging
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from django.db import connection
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from inbox.background.jobs import Payload, enqueue, handler
from inbox.background.periodic import periodic
from inbox.errors import DomainError
from inbox.models import Account, MirrorEntry
from inbox.models.remote import SyncState, SyncStatus
from inbox.operations.accounts.connections import maker_of
from inbox.operations.mirror_entries import READ_FOR, invalidate
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
from inbox.syncing.hits import HITS, Hit
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


class Kept(NamedTuple):
    """An entry as it was read along with its account; nothing where there is none."""

    pk: int | None
    cached_at: datetime | str | None
    bytes: int | None


def with_entry(accounts: QuerySet[Account], name: str) -> QuerySet[Account]:
    """Have accounts read along with their entry of a name (`entry_name`), for `kept_of`."""
    entries = MirrorEntry.objects.filter(account=OuterRef("pk"), name=name)
    columns = {f"entry_{column}": Subquery(entries.values(column)[:1]) for column in Kept._fields}
    return accounts.annotate(**columns)


def kept_of(account: Account) -> Kept:
    """Return the entry that an account was read along with."""
    return Kept(*(getattr(account, f"entry_{column}") for column in Kept._fields))


_FIND = "SELECT id, cached_at, bytes FROM inbox_mirrorentry WHERE account_id = %s AND name = %s"
# Where it is not known to be fresh, one statement decides, counts and keeps the time, so that
# two calls at once count as two. Whatever a sync read since counts as asked too, but not for what
# was invalidated.
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
    reads: AbstractSet[str] | None = None,
    kept: Kept | None = None,
) -> Freshness:
    """Say how fresh our rows are for a reading of this account, asking its provider if need be.

    `resource` is one of `AGES`; `key` is the row's public id, or a list's or search's parameters.
    `reads` says which of what is read for the resource (`READ_FOR`) this one looks at; else all.
    `kept` is the entry where it was read just now, along with the account.
    On a `miss` the provider has just been asked; on `stale` it will be, by a job. The caller reads
    our rows afterwards in any case. Raises DomainError `provider_error`.

    An account whose mail lies at a server is asked by a sync, and one that is read for the first
    time, or paused, answers with what there is. A transaction does not wait for a server either.
    """
    name = entry_name(account.public_id, resource, key)
    read = READ_FOR[resource] if reads is None else READ_FOR[resource] & reads
    state = getattr(account, "sync", None) if "mail" in read else None
    behind = _Behind(account, state, find_mirrored(account, read - {"mail"}))
    found = _consult(
        account, name, resource, asked=force_refresh or not use_cache, known=behind.known_at,
        entry=kept,
    )  # fmt: skip
    if found.status == "miss" and found.entry_id % _TRIMMED_EVERY == 0:
        _trim(account.pk)
    if behind.is_somewhere:
        return _ask_servers(behind, found)
    if found.status == "miss":
        _ask(account, found)
    elif found.status == "stale":
        _ask_soon(account, found)
    return found


def _ask_soon(account: Account, found: Freshness) -> None:
    """Have a job ask the provider, once for this age of the entry."""
    asked_for = f"mirror.refresh:{found.entry_id}:{found.cached_at.timestamp():.0f}"
    enqueue(
        "mirror.refresh", {"entry_id": found.entry_id}, workspace_id=account.workspace_id,
        account_id=account.pk, key=asked_for, priority=7, slow=True,
    )  # fmt: skip


def entry_name(account_id: str, resource: str, key: object) -> str:
    """Return `resource:account:…`, with the row's public id or a digest of the parameters.

    `account_id` is the public one.
    """
    if resource not in AGES:
        raise ValueError(f"{resource!r} is none of the resources {sorted(AGES)}")
    if isinstance(key, str) and len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable():
        return f"{resource}:{account_id}:{key}"
    text = json.dumps(key, sort_keys=True, default=str)
    return f"{resource}:{account_id}:{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def measure(found: Freshness, size: int) -> None:
    """Note how many bytes the answer takes, where it was just made anew."""
    if found.status == "miss" and size != found.bytes:
        MirrorEntry.objects.filter(pk=found.entry_id).update(bytes=size)


def _consult(
    account: Account, name: str, resource: str, *, asked: bool, known: datetime | None,
    entry: Kept | None,
) -> Freshness:  # fmt: skip
    now = timezone.now()
    fresh, stale = (now - timedelta(seconds=age) for age in AGES[resource])
    kept = None if asked else _find_fresh(entry or _find(account, name), fresh, known)
    if kept is not None:
        HITS.add(kept.entry_id, Hit(account.pk, resource, 1, now))
        return kept
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


def _find(account: Account, name: str) -> Kept:
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [account.pk, name])
        row = cursor.fetchone()
    return Kept(*row) if row else Kept(None, None, None)


def _find_fresh(entry: Kept, fresh: datetime, known: datetime | None) -> Freshness | None:
    """Return the entry where it is fresh; most readings find one, and need no write."""
    if entry.pk is None or entry.cached_at is None:
        return None
    seen = _read_time(entry.cached_at)
    if known is not None and seen < known:
        seen = known
    return Freshness("fresh", seen, entry.pk, entry.bytes or 0) if seen > fresh else None


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


def _known_at(state: SyncState) -> datetime | None:
    """Return as of when our rows are the provider's; None where we know that they are behind.

    Then somebody asked for a sync: mail was announced, or something of ours is yet to be told.
    """
    if state.next_at is not None and state.next_at <= timezone.now():
        return None
    return state.current_at


@dataclass(frozen=True, slots=True)
class _Behind:
    """What lies behind a reading: the state of the account's mail, servers with collections."""

    account: Account
    state: SyncState | None
    mirrored: Mirrored | None

    @property
    def is_somewhere(self) -> bool:
        """Return True where our rows are not all there is."""
        return self.state is not None or self.mirrored is not None

    @property
    def known_at(self) -> datetime | None:
        """As of when all of our rows are their servers'; None where some are behind."""
        return self._oldest(_known_at(self.state) if self.state else None)

    @property
    def current_at(self) -> datetime | None:
        """As of when all of our rows are known to be their servers', whatever came since."""
        return self._oldest(self.state.current_at if self.state else None)

    def _oldest(self, of_mail: datetime | None) -> datetime | None:
        times = [of_mail] if self.state is not None else []
        times += [self.mirrored.current_at] if self.mirrored is not None else []
        known = [time for time in times if time is not None]
        return min(known) if known and len(known) == len(times) else None

    @property
    def is_being_read(self) -> bool:
        """Return True where nobody waits: a first sync goes on, or one is paused."""
        state = self.state
        of_mail = state is not None and (
            state.first_done_at is None or state.status == SyncStatus.PAUSED
        )
        return of_mail or (self.mirrored is not None and is_behind(self.mirrored))

    def ask(self) -> None:
        """Have all of them asked soon, in the caller's transaction."""
        if self.state is not None:
            ask_for_sync(account=self.account)
        if self.mirrored is not None:
            ask_for_syncs(self.mirrored)

    def bring_up_to_date(self) -> datetime:
        """Have all of them asked now; return as of when our rows are theirs.

        Raises StoreError.
        """
        times = [bring_up_to_date(self.account)] if self.state is not None else []
        if self.mirrored is not None:
            times.append(bring_collections_up_to_date(self.mirrored))
        return min(times)


def _ask_servers(behind: _Behind, found: Freshness) -> Freshness:
    """Have syncs bring what is new, now for a miss and soon for what is stale."""
    if found.status == "fresh":
        return found
    account = behind.account
    if found.status == "stale" or behind.is_being_read or connection.in_atomic_block:
        behind.ask()
        if found.status == "stale":
            return found
        invalidate(rows=MirrorEntry.objects.filter(pk=found.entry_id))
        return replace(found, status="stale", cached_at=behind.current_at or account.created_at)
    try:
        return replace(found, cached_at=behind.bring_up_to_date())
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
