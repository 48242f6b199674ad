"""Two Celery workers and a beat, one of which dies again and again, and a broker that forgets."""

import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Self

import redis

from tests.faults.hasty import sign_of
from tests.machines.brokers import Broker, until

WORKERS = 2
LONGEST_LIFE = 3.0
# Asked to end, a worker finishes the stretch it is at.
LONGEST_END = 60.0


class Crew:
    """They work while the block lasts; `notes` counts what was done to them."""

    def __init__(self, broker: Broker, chance: random.Random) -> None:
        self.notes: Counter[str] = Counter()
        self._broker, self._chance = broker, chance
        self._redis = redis.Redis.from_url(broker.url)
        self._workers: list[subprocess.Popen[bytes]] = []
        self._rest = threading.Event()
        self._thread = threading.Thread(target=self._disturb, name="killer", daemon=True)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.callback(self._redis.close)
            stack.callback(self._end)
            stack.enter_context(self._broker.beat())
            self._workers = [self._broker.start_worker() for _ in range(WORKERS)]
            until(self._are_ready)
            stack.callback(self.rest)
            self._thread.start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def rest(self) -> None:
        """Disturb them no longer; all of them are at work afterwards."""
        self._rest.set()
        self._thread.join()
        until(self._are_ready)

    def _are_ready(self) -> bool:
        return all(sign_of(it.pid).exists() for it in self._workers)

    def _end(self) -> None:
        for process in self._workers:
            process.terminate()
        for process in self._workers:
            self._see_off(process)

    def _disturb(self) -> None:
        """Kill one of them, or have the broker forget, until it is enough; at least one dies."""
        deeds: list[Callable[[], None]] = [self._kill]
        while deeds:
            deeds.pop(0)()
            if not self._rest.wait(self._chance.uniform(0, LONGEST_LIFE)):
                deeds = self._chance.choices((self._kill, self._forget), (3, 1))

    def _forget(self) -> None:
        self._redis.flushdb()
        self.notes["times the broker was emptied"] += 1

    def _kill(self) -> None:
        """Have one end, and another take its place."""
        number = self._chance.randrange(WORKERS)
        process = self._workers[number]
        note, end = self._chance.choice(list(_ENDS.items()))
        end(process)
        self._see_off(process)
        self.notes[note] += 1
        self._workers[number] = self._broker.start_worker()
        until(lambda: sign_of(self._workers[number].pid).exists())

    def _see_off(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for its end, and that of the processes it leaves behind."""
        try:
            process.wait(LONGEST_END)
        except subprocess.TimeoutExpired:
            self.notes["times a worker did not end when it was asked"] += 1
            process.kill()
            process.wait()
        # A child whose parent was killed may still do some work.
        time.sleep(self._chance.uniform(0, 1))
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        sign_of(process.pid).unlink(missing_ok=True)


def _kill_all(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)


_ENDS: dict[str, Callable[[subprocess.Popen[bytes]], None]] = {
    "times TERM to a worker": subprocess.Popen.terminate,
    "times KILL to a worker": subprocess.Popen.kill,
    "times KILL to a worker and its children": _kill_all,
}
