"""Whose turn it is to be synced: leases, and pauses that grow while a provider is in trouble.

`next_at` decides; a job only says that there may be something to do. Whoever syncs sets it ahead
first (`HELD_FOR`), and settling then tells by it whether somebody asked meanwhile.
"""

import random
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, When
from django.utils import timezone

from inbox.background.jobs import enqueue
from inbox.models.remote import SyncStatus
from inbox.providers.mail_store import StoreError, StoreErrorKind
from inbox.reasons import quoted

# What somebody waits for goes before the rounds that nobody asked for.
ASKED_PRIORITY, ROUND_PRIORITY = 2, 6
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


class LeaseLost(Exception):  # noqa: N818
    """Another worker syncs the account now: nothing more may be written."""


@dataclass(frozen=True, slots=True)
class SyncLease:
    """What a sync holds of its state: the fence of its lease, and `next_at` as it set it."""

    state_id: int
    fence: str
    next_at: datetime


def due(now: datetime) -> Q:
    """Return which states are to be synced now, and by nobody yet."""
    free = Q(leased_until=None) | Q(leased_until__lte=now)
    return Q(next_at__lte=now) & free & ~Q(status=SyncStatus.PAUSED)


@dataclass(frozen=True)
class Turns:
    """Rows of one model (`inbox.models.remote.Synced`) that take turns at being synced.

    `job` syncs the one that its payload names under `payload`, by the column `owner`; `interval` is
    how long after a success it is looked at again.
    """

    job: str
    rows: Callable[[], QuerySet[Any]]
    owner: str
    payload: str
    interval: Callable[[Any, datetime], timedelta]

    def ask(
        self, owner: int, account_id: int, workspace_id: int, *, by_person: bool = False
    ) -> bool:
        """Have one synced soon, in the caller's transaction; return whether it will be.

        However often it is asked for meanwhile, that is one sync. One that rests after trouble is
        left alone, unless a person asks; a paused one is always.
        """
        now = timezone.now()
        resting = RESTING if not by_person else {SyncStatus.PAUSED}
        with transaction.atomic():
            rows = self._of(owner).exclude(status__in=resting)
            hurried = rows.filter(Q(next_at=None) | Q(next_at__gt=now)).update(next_at=now)
            if not hurried:
                return rows.exists()
            self.enqueue(owner, account_id, workspace_id, priority=ASKED_PRIORITY)
        return True

    def ask_many(self, wanted: Iterable[tuple[int, int, int]]) -> None:
        """Do so for several at once, each an owner with its account and its workspace."""
        now, by_owner = timezone.now(), {owner: (account, ws) for owner, account, ws in wanted}
        with transaction.atomic():
            rows = self.rows().filter(**{f"{self.owner}__in": by_owner}).exclude(status__in=RESTING)
            late = rows.filter(Q(next_at=None) | Q(next_at__gt=now)).order_by("pk")
            found = list(late.select_for_update().values_list(self.owner, flat=True))
            self.rows().filter(**{f"{self.owner}__in": found}).update(next_at=now)
            for owner in found:
                self.enqueue(owner, *by_owner[owner], priority=ASKED_PRIORITY)

    def states(self, owners: Sequence[int]) -> dict[int, Any]:
        """Return the rows as they stand, by their owner; each of them has to be there."""
        rows = self.rows().filter(**{f"{self.owner}__in": owners})
        return {getattr(row, self.owner): row for row in rows}

    def make_due(self, owners: list[int]) -> None:
        """Have some synced with the next round, where they do not rest after trouble."""
        now = timezone.now()
        rows = self.rows().filter(**{f"{self.owner}__in": owners}).exclude(status__in=RESTING)
        rows.filter(Q(next_at=None) | Q(next_at__gt=now)).update(next_at=now)

    def enqueue(
        self,
        owner: int,
        account_id: int,
        workspace_id: int,
        *,
        priority: int = ROUND_PRIORITY,
        key: str | None = None,
    ) -> None:
        """Ring for one that is due: the job looks at its row whether it still is."""
        # One attempt: whatever goes wrong is in the row, which says when to try again.
        enqueue(
            self.job, {self.payload: owner}, workspace_id=workspace_id, account_id=account_id,
            priority=priority, slow=True, max_attempts=1, key=key,
        )  # fmt: skip

    def enqueue_due(self, now: datetime) -> int:
        """Enqueue the syncs that are due, each once however many look; return how many."""
        columns = (self.owner, "account_id", "workspace_id", "next_at")
        rows = self.rows().filter(due(now)).order_by("next_at", "pk")
        found = list(rows.values_list(*columns)[:_MOST_AT_ONCE])
        for owner, account_id, workspace_id, next_at in found:
            # Lost or late, such a job is made again half a minute later.
            slot = int((now - next_at).total_seconds() // 30)
            key = f"{self.job}:{owner}:{next_at.timestamp():.3f}:{slot}"
            self.enqueue(owner, account_id, workspace_id, key=key)
        return len(found)

    def hold(self, owner: int) -> SyncLease | None:
        """Take the lease on one that is due; None where it is not, or another has it."""
        now = timezone.now()
        fence = secrets.token_hex(16)
        rows = self._of(owner).filter(due(now))
        taken = rows.update(fence=fence, leased_until=now + LEASE, next_at=now + HELD_FOR)
        if not taken:
            return None
        key = self._of(owner).values_list("pk", flat=True).get()
        return SyncLease(key, fence, now + HELD_FOR)

    def renew(self, held: SyncLease) -> bool:
        """Hold the lease for longer; False where it was lost."""
        return bool(self._own(held).update(leased_until=timezone.now() + LEASE))

    def settle_success(self, held: SyncLease, *, unfinished: bool, **fields: Any) -> bool:
        """Write down that a sync went well, and when the next one is.

        `unfinished`: there is more to do, and it goes on as soon as others had their turn. Whoever
        asked while it ran gets one of their own. `fields` are more columns of the state to set,
        such as its status. False where the lease was lost or it was paused meanwhile.
        """
        now = timezone.now()
        state = self.rows().get(pk=held.state_id)
        planned = now if unfinished else now + scattered(self.interval(state, now))
        calm: dict[str, Any] = {"failures": 0, "words": "", "reply": ""}
        next_at = Case(When(next_at=held.next_at, then=planned), default=F("next_at"))
        return self._settle(held, {**calm, **fields, "next_at": next_at}, now)

    def settle_failure(self, held: SyncLease, error: StoreError) -> bool:
        """Write down what went wrong, and how long the provider is left alone; False as above."""
        now = timezone.now()
        state = self.rows().get(pk=held.state_id)
        pause = pause_after(error, failures=state.failures)
        fields = {
            "status": _STATUS[error.kind],
            "failures": min(state.failures + 1, 1000),
            "words": quoted(error.words, "", _LONGEST_WORDS),
            "reply": error.reply[:_LONGEST_WORDS],
            "next_at": now + pause,
        }
        return self._settle(held, fields, now)

    def _settle(self, held: SyncLease, fields: dict[str, Any], now: datetime) -> bool:
        own = self._own(held)
        with transaction.atomic():
            # A pause that a person asked for meanwhile stays.
            own.filter(status=SyncStatus.PAUSED).update(fence="", leased_until=None, next_at=None)
            if not own.update(**fields, fence="", leased_until=None):
                return False
            again = self.rows().filter(due(now), pk=held.state_id)
            for found in again.values_list(self.owner, "account_id", "workspace_id"):
                # As slices of a first sync do, it lets others go first.
                self.enqueue(*found)
        return True

    def _of(self, owner: int) -> QuerySet[Any]:
        return self.rows().filter(**{self.owner: owner})

    def _own(self, held: SyncLease) -> QuerySet[Any]:
        return self.rows().filter(pk=held.state_id, fence=held.fence)


def pause_after(error: StoreError, *, failures: int) -> timedelta:
    """Return how long to leave a provider alone after trouble; `failures` is how often before."""
    growth = _GROWTH.get(error.kind, 2) ** min(failures, 12)
    pause = min(_FIRST_PAUSE[error.kind] * growth, _LONGEST_PAUSE[error.kind])
    pause = scattered(pause)
    if error.retry_after is not None and error.retry_after > 0:
        wish = timedelta(seconds=min(error.retry_after, _LONGEST_WISH.total_seconds()))
        pause = max(pause, wish)
    return pause


def scattered(pause: timedelta) -> timedelta:
    """Return a little less or more, so that what failed together does not come back together."""
    return pause * _RANDOM.uniform(0.85, 1.15)
