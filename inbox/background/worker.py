"""Threads that carry the jobs on one machine, beside the web or in a process of their own."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import close_old_connections, connections
from django.utils import timezone

from inbox.background import jobs
from inbox.background.periodic import run_periodic
from inbox.background.precedence import in_background
from inbox.models import Job, Pace

# How often a thread without work looks, in seconds; what is due sooner wakes it.
POLL = 1.0
SOON = timedelta(seconds=POLL)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Loop:
    """What a thread does: jobs of these paces, the first before the others, or what is periodic."""

    name: str
    paces: tuple[Pace, ...]
    wake: threading.Event = field(default_factory=threading.Event)

    def step(self) -> bool:
        """Do a piece of work; tell whether there may be more."""
        if not self.paces:
            run_periodic()
            return False
        job = self._claimed()
        if job is not None:
            with in_background(job.pace != Pace.URGENT):
                jobs.run(job)
        return job is not None

    def _claimed(self) -> Job | None:
        with in_background(Pace.URGENT not in self.paces):
            return jobs.claim(paces=self.paces)


class Worker:
    """Runs jobs, and what is periodic, until it is stopped.

    Some threads are for urgent jobs only, so that sending never waits behind a backlog, nor behind
    one server that is slow; others for slow ones only, so that quick ones never wait behind them.
    They wake when this process enqueues something, and look once a second for what others enqueued.
    """

    def __init__(self, threads: int = 1, urgent: int = 3, slow: int = 3) -> None:
        self._stopping = threading.Event()
        self._loops = [
            *_loops("urgent", urgent, Pace.URGENT),
            *_loops("jobs", threads, Pace.URGENT, Pace.QUICK),
            *_loops("slow", slow, Pace.SLOW),
            *_loops("periodic", 1),
        ]
        self._threads = [
            threading.Thread(target=self._run, args=(loop,), name=loop.name, daemon=True)
            for loop in self._loops
        ]
        self._remove_waker: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begin; returns at once."""
        self._remove_waker = jobs.add_waker(self.wake)
        for thread in self._threads:
            thread.start()

    def stop(self, timeout: float = 2.0) -> bool:
        """End after the jobs under way, in at most so many seconds; tell whether all ended.

        What has not ended by then is taken up by another worker when its lease is over.
        """
        self._remove_waker()
        self._stopping.set()
        for loop in self._loops:
            loop.wake.set()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def wake(self, run_at: datetime, pace: Pace) -> None:
        """Look for jobs of this pace at once, if that is when they are due."""
        if run_at <= timezone.now() + SOON:
            for loop in self._loops:
                if pace in loop.paces:
                    loop.wake.set()

    def _run(self, loop: _Loop) -> None:
        try:
            while not self._stopping.is_set():
                loop.wake.clear()
                if not _safely(loop.step):
                    loop.wake.wait(POLL)
        finally:
            connections.close_all()


def _loops(name: str, count: int, *paces: Pace) -> list[_Loop]:
    return [_Loop(f"{name}-{number}", paces) for number in range(1, count + 1)]


def _safely(step: Callable[[], bool]) -> bool:
    """Take one step; whatever goes wrong, such as a database that is away, ends no thread."""
    try:
        close_old_connections()
        return step()
    except BaseException:
        log.exception("the worker had trouble and goes on")
        return False
