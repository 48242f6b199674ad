"""Durable work: enqueue in the transaction that causes it, claim by lease, sweep.

`Job` rows are the truth. An in-process worker (`manage.py up`) or Celery carries them; a handler
may run twice and must do its work once.

Handlers stand in a module `job_handlers` of each app, which is loaded with the apps in every
process, web and worker alike (`inbox.loading` tells of the one exception).
"""

import logging
import random
import secrets
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeAlias

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from inbox.background.fairness import due_jobs, in_lane, lane_of, served
from inbox.background.heartbeat import renewed
from inbox.background.periodic import periodic
from inbox.background.request_ids import current_request_id, for_request
from inbox.background.traces import current_trace, within_trace
from inbox.models import Job, JobState, Pace

Payload: TypeAlias = dict[str, Any]
Handler: TypeAlias = Callable[[Payload], None]
Waker: TypeAlias = Callable[[datetime, Pace], None]
Recorder: TypeAlias = Callable[[str, Payload, int], None]

log = logging.getLogger(__name__)
LEASE = timedelta(seconds=60)
LONGEST_LEASE = timedelta(hours=1)
# Priorities up to this one go before everything else.
URGENT = 1
LONGEST_PAUSE = timedelta(hours=1)
LONGEST_ERROR = 4000
SWEPT_AT_ONCE = 500
# How long finished jobs stay to be seen; the key of one that was removed may be used again.
KEEP_DONE = timedelta(days=3)
KEEP_FAILED = timedelta(days=90)
REMOVED_AT_ONCE = 5000
_RANDOM = random.SystemRandom()


class RetryLater(Exception):  # noqa: N818
    """Raised by a handler: the work could not be done now and should be tried again.

    `at` is when: it waits for something, and the attempt does not count. None leaves it to the
    usual pauses.
    """

    def __init__(self, words: str = "", at: datetime | None = None) -> None:
        super().__init__(words)
        self.at = at


@dataclass(frozen=True)
class _Registered:
    run: Handler
    lease: timedelta


_HANDLERS: dict[str, _Registered] = {}
_SUBSCRIBERS: dict[str, list[str]] = {}
_WAKERS: list[Waker] = []
_RECORDERS: list[Recorder] = []


def handler(kind: str, *, lease: timedelta = LEASE) -> Callable[[Handler], Handler]:
    """Register the function that does the work of this kind; the lease is an hour at most."""
    if lease > LONGEST_LEASE:
        raise ValueError(f"a lease longer than {LONGEST_LEASE} for the job {kind!r}")

    def register(function: Handler) -> Handler:
        if kind in _HANDLERS:
            raise ValueError(f"two handlers for the job {kind!r}")
        _HANDLERS[kind] = _Registered(function, lease)
        return function

    return register


def run_now(kind: str, payload: Payload) -> None:
    """Do the work of this kind in the caller's thread, for one who waits; there is no job of it.

    Raises what the handler raises, and LookupError where there is none.
    """
    _registered(kind).run(payload)


def kinds() -> frozenset[str]:
    """Return the kinds of work that are registered."""
    return frozenset(_HANDLERS)


def _registered(kind: str) -> _Registered:
    if kind not in _HANDLERS:
        raise LookupError(f"no handler for the job {kind!r}")
    return _HANDLERS[kind]


def subscribe(fact: str, kind: str, *, lease: timedelta = LEASE) -> Callable[[Handler], Handler]:
    """Register a handler that runs, as a job of its own, for each publication of a fact."""

    def register(function: Handler) -> Handler:
        registered = handler(kind, lease=lease)(function)
        _SUBSCRIBERS.setdefault(fact, []).append(kind)
        return registered

    return register


def add_waker(waker: Waker) -> Callable[[], None]:
    """Call `waker(run_at, pace)` after each commit with a new job; returns what takes it off again.

    It must neither block nor raise: the rows are the truth, and it only saves waiting.
    """
    _WAKERS.append(waker)

    def remove() -> None:
        with suppress(ValueError):
            _WAKERS.remove(waker)

    return remove


