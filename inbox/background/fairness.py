"""Which job comes next: of each pace, the lanes take turns, so that no backlog holds up another.

A lane is an account, or a workspace where no account is concerned. The index `job_due` has the
queued jobs by pace, lane, priority and time; from one group of them to the next is a step in it,
so that neither a long backlog nor what waits for its time makes the choice slower.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from itertools import accumulate, takewhile
from typing import TypeVar

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from inbox.models import Job, JobState, Pace

Row = TypeVar("Row")

# Of the urgent jobs of one account so many run at once: a server that hangs leaves room for others.
MOST_URGENT = 2
# What is written at once while there is urgent work, or was so many seconds ago: rows, and what
# they weigh together. Each of these keeps others from writing for about 20 ms.
SMALL_SHARE, SMALL_WEIGHT = 10, 100_000
LATELY = 5.0
# What rows may weigh together that are written at once while there is none.
LARGE_WEIGHT = 1_000_000
_NO_LIMIT = 1_000_000
_LOWEST, _HIGHEST = -(2**62), 2**62
_BEFORE_ALL, _AFTER_ALL = -(2**15), 2**15 - 1

# From the lane and priority where we are to the next in the index, be it in the lane or beyond.
_QUEUED = "FROM inbox_job WHERE state = 'queued' AND pace = %(pace)s"
_IN_LANE = f"{_QUEUED} AND lane = step.lane AND priority > step.priority ORDER BY priority LIMIT 1"
_BEYOND = f"{_QUEUED} AND lane > step.lane AND lane <= %(high)s ORDER BY lane LIMIT 1"
_GROUP = f"""
WITH RECURSIVE step (lane, priority) AS (
  SELECT CAST(%(lane)s AS bigint), %(priority)s
  UNION ALL
  SELECT COALESCE((SELECT lane {_IN_LANE}), (SELECT lane {_BEYOND})),
    COALESCE((SELECT priority {_IN_LANE}), {_BEFORE_ALL})
  FROM step WHERE step.lane IS NOT NULL
)
SELECT lane, priority FROM step
WHERE lane IS NOT NULL AND NOT (lane = %(lane)s AND priority = %(priority)s)
  AND EXISTS (
    SELECT 1 FROM inbox_job AS due WHERE due.state = 'queued' AND due.pace = %(pace)s
      AND due.lane = step.lane AND due.priority = step.priority AND due.run_at <= %(now)s)
  AND lane NOT IN (
    SELECT busy.lane FROM inbox_job AS busy WHERE busy.state = 'running' AND busy.lane > 0
      AND busy.pace = %(pace)s AND busy.leased_until > %(now)s
    GROUP BY busy.lane HAVING COUNT(*) >= %(most)s)
LIMIT 1
"""  # noqa: S608 (made of the constants above)

# The lane that was served last in this process, by pace.
_SERVED: dict[Pace, int] = {}
# When this process last saw an urgent job at work, by its monotonic clock.
_NOTED: dict[str, float] = {}


# The lane of the job that runs here, if it is an account's.
_LANE: ContextVar[int] = ContextVar("lane", default=0)


def lane_of(workspace_id: int | None, account_id: int | None) -> int:
    """Return the lane of a job: its account, else its workspace below zero, else 0.

    What a job of an account causes, and names no account, waits in that account's turn as well.
    """
    return account_id or _LANE.get() or -(workspace_id or 0)


@contextmanager
def in_lane(lane: int) -> Iterator[None]:
    """Have what is enqueued meanwhile wait in this lane, if it is an account's."""
    token = _LANE.set(max(lane, 0))
    try:
        yield
    finally:
        _LANE.reset(token)


def due_jobs(pace: Pace, now: datetime) -> Iterator[QuerySet[Job]]:
    """Yield what is due, by lane and priority; the lane that was served last comes last.

    Each group is found when it is asked for.
    """
    turn = _SERVED.get(pace, _LOWEST)
    for low, high in ((turn, _HIGHEST), (_LOWEST, turn)):
        at = (low, _AFTER_ALL)
        while group := _next_group(pace, now, at, high):
            at = group
            yield Job.objects.filter(
                state=JobState.QUEUED, pace=pace, lane=group[0], priority=group[1], run_at__lte=now
            ).order_by("run_at", "id")


def served(job: Job) -> None:
    """Note whose turn it was."""
    _SERVED[Pace(job.pace)] = job.lane


def _next_group(
    pace: Pace, now: datetime, after: tuple[int, int], high: int
) -> tuple[int, int] | None:
    values = {
        "pace": pace.value, "now": connection.ops.adapt_datetimefield_value(now), "high": high,
        "lane": after[0], "priority": after[1],
        "most": MOST_URGENT if pace == Pace.URGENT else _NO_LIMIT,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_GROUP, values)
        found: tuple[int, int] | None = cursor.fetchone()
    return found


def _nothing(_: object) -> int:
    return 0


def in_shares(
    rows: Sequence[Row], weigh: Callable[[Row], int] = _nothing
) -> Iterator[Sequence[Row]]:
    """Yield rows in the shares in which they should be written, each in a transaction of its own.

    It is all of them at once, or SMALL_SHARE at a time while `has_urgent_work`; and fewer where
    they weigh much, by the characters of each, but one at least.
    """
    start = 0
    while start < len(rows):
        is_urgent = has_urgent_work()
        most = SMALL_SHARE if is_urgent else len(rows)
        share = _light(
            rows[start : start + most], weigh, SMALL_WEIGHT if is_urgent else LARGE_WEIGHT
        )
        yield share
        start += len(share)


def _light(rows: Sequence[Row], weigh: Callable[[Row], int], most: int) -> Sequence[Row]:
    """Return the first rows, one at least, that do not weigh too much together."""
    weights = accumulate(weigh(row) for row in rows)
    return rows[: max(sum(1 for _ in takewhile(lambda weight: weight <= most, weights)), 1)]


def has_urgent_work() -> bool:
    """Return True if long transactions hold up urgent jobs, which are at work, or were lately.

    It is so where only one writes at a time, as with SQLite.
    """
    if connection.vendor != "sqlite":
        return False
    if _is_urgent_at_work():
        _NOTED["urgent"] = time.monotonic()
    return time.monotonic() - _NOTED.get("urgent", -LATELY) < LATELY


def _is_urgent_at_work() -> bool:
    now = timezone.now()
    jobs = Job.objects.filter(pace=Pace.URGENT)
    running = jobs.filter(state=JobState.RUNNING, leased_until__gt=now)
    return running.exists() or jobs.filter(state=JobState.QUEUED, run_at__lte=now).exists()
