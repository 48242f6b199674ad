"""When an account is synced: when somebody asks, by itself, and more rarely the longer it fails.

`SyncState.next_at` decides; a job only says that there may be something to do. Whoever syncs sets
it ahead first (`HELD_FOR`), and `settle` then tells by it whether somebody asked meanwhile.
"""

import random
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Q, When
from django.utils import timezone

from inbox.background.jobs import enqueue
from inbox.background.periodic import periodic
from inbox.models import Account
from inbox.models.remote import SyncState, SyncStatus
from inbox.providers.mail_store import StoreError, StoreErrorKind
from inbox.reasons import quoted

JOB = "account.sync"
# What somebody waits for goes before the rounds that nobody asked for.
ASKED_PRIORITY, ROUND_PRIORITY = 2, 6
# How often an account is looked at by itself; less often while somebody watches its inbox.
UNWATCHED = timedelta(minutes=2)
WATCHED = timedelta(minutes=10)
# While it is being synced it is not due; if that worker dies, it is due again after this.
HELD_FOR = timedelta(minutes=2)
LEASE = timedelta(seconds=60)
# Mail servers lock accounts after a few wrong passwords: these pauses grow fourfold.
_GROWTH: dict[StoreErrorKind, int] = {"login": 4}
_FIRST_PAUSE: dict[StoreErrorKind, timedelta] = {
    "transient": timedelta(seconds=30),
    "gone": timedelta(seconds=30),
    "throttled": timedelta(minutes=5),
    "permanent": timedelta(minutes=30),
    "login": timedelta(minutes=30),
    "locked": timedelta(minutes=1),
}
_LONGEST_PAUSE: dict[StoreErrorKind, timedelta] = {
    "transient": timedelta(hours=1),
    "gone": timedelta(hours=1),
    "throttled": timedelta(hours=6),
    "permanent": timedelta(hours=24),
    "login": timedelta(hours=24),
    "locked": timedelta(minutes=15),
}
_STATUS: dict[StoreErrorKind, SyncStatus] = {
    "transient": SyncStatus.WAITING,
    "gone": SyncStatus.WAITING,
    "throttled": SyncStatus.THROTTLED,
    "permanent": SyncStatus.FAILED,
    "login": SyncStatus.LOGIN_REFUSED,
    "locked": SyncStatus.LOCKED,
}
# What a server asks for is heard, but not for ever.
_LONGEST_WISH = timedelta(hours=24)
# The provider is left alone until `next_at`, whatever is changed here meanwhile.
RESTING = frozenset(
    {
        SyncStatus.WAITING, SyncStatus.THROTTLED, SyncStatus.FAILED, SyncStatus.LOGIN_REFUSED,
        SyncStatus.LOCKED, SyncStatus.PAUSED,
    }
)  # fmt: skip
_LONGEST_WORDS = 2000
_MOST_AT_ONCE = 500
_RANDOM = random.SystemRandom()


def ask_for_sync(*, account: Account, by_person: bool = False) -> bool:
    """Have an account synced soon, in the caller's transaction; return whether it will be.

    However often it is asked for meanwhile, that is one sync. An account that rests after trouble
    is left alone, unless a person asks; a paused one is always.
    """
    now = timezone.now()
    rows = SyncState.objects.filter(account=account)
    resting = RESTING if not by_person else {SyncStatus.PAUSED}
    with transaction.atomic():
        rows = rows.exclude(status__in=resting)
        hurried = rows.filter(Q(next_at=None) | Q(next_at__gt=now)).update(next_at=now)
        if not hurried:
            return rows.exists()
        enqueue_sync(account.pk, account.workspace_id, priority=ASKED_PRIORITY)
    return True


def make_due(account_ids: Iterable[int]) -> None:
    """Have accounts synced with the next round, where they do not rest after trouble."""
    rows = SyncState.objects.filter(account__in=account_ids).exclude(status__in=RESTING)
    now = timezone.now()
    rows.filter(Q(next_at=None) | Q(next_at__gt=now)).update(next_at=now)


def enqueue_sync(account_id: int, workspace_id: int, *, priority: int = ROUND_PRIORITY) -> None:
    """Ring for an account that is due: the job looks at its row whether it still is."""
    # One attempt: whatever goes wrong is in the row, which says when to try again.
    enqueue(
        JOB, {"account_id": account_id}, workspace_id=workspace_id, account_id=account_id,
        priority=priority, slow=True, max_attempts=1,
    )  # fmt: skip


def due(now: datetime) -> Q:
    """Return which states are to be synced now, and by nobody yet."""
    free = Q(leased_until=None) | Q(leased_until__lte=now)
    return Q(next_at__lte=now) & free & ~Q(status=SyncStatus.PAUSED)