def enqueue(
    kind: str,
    payload: Payload,
    *,
    workspace_id: int | None = None,
    account_id: int | None = None,
    key: str | None = None,
    run_at: datetime | None = None,
    priority: int = 5,
    slow: bool = False,
    max_attempts: int = 8,
) -> None:
    """Add a job, in the caller's transaction; once for each `key`.

    Accounts take turns, and workspaces with what concerns no account; in its turn lower priorities
    run first. Up to URGENT, and `slow` ones that take many seconds, have workers of their own.
    """
    job = Job(
        kind=kind, payload=payload, key=key, run_at=run_at or timezone.now(),
        max_attempts=max_attempts, **_turn(workspace_id, account_id, priority, slow=slow),
    )  # fmt: skip
    Job.objects.bulk_create([job], ignore_conflicts=key is not None)
    if _WAKERS:
        wake_on_commit(job.run_at, Pace(job.pace))


def enqueue_many(
    kind: str,
    payloads: Sequence[Payload],
    *,
    workspace_id: int,
    account_id: int | None = None,
    priority: int = 5,
) -> None:
    """Add a job for each payload, with one statement."""
    now = timezone.now()
    turn = _turn(workspace_id, account_id, priority)
    Job.objects.bulk_create(
        [Job(kind=kind, payload=payload, run_at=now, **turn) for payload in payloads],
        batch_size=500,
    )
    if payloads and _WAKERS:
        wake_on_commit(now, turn["pace"])


def _turn(
    workspace_id: int | None, account_id: int | None, priority: int, *, slow: bool = False
) -> dict[str, Any]:
    """Return what decides when a job runs, and whose it is."""
    pace = Pace.URGENT if priority <= URGENT else Pace.SLOW if slow else Pace.QUICK
    return {
        "workspace_id": workspace_id, "account_id": account_id, "priority": priority, "pace": pace,
        "lane": lane_of(workspace_id, account_id), "request_id": current_request_id(),
        "trace_parent": current_trace(),
    }  # fmt: skip


def wake_on_commit(run_at: datetime, pace: Pace) -> None:
    """Tell the workers of this process of a job, once the transaction is through."""

    def wake() -> None:
        for waker in tuple(_WAKERS):
            waker(run_at, pace)

    # Robust: what a waker may raise is not the trouble of whoever enqueued.
    transaction.on_commit(wake, robust=True)


def record_facts(recorder: Recorder) -> Recorder:
    """Register a function that hears of each fact at once, in the transaction of its cause.

    It gets the fact, its payload and the workspace, and may do no more than write a row.
    """
    _RECORDERS.append(recorder)
    return recorder


def publish(
    fact: str,
    payload: Payload,
    *,
    workspace_id: int,
    account_id: int | None = None,
    priority: int = 5,
) -> None:
    """Tell of a fact, in the caller's transaction: one job for each who subscribed to it."""
    for recorder in _RECORDERS:
        recorder(fact, payload, workspace_id)
    for kind in _SUBSCRIBERS.get(fact, ()):
        enqueue(kind, payload, workspace_id=workspace_id, account_id=account_id, priority=priority)


def claim(now: datetime | None = None, *, paces: Iterable[Pace] = Pace) -> Job | None:
    """Take the job whose turn it is, or return None; compare-and-set, so by one only.

    Of the paces the first goes before everything else. Within one, each account has its turn, so
    that the backlog of one does not hold up another.
    """
    now = now or timezone.now()
    for pace in paces:
        for rows in due_jobs(pace, now):
            if job := _take_first(rows, now):
                served(job)
                return job
    return None


def _take_first(rows: QuerySet[Job], now: datetime) -> Job | None:
    # Many workers: each passes over the rows that another is just taking. Where only one writes at
    # a time, as with SQLite, the transaction has them to itself.
    if connection.features.has_select_for_update_skip_locked:
        rows = rows.select_for_update(skip_locked=True)
    with transaction.atomic():
        return _first_taken(rows[:1], now)


def _first_taken(rows: QuerySet[Job], now: datetime) -> Job | None:
    for job in rows:
        fence = secrets.token_hex(16)
        taken = Job.objects.filter(pk=job.pk, state=JobState.QUEUED).update(
            state=JobState.RUNNING, fence=fence, leased_until=now + _lease(job),
            attempts=job.attempts + 1,
        )  # fmt: skip
        if taken:
            job.fence, job.attempts = fence, job.attempts + 1
            return job
    return None


