"""Durable work: enqueue in the transaction that causes it, claim by lease, sweep.

`Job` rows are the truth. An in-process worker (`manage.py up`) or Celery carries them; a handler
may run twice and must do its work once.

Handlers stand in a module `job_handlers` of each app, which is loaded with the apps in every
process, web and worker alike.
"""

import logging
import secrets
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from django.db.models import Q
from django.utils import timezone

from inbox.models import Job, JobState

Payload: TypeAlias = dict[str, Any]
Handler: TypeAlias = Callable[[Payload], None]

log = logging.getLogger(__name__)
LEASE = timedelta(seconds=60)


class RetryLater(Exception):  # noqa: N818
    """Raised by a handler: the work could not be done now and should be tried again."""


@dataclass(frozen=True)
class _Registered:
    run: Handler
    lease: timedelta


_HANDLERS: dict[str, _Registered] = {}
_SUBSCRIBERS: dict[str, list[str]] = {}


def handler(kind: str, *, lease: timedelta = LEASE) -> Callable[[Handler], Handler]:
    """Register the function that does the work of this kind."""

    def register(function: Handler) -> Handler:
        if kind in _HANDLERS:
            raise ValueError(f"two handlers for the job {kind!r}")
        _HANDLERS[kind] = _Registered(function, lease)
        return function

    return register


def subscribe(fact: str, kind: str, *, lease: timedelta = LEASE) -> Callable[[Handler], Handler]:
    """Register a handler that runs, as a job of its own, for each publication of a fact."""

    def register(function: Handler) -> Handler:
        _SUBSCRIBERS.setdefault(fact, []).append(kind)
        return handler(kind, lease=lease)(function)

    return register


def enqueue(
    kind: str,
    payload: Payload,
    *,
    workspace_id: int | None = None,
    key: str | None = None,
    run_at: datetime | None = None,
    priority: int = 5,
    max_attempts: int = 8,
) -> None:
    """Add a job, in the caller's transaction; once for each `key`. Lower priorities run first."""
    job = Job(
        kind=kind, payload=payload, workspace_id=workspace_id, key=key,
        run_at=run_at or timezone.now(), priority=priority, max_attempts=max_attempts,
    )  # fmt: skip
    Job.objects.bulk_create([job], ignore_conflicts=key is not None)


def publish(fact: str, payload: Payload, *, workspace_id: int, priority: int = 5) -> None:
    """Tell of a fact, in the caller's transaction: one job for each who subscribed to it."""
    for kind in _SUBSCRIBERS.get(fact, ()):
        enqueue(kind, payload, workspace_id=workspace_id, priority=priority)


def claim(now: datetime | None = None) -> Job | None:
    """Take the most pressing job that is due, or return None; compare-and-set, so by one only."""
    now = now or timezone.now()
    due = Job.objects.filter(state=JobState.QUEUED, run_at__lte=now)
    for job in due.order_by("priority", "run_at", "id")[:4]:
        fence = secrets.token_hex(16)
        lease = _HANDLERS[job.kind].lease if job.kind in _HANDLERS else LEASE
        taken = Job.objects.filter(pk=job.pk, state=JobState.QUEUED).update(
            state=JobState.RUNNING, fence=fence, leased_until=now + lease, attempts=job.attempts + 1
        )
        if taken:
            job.fence, job.attempts = fence, job.attempts + 1
            return job
    return None


def run(job: Job) -> None:
    """Do a claimed job and record what came of it."""
    try:
        registered = _HANDLERS.get(job.kind)
        if registered is None:
            raise LookupError(f"no handler for the job {job.kind!r}")
        registered.run(job.payload)
    except RetryLater as error:
        _finish_badly(job, str(error))
    except Exception:
        log.exception("job %s (%s) failed", job.pk, job.kind)
        _finish_badly(job, traceback.format_exc(limit=8)[-4000:])
    else:
        _own(job).update(state=JobState.DONE, finished_at=timezone.now(), error="")


def run_due(limit: int = 1000) -> int:
    """Do the jobs that are due, one after the other; return how many."""
    done = 0
    while done < limit and (job := claim()):
        run(job)
        done += 1
    return done


def sweep(now: datetime | None = None) -> int:
    """Free what dead workers held; return how many jobs."""
    now = now or timezone.now()
    lost = Job.objects.filter(state=JobState.RUNNING, leased_until__lt=now)
    return lost.update(state=JobState.QUEUED, fence="", run_at=now)


def _finish_badly(job: Job, error: str) -> None:
    if job.attempts >= job.max_attempts:
        _own(job).update(state=JobState.FAILED, finished_at=timezone.now(), error=error)
        return
    pause = timedelta(seconds=min(2**job.attempts, 3600))
    _own(job).update(state=JobState.QUEUED, run_at=timezone.now() + pause, error=error)


def _own(job: Job) -> Any:
    return Job.objects.filter(Q(pk=job.pk, state=JobState.RUNNING, fence=job.fence))
