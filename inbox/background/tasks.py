"""The same jobs, carried by Celery where `CELERY_BROKER_URL` names a broker.

A message says only that there may be something to do: lost, late or delivered ten times, the rows
decide. What no message tells of, `inbox.sweep` finds, which Celery's beat sends every few seconds.
"""

import logging
import math
import os
import threading
import time
from datetime import datetime, timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from inbox.background import jobs
from inbox.background.fairness import due_jobs
from inbox.background.periodic import run_periodic
from inbox.models import Pace

# A task runs jobs for so long, in seconds, and then makes room, asking for another: also for a
# worker that is to end.
STRETCH = 10.0
# Later work is left to the sweep.
FORESEEN = timedelta(minutes=15)
# A message that waited so long, in seconds, is of no use: the sweep was there before.
EXPIRES = 120

log = logging.getLogger(__name__)


@shared_task(name="inbox.run_jobs")
def run_jobs(pace: int = Pace.QUICK) -> int:
    """Run what is due of a pace, urgent jobs before quick ones; return how many."""
    wanted = Pace(pace)
    paces = (Pace.URGENT, Pace.QUICK) if wanted == Pace.QUICK else (wanted,)
    done, end = 0, time.monotonic() + STRETCH
    while job := jobs.claim(paces=paces):
        jobs.run(job)
        done += 1
        if time.monotonic() > end:
            BELL(timezone.now(), wanted)
            break
    return done


@shared_task(name="inbox.sweep")
def sweep() -> int:
    """Do what is periodic, then run the quick jobs that are due; return how many.

    For those of other paces it rings, in case that the broker lost what told of them.
    """
    run_periodic()
    now = timezone.now()
    for pace in (Pace.URGENT, Pace.SLOW):
        if any(True for _ in due_jobs(pace, now)):
            BELL(now, pace)
    return run_jobs()


def queue_of(pace: Pace) -> str:
    """Return the name of the queue that tells of work of this pace."""
    return f"{settings.QUEUES}.{pace.name.lower()}"


class BrokerNotifier:
    """Tells the broker that there is work, from a thread of its own.

    Whoever enqueues never waits for the broker and never hears of its troubles.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start anew: a forked process has none of its parent's threads."""
        self._changed = threading.Condition()
        self._due: set[tuple[int, Pace]] = set()
        self._thread: threading.Thread | None = None

    def __call__(self, run_at: datetime, pace: Pace) -> None:
        """Ring soon for work that is due at that time; many calls may make one message."""
        wait = run_at - timezone.now()
        if wait > FORESEEN:
            return
        with self._changed:
            # Rounded up to the second, so that what is due together rings once.
            self._due.add((max(0, math.ceil(wait.total_seconds())), pace))
            if self._thread is None:
                self._thread = threading.Thread(target=self._ring, name="bell", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _ring(self) -> None:
        while True:
            with self._changed:
                while not self._due:
                    self._changed.wait()
                due, self._due = self._due, set()
            for wait, pace in sorted(due):
                self._send(wait, pace)

    def _send(self, wait: int, pace: Pace) -> None:
        try:
            run_jobs.apply_async(
                args=(pace.value,), queue=queue_of(pace), countdown=wait, expires=wait + EXPIRES,
                retry=False,
            )  # fmt: skip
        except Exception as error:  # noqa: BLE001 (each transport has errors of its own)
            log.warning("the broker was not told of work (%s); the sweep finds it", error)


def ring_on_enqueue() -> None:
    """Have every enqueue of this process ring; called once the apps are ready."""
    jobs.add_waker(BELL)


BELL = BrokerNotifier()
os.register_at_fork(after_in_child=BELL.forget)