def _lease(job: Job) -> timedelta:
    return _HANDLERS[job.kind].lease if job.kind in _HANDLERS else LEASE


def run(job: Job) -> None:
    """Do a claimed job, renewing its lease meanwhile, and record what came of it."""
    with for_request(job.request_id), in_lane(job.lane), within_trace(job.trace_parent):
        _run(job)


def _run(job: Job) -> None:
    try:
        registered = _registered(job.kind)
        with renewed(partial(_renew, job), registered.lease):
            registered.run(job.payload)
    except RetryLater as error:
        if error.at is None:
            _finish_badly(job, str(error))
        else:
            _put_back(_own(job), job, error.at, str(error), attempts=job.attempts - 1)
    except (Exception, SystemExit):  # noqa: BLE001
        words = _storable(traceback.format_exc(limit=8))
        log.error("job %s (%s) failed: %s", job.pk, job.kind, words)  # noqa: TRY400
        _finish_badly(job, words)
    else:
        with transaction.atomic():
            _own(job).update(state=JobState.DONE, finished_at=timezone.now(), error="")


def run_due(limit: int = 1000) -> int:
    """Do the jobs that are due, one after the other; return how many."""
    done = 0
    while done < limit and (job := claim()):
        run(job)
        done += 1
    return done


@periodic(5)
def sweep(now: datetime | None = None) -> int:
    """Free what dead workers held; return how many jobs.

    A job that ended its worker as often as it may be tried is failed: it is itself the cause.
    """
    now = now or timezone.now()
    # No lease is so long: a clock was wrong when it was taken.
    over = Q(leased_until__lt=now) | Q(leased_until__gt=now + LONGEST_LEASE)
    lost = Job.objects.filter(over, state=JobState.RUNNING)
    freed = 0
    for job in lost.order_by("leased_until")[:SWEPT_AT_ONCE]:
        words = "Its worker ended, or lost its lease, before the job was done."
        # Not what was renewed since it was read.
        freed += _finish_badly(job, words, rows=_own(job).filter(leased_until=job.leased_until))
    return freed


@periodic(600)
def remove_finished(now: datetime | None = None) -> int:
    """Remove old finished jobs, a bounded number at a time; return how many."""
    now = now or timezone.now()
    done = Job.objects.filter(state=JobState.DONE, finished_at__lt=now - KEEP_DONE)
    failed = Job.objects.filter(state=JobState.FAILED, finished_at__lt=now - KEEP_FAILED)
    removed = 0
    for rows in (done, failed):
        keys = list(rows.order_by("finished_at").values_list("pk", flat=True)[:REMOVED_AT_ONCE])
        removed += Job.objects.filter(pk__in=keys).delete()[0]
    return removed


def _finish_badly(job: Job, error: str, rows: QuerySet[Job] | None = None) -> int:
    now = timezone.now()
    rows = _own(job) if rows is None else rows
    if job.attempts >= job.max_attempts:
        log.error("job %s (%s) is given up after %s attempts", job.pk, job.kind, job.attempts)
        return rows.update(state=JobState.FAILED, finished_at=now, error=_storable(error))
    pause = min(timedelta(seconds=2 ** min(job.attempts, 12)), LONGEST_PAUSE)
    # At random, so that what failed together does not come back together.
    run_at = now + pause * _RANDOM.uniform(0.5, 1)
    return _put_back(rows, job, run_at, error, attempts=job.attempts)


def _put_back(rows: QuerySet[Job], job: Job, run_at: datetime, error: str, *, attempts: int) -> int:
    updated = rows.update(
        state=JobState.QUEUED, fence="", run_at=run_at, error=_storable(error), attempts=attempts
    )
    if updated and _WAKERS:
        wake_on_commit(run_at, Pace(job.pace))
    return updated


def _storable(error: str) -> str:
    """Return the end of what a handler raised; it may quote a NUL or half a character."""
    return error[-LONGEST_ERROR:].replace("\0", "�").encode("utf-8", "replace").decode()


def _renew(job: Job) -> bool:
    return bool(_own(job).update(leased_until=timezone.now() + _lease(job)))


def _own(job: Job) -> QuerySet[Job]:
    """Return the row while it is still ours: whoever took it over has another fence."""
    return Job.objects.filter(pk=job.pk, state=JobState.RUNNING, fence=job.fence)
