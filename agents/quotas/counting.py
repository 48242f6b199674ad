"""Counting against quotas in the transaction of the call: of two at once, one is the last allowed.

Each count is one row, locked until the transaction ends. A quota's time is counted in twelfths, and
what counts does so until all of its twelfth is over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone

from agents.models import QuotaUse
from inbox.actor import Actor
from inbox.policies.quotas import LONGEST, Quota

PARTS = 12
_PURGED_AT_ONCE = 5000


class Countable(NamedTuple):
    """So much of what a quota counts, of one agent, account or recipient."""

    quota: Quota
    subject: str
    amount: int = 1

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What tells its row from the others of the workspace."""
        return self.quota.per, self.subject, self.quota.what, self.quota.seconds


@dataclass(slots=True)
class Count:
    """One count as it stands, locked."""

    wanted: Countable
    row: QuotaUse
    now: datetime

    @property
    def used(self) -> int:
        """How much counts now."""
        return used(self.row, self.now)

    @property
    def is_over(self) -> bool:
        """Whether what is wanted would be too much."""
        most = self.wanted.quota.most
        return most is not None and self.used + self.wanted.amount > most

    def add(self) -> None:
        """Count what is wanted."""
        parts, part = _parts_of(self.row, self.now), _part(self.row.seconds, self.now)
        parts[part] = parts.get(part, 0) + self.wanted.amount
        self.row.parts = {str(number): amount for number, amount in parts.items()}
        self.row.changed_at = self.now


def lock_counts(actor: Actor, wanted: Sequence[Countable]) -> list[Count]:
    """Return the counts of what is wanted, held against others until the transaction ends."""
    if not wanted:
        return []
    now = timezone.now()
    rows = _rows(actor, wanted)
    missing = sorted({one.key for one in wanted} - rows.keys())
    if missing:
        # Of two at once the second waits here until the first is done.
        QuotaUse.objects.bulk_create(
            (
                QuotaUse(
                    workspace_id=actor.workspace_id, per=per, subject=subject, what=what,
                    seconds=seconds, changed_at=now,
                )
                for per, subject, what, seconds in missing
            ),
            ignore_conflicts=True,
        )  # fmt: skip
        rows = _rows(actor, wanted)
    return [Count(one, rows[one.key], now) for one in wanted]


def add(counts: Sequence[Count]) -> None:
    """Count what is wanted of each, and store it."""
    for one in counts:
        one.add()
    if len(counts) == 1:
        counts[0].row.save(update_fields=["parts", "changed_at"])
    elif counts:
        rows = [one.row for one in counts]
        QuotaUse.objects.bulk_update(rows, ["parts", "changed_at"], batch_size=500)


def used(row: QuotaUse, now: datetime) -> int:
    """Return how much of a row counts at a time."""
    return sum(_parts_of(row, now).values())


def purge_counts(now: datetime | None = None) -> int:
    """Remove counts of which nothing counts any more, some at a time; return how many."""
    before = (now or timezone.now()) - timedelta(seconds=LONGEST * (PARTS + 1) / PARTS)
    old = QuotaUse.objects.filter(changed_at__lt=before).order_by("changed_at")
    keys = list(old.values_list("pk", flat=True)[:_PURGED_AT_ONCE])
    return QuotaUse.objects.filter(pk__in=keys, changed_at__lt=before).delete()[0]


def _rows(actor: Actor, wanted: Sequence[Countable]) -> dict[tuple[str, str, str, int], QuotaUse]:
    """Return the rows that there are, locked in the order of their keys."""
    alike: dict[tuple[str, str, int], set[str]] = {}
    for one in wanted:
        per, subject, what, seconds = one.key
        alike.setdefault((per, what, seconds), set()).add(subject)
    chosen = reduce(
        or_,
        (
            Q(per=per, what=what, seconds=seconds, subject__in=subjects)
            for (per, what, seconds), subjects in alike.items()
        ),
    )
    rows = QuotaUse.objects.visible_to(actor.within(actor.workspace_id)).filter(chosen)
    found = rows.select_for_update().order_by("pk")
    return {(row.per, row.subject, row.what, row.seconds): row for row in found}


def _part(seconds: int, now: datetime) -> int:
    return int(now.timestamp() * PARTS // seconds)


def _parts_of(row: QuotaUse, now: datetime) -> dict[int, int]:
    """Return the parts that count. The oldest does whole: some of it is within the time."""
    first = _part(row.seconds, now) - PARTS
    parts = {int(number): amount for number, amount in row.parts.items()}
    return {number: amount for number, amount in parts.items() if number >= first}
