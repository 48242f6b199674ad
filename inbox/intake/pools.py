"""Pools of processes, kept for a while after their work, for they take long to start."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from inbox.intake.garbage import collect_seldom

# How long a pool waits for more work, in seconds.
KEPT = 30.0
# How far the processes of a pool stand behind those that answer people and agents (`nice(2)`).
NICENESS = 10


def can_fork() -> bool:
    """Return True if this process may be forked: it is fastest, but one with threads may hang."""
    return sys.platform == "linux" and threading.active_count() == 1


def start_pool(
    processes: int, initializer: Callable[..., None] | None = None, *arguments: object
) -> ProcessPoolExecutor:
    """Return a pool whose processes end with this one; each calls the initializer first."""
    return ProcessPoolExecutor(
        processes,
        mp_context=multiprocessing.get_context("fork" if can_fork() else "spawn"),
        initializer=_start_worker,
        initargs=(initializer, arguments),
    )


def _stop(timer: threading.Timer) -> None:
    """End the thread of a timer: while there is one, no process is forked off."""
    timer.cancel()
    timer.join()


@dataclass(slots=True)
class IdlePools:
    """Pools of this process that have no work, by their number of processes; one of each."""

    _pools: dict[int, tuple[ProcessPoolExecutor, threading.Timer]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, processes: int) -> ProcessPoolExecutor:
        """Return a pool that waits, or a new one."""
        with self._lock:
            pool, timer = self._pools.pop(processes, (None, None))
        if timer is not None:
            _stop(timer)
        return start_pool(processes) if pool is None else pool

    def give_back(self, pool: ProcessPoolExecutor, processes: int) -> None:
        """Keep a pool that works and has nothing left to do; where one waits already, end it."""
        timer = threading.Timer(KEPT, self._end, (pool, processes))
        timer.daemon = True
        with self._lock:
            if processes not in self._pools:
                self._pools[processes] = pool, timer
                timer.start()
                return
        pool.shutdown(wait=True)

    def close(self) -> None:
        """End what waits."""
        with self._lock:
            waiting, self._pools = [*self._pools.values()], {}
        for pool, timer in waiting:
            _stop(timer)
            pool.shutdown(wait=True)

    def forget(self) -> None:
        """Start anew: a forked process has none of its parent's."""
        self._pools, self._lock = {}, threading.Lock()

    def _end(self, pool: ProcessPoolExecutor, processes: int) -> None:
        with self._lock:
            if self._pools.get(processes, (None, None))[0] is not pool:
                return
            del self._pools[processes]
        pool.shutdown(wait=True)


SPARES = IdlePools()
os.register_at_fork(after_in_child=SPARES.forget)


def _start_worker(initializer: Callable[..., None] | None, arguments: tuple[object, ...]) -> None:
    # Ctrl-C is for the process that writes; it ends the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Reading ahead is nothing that anybody waits for at this moment.
    os.nice(NICENESS)
    collect_seldom()
    if initializer is not None:
        initializer(*arguments)


def _end_with_parent() -> None:
    """End this worker when its parent was killed; it would wait for work forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)
