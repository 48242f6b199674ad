"""Which processes carry jobs: each leaves its name and the time, now and then."""

import os
import socket
from datetime import datetime, timedelta

from django.db.models import Max
from django.utils import timezone

from inbox.background.periodic import periodic
from inbox.models import WorkerProcess

# How often a worker says that it is there, in seconds, and after how long it counts as gone.
SAID_EVERY = 10
GONE_AFTER = timedelta(seconds=90)
REMOVED_AFTER = timedelta(days=1)
# When this process, or the one that it was forked from, read its settings.
_STARTED_AT = timezone.now()


@periodic(SAID_EVERY, in_each_process=True)
def note_worker(now: datetime | None = None) -> None:
    """Write down that this process is at work; forget those that ended long ago."""
    now = now or timezone.now()
    name = f"{socket.gethostname()}:{os.getpid()}"[:200]
    WorkerProcess.objects.update_or_create(
        name=name, defaults={"started_at": _STARTED_AT, "seen_at": now}
    )
    WorkerProcess.objects.filter(seen_at__lt=now - REMOVED_AFTER).delete()


def seconds_since_worker(now: datetime | None = None) -> float | None:
    """Return for how many seconds no worker was seen; None where none ever was."""
    last = WorkerProcess.objects.aggregate(last=Max("seen_at"))["last"]
    return max(0.0, ((now or timezone.now()) - last).total_seconds()) if last else None


def started_before(moment: datetime, now: datetime | None = None) -> list[str]:
    """Return the names of the processes at work that began before then, up to ten of them."""
    since = (now or timezone.now()) - GONE_AFTER
    rows = WorkerProcess.objects.filter(seen_at__gte=since, started_at__lt=moment)
    return list(rows.order_by("name").values_list("name", flat=True)[:10])


def workers_at_work(now: datetime | None = None) -> int:
    """Return how many processes said lately that they carry jobs."""
    since = (now or timezone.now()) - GONE_AFTER
    found: int = WorkerProcess.objects.filter(seen_at__gte=since).count()
    return found
