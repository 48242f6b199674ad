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

from django.db import connections

from inbox.models import Submission
from tests.faults.hasty import sign_of
from tests.faults.sights import Held, Sights, choose, process_with_port
from tests.machines.brokers import Broker, OwnBroker, until

WORKERS = 2
LONGEST_LIFE = 3.0
# How long to wait for a message that comes to the verb where somebody is to die.
LONGEST_AIM = 10.0
LONGEST_STOP = 3.0
# Asked to end, a worker finishes the stretch it is at.
LONGEST_END = 60.0


class Crew:
    """They work while the block lasts; `notes` counts what was done to them."""

    def __init__(self, broker: Broker, sights: Sights, chance: random.Random) -> None:
        self.notes: Counter[str] = Counter()
        self._broker, self._sights, self._chance = broker, sights, chance
        self._workers: list[subprocess.Popen[bytes]] = []
        self._rest = threading.Event()
        self._thread = threading.Thread(target=self._disturb, name="killer", daemon=True)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
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
        """Kill one of them, or trouble the broker, until it is enough; first one dies sending."""
        weighted: dict[Callable[[], None], int] = {
            self._kill_in_the_middle: 6, self._kill: 2, self._forget: 2, self._repeat: 2,
            self._stop: 1 if isinstance(self._broker, OwnBroker) else 0,
        }  # fmt: skip
        actions = [self._kill_in_the_middle]
        try:
            while actions:
                actions.pop(0)()
                if not self._rest.wait(self._chance.uniform(0, LONGEST_LIFE)):
                    actions = self._chance.choices(list(weighted), list(weighted.values()))
                if not self.notes[DEATHS] and actions:
                    actions = [self._kill_in_the_middle]
        finally:
            connections.close_all()

    # -- the broker --------------------------------------------------------------------------------
    def _forget(self) -> None:
        self._broker.empty()
        self.notes["times the broker was emptied"] += 1

    def _repeat(self) -> None:
        self._broker.deliver_again(10)
        self.notes["times a job was delivered ten times"] += 1

    def _stop(self) -> None:
        if isinstance(self._broker, OwnBroker):
            self._broker.stop()
            time.sleep(self._chance.uniform(0, LONGEST_STOP))
            self._broker.start()
            self.notes["times the broker was stopped"] += 1

    # -- the workers -------------------------------------------------------------------------------
    def _kill_in_the_middle(self) -> None:
        """Wait for a message that comes to some verb, and have die whoever sends it."""
        try:
            # The first time wherever somebody comes by soon: a short run has few messages.
            verb = choose(self._chance) if self.notes[DEATHS] else "connect"
            held = self._sights.hold(verb, LONGEST_AIM)
            number = self._worker_of(held)
            if number is None:
                self.notes["times nobody came to where one was to die"] += 1
            else:
                self._kill(number, held)
        finally:
            self._sights.release()

    def _worker_of(self, held: Held | None) -> int | None:
        """Return the number of the worker that holds this conversation, while it does."""
        among = {process.pid: number for number, process in enumerate(self._workers)}
        return process_with_port(held.port, among) if held else None

    def _kill(self, number: int | None = None, held: Held | None = None) -> None:
        """Have one end, and another take its place; some time it is held in the middle of a send."""
        number = self._chance.randrange(WORKERS) if number is None else number
        process = self._workers[number]
        ends = list(_ENDS.items())
        note, end = self._chance.choice(ends if self.notes[DEATHS] else ends[1:])
        if end is not subprocess.Popen.terminate:
            self._note_death(held)
        end(process)
        self.notes[note] += 1
        if end is subprocess.Popen.terminate:
            # It is to finish what it is at.
            self._sights.release()
        self._see_off(process)
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

    def _note_death(self, held: Held | None) -> None:
        """Count a death that falls into a send: who dies now is at the verb, its mail `sending`.

        A child that outlives its parent is held there, too, until it is killed or ends by itself.
        """
        if held is None or self._worker_of(held) is None:
            return
        port = held.server_port
        if Submission.objects.filter(state="sending", account__settings__smtp_port=port).exists():
            self.notes[f"{DEATHS}, at {held.verb}"] += 1
            self.notes[DEATHS] += 1


def _kill_all(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)


DEATHS = "deaths in the middle of a send"
_ENDS: dict[str, Callable[[subprocess.Popen[bytes]], None]] = {
    "times TERM to a worker": subprocess.Popen.terminate,
    "times KILL to a worker": subprocess.Popen.kill,
    "times KILL to a worker and its children": _kill_all,
}
