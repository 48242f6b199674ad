"""Threads that carry the jobs on one machine, beside the web or in a process of their own."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime

from django.db import close_old_connections, connections

from inbox import jobs

POLL = 1.0

log = logging.getLogger(__name__)


class Worker:
    """Runs jobs, and what is periodic, until it is stopped.

    Some threads are for urgent jobs only, so that sending never waits behind a backlog, nor behind
    one server that is slow. They wake when this process enqueues something, and look once a second
    for what others enqueued.
    """

    def __init__(self, threads: int = 1, urgent: int = 3) -> None:
        self._stopping = threading.Event()
        loops: list[tuple[str, Callable[[], bool]]] = [
            *((f"urgent-{number}", _run_urgent) for number in range(1, urgent + 1)),
            *((f"jobs-{number}", _run_next) for number in range(1, threads + 1)),
            ("periodic", _run_periodic),
        ]
        self._wakes = [threading.Event() for _ in loops]
        self._threads = [
            threading.Thread(target=self._loop, args=(step, wake), name=name, daemon=True)
            for (name, step), wake in zip(loops, self._wakes, strict=True)
        ]
        self._remove_waker: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begin; returns at once."""
        self._remove_waker = jobs.add_waker(self._wake)
        for thread in self._threads:
            thread.start()

    def stop(self, timeout: float = 2.0) -> bool:
        """End after the jobs under way, in at most so many seconds; tell whether all ended.

        What has not ended by then is taken up by another worker when its lease is over.
        """
        self._remove_waker()
        self._stopping.set()
        self._wake()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _wake(self, run_at: datetime | None = None) -> None:  # noqa: ARG002
        for wake in self._wakes:
            wake.set()

    def _loop(self, step: Callable[[], bool], wake: threading.Event) -> None:
        try:
            while not self._stopping.is_set():
                wake.clear()
                if not _safely(step):
                    wake.wait(POLL)
        finally:
            connections.close_all()


def _safely(step: Callable[[], bool]) -> bool:
    """Take one step; whatever goes wrong, such as a database that is away, ends no thread."""
    try:
        close_old_connections()
        return step()
    except BaseException:
        log.exception("the worker had trouble and goes on")
        return False


def _run_urgent() -> bool:
    return _run_next(urgent_only=True)


def _run_next(*, urgent_only: bool = False) -> bool:
    job = jobs.claim(urgent_only=urgent_only)
    if job is not None:
        jobs.run(job)
    return job is not None


def _run_periodic() -> bool:
    jobs.run_periodic()
    return False
