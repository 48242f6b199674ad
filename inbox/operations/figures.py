"""How much waits and how late it is, over all workspaces: what an operator looks at."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Min, Q
from django.utils import timezone

from inbox.models import Job, JobState, Pace, Submission, SyncState
from inbox.models.remote import SyncStatus

# Failures are told of for so long.
LATELY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """The jobs of one pace: how many are due or wait for their time, and the oldest due one's age.

    The age is in seconds, 0 where nothing is due.
    """

    pace: str
    due: int
    later: int
    oldest_seconds: float


@dataclass(frozen=True, slots=True)
class SyncFigures:
    """How the mirrors do: how many accounts in each status, and how old the oldest mirror is.

    The age is in seconds, 0 where nothing is mirrored; paused and first syncs do not count.
    """

    accounts: dict[str, int]
    oldest_seconds: float


def queue_figures(now: datetime | None = None) -> list[QueueFigures]:
    """Return the figures of the jobs that wait, for each pace."""
    now = now or timezone.now()
    due = Q(run_at__lte=now)
    rows: dict[int, Any] = {
        row["pace"]: row
        for row in Job.objects.filter(state=JobState.QUEUED)
        .values("pace")
        .annotate(due=Count("pk", filter=due), later=Count("pk", filter=~due), oldest=Min("run_at"))
    }
    nothing = {"due": 0, "later": 0, "oldest": now}
    return [
        QueueFigures(
            pace=pace.name.lower(), due=row["due"], later=row["later"],
            oldest_seconds=_age(row["oldest"], now),
        )
        for pace in Pace
        for row in [rows.get(pace.value, nothing)]
    ]  # fmt: skip


def jobs_under_way() -> int:
    """Return how many jobs some worker has taken."""
    return Job.objects.filter(state=JobState.RUNNING).count()


def jobs_failed_lately(now: datetime | None = None) -> int:
    """Return how many jobs were given up within the last day."""
    since = (now or timezone.now()) - LATELY
    return Job.objects.filter(state=JobState.FAILED, finished_at__gte=since).count()


def submissions_by_state() -> dict[str, int]:
    """Return how many submissions there are in each state; none is ever removed once released."""
    rows = Submission.objects.values_list("state").annotate(count=Count("pk")).order_by()
    return dict(rows)


def sync_figures(now: datetime | None = None) -> SyncFigures:
    """Return the figures of all mirrors."""
    now = now or timezone.now()
    counted = SyncState.objects.values_list("status").annotate(count=Count("pk")).order_by()
    mirrored = SyncState.objects.exclude(first_done_at=None).exclude(status=SyncStatus.PAUSED)
    oldest = mirrored.aggregate(oldest=Min("current_at"))["oldest"]
    return SyncFigures(dict(counted), _age(oldest, now))


def _age(at: datetime | None, now: datetime) -> float:
    return max(0.0, (now - at).total_seconds()) if at else 0.0