@periodic(5)
def enqueue_due(now: datetime | None = None) -> int:
    """Enqueue the syncs that are due, each once however many look; return how many."""
    now = now or timezone.now()
    rows = SyncState.objects.filter(due(now)).order_by("next_at", "pk")
    found = list(rows.values_list("account_id", "workspace_id", "next_at")[:_MOST_AT_ONCE])
    for account_id, workspace_id, next_at in found:
        assert next_at is not None  # noqa: S101 (what is due has a time)
        # Lost or late, such a job is made again half a minute later.
        slot = int((now - next_at).total_seconds() // 30)
        enqueue(
            JOB, {"account_id": account_id}, workspace_id=workspace_id, account_id=account_id,
            priority=ROUND_PRIORITY, slow=True, max_attempts=1,
            key=f"{JOB}:{account_id}:{next_at.timestamp():.3f}:{slot}",
        )  # fmt: skip
    return len(found)


@dataclass(frozen=True, slots=True)
class SyncLease:
    """What a sync holds of its state: the fence of its lease, and `next_at` as it set it."""

    state_id: int
    fence: str
    next_at: datetime


def hold(account_id: int) -> SyncLease | None:
    """Take the lease on an account that is due; None where it is not, or another has it."""
    now = timezone.now()
    fence = secrets.token_hex(16)
    rows = SyncState.objects.filter(due(now), account_id=account_id)
    taken = rows.update(fence=fence, leased_until=now + LEASE, next_at=now + HELD_FOR)
    if not taken:
        return None
    key = SyncState.objects.values_list("pk", flat=True).get(account_id=account_id)
    return SyncLease(key, fence, now + HELD_FOR)


def renew(held: SyncLease) -> bool:
    """Hold the lease for longer; False where it was lost."""
    own = SyncState.objects.filter(pk=held.state_id, fence=held.fence)
    return bool(own.update(leased_until=timezone.now() + LEASE))


def settle_success(held: SyncLease, *, unfinished: bool, **fields: Any) -> bool:
    """Write down that a sync went well, and when the next one is.

    `unfinished`: there is more to do, and it goes on as soon as others had their turn. Whoever
    asked while it ran gets one of their own. `fields` are more columns of the state to set, such as
    its status. False where the lease was lost or the account was paused meanwhile.
    """
    now = timezone.now()
    state = SyncState.objects.filter(pk=held.state_id).select_related("account").get()
    planned = now if unfinished else now + _scattered(_interval(state, now))
    calm: dict[str, Any] = {"failures": 0, "words": "", "reply": ""}
    next_at = Case(When(next_at=held.next_at, then=planned), default=F("next_at"))
    return _settle(held, {**calm, **fields, "next_at": next_at}, now)


def settle_failure(held: SyncLease, error: StoreError) -> bool:
    """Write down what went wrong, and how long the provider is left alone; False as above."""
    now = timezone.now()
    state = SyncState.objects.get(pk=held.state_id)
    pause = pause_after(error, failures=state.failures)
    fields = {
        "status": _STATUS[error.kind],
        "failures": min(state.failures + 1, 1000),
        "words": quoted(error.words, "", _LONGEST_WORDS),
        "reply": error.reply[:_LONGEST_WORDS],
        "next_at": now + pause,
    }
    return _settle(held, fields, now)


def pause_after(error: StoreError, *, failures: int) -> timedelta:
    """Return how long to leave a provider alone after trouble; `failures` is how often before."""
    growth = _GROWTH.get(error.kind, 2) ** min(failures, 12)
    pause = min(_FIRST_PAUSE[error.kind] * growth, _LONGEST_PAUSE[error.kind])
    pause = _scattered(pause)
    if error.retry_after is not None and error.retry_after > 0:
        wish = timedelta(seconds=min(error.retry_after, _LONGEST_WISH.total_seconds()))
        pause = max(pause, wish)
    return pause


def _settle(held: SyncLease, fields: dict[str, Any], now: datetime) -> bool:
    own = SyncState.objects.filter(pk=held.state_id, fence=held.fence)
    with transaction.atomic():
        # A pause that a person asked for meanwhile stays.
        own.filter(status=SyncStatus.PAUSED).update(fence="", leased_until=None, next_at=None)
        if not own.update(**fields, fence="", leased_until=None):
            return False
        again = SyncState.objects.filter(due(now), pk=held.state_id)
        for account_id, workspace_id in again.values_list("account_id", "workspace_id"):
            # As slices of a first sync do, it lets others go first.
            enqueue_sync(account_id, workspace_id, priority=ROUND_PRIORITY)
    return True


def _interval(state: SyncState, now: datetime) -> timedelta:
    watched = state.watched_until is not None and state.watched_until > now
    return WATCHED if watched else UNWATCHED


def _scattered(pause: timedelta) -> timedelta:
    """Return a little less or more, so that what failed together does not come back together."""
    return pause * _RANDOM.uniform(0.85, 1.15)
