"""The supervisor of `manage.py up`: it starts processes, starts those anew that died, ends all.

It does nothing else and has no threads, so that a process can be forked off it at any time.
"""

import logging
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connections
from django.utils.module_loading import import_string

from agents.management.accepting import Loads
from agents.management.beginning import Shared, begin
from agents.management.parts import LOADS
from inbox.background.heartbeat import rest
from inbox.intake.pools import SPARES, can_fork

# In seconds. All have ended so long after they were asked to; then they are killed.
LONGEST_END: Final = 2.4
# A process that lived so long died of something new, and is started anew at once.
SETTLED: Final = 10.0
# The pauses before one that died early is started anew, doubled each time.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
_LOOK = 1.0
_STOPPING = (signal.SIGINT, signal.SIGTERM)
_WEB, _JOBS = "agents.management.parts.run_web", "agents.management.parts.run_jobs"
# Where `prometheus_client` has the figures of several processes.
_FIGURES = "PROMETHEUS_MULTIPROC_DIR"

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Part:
    """A process that has to be there: what it does, and how it fared."""

    name: str
    run: str
    place: int
    process: BaseProcess | None = None
    started_at: float = 0.0
    early_deaths: int = 0
    not_before: float = 0.0

    def note_death(self, now: float) -> float:
        """Note that it died; return after how many seconds it is to be started anew."""
        is_early = now - self.started_at < SETTLED
        self.early_deaths = self.early_deaths + 1 if is_early else 0
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self.early_deaths - 1)) if is_early else 0.0
        self.not_before = now + pause
        self.process = None
        return pause


@dataclass(slots=True)
class _Ends:
    """The ends of pipes that the supervisor keeps."""

    alive: Connection
    ready: Connection
    # A byte for each signal.
    signals: socket.socket
    others: list[Connection] = field(default_factory=list)


class Supervisor:
    """Keeps so many processes of the web, and one with the jobs, until it is told to end."""

    def __init__(
        self, listening: socket.socket, web_processes: int, on_ready: Callable[[], None]
    ) -> None:
        self._listening, self._number = listening, web_processes
        self._on_ready, self._is_ready = on_ready, False
        self._parts = [_Part(f"web process {at + 1}", _WEB, at) for at in range(web_processes)]
        self._parts.append(_Part("process with the jobs", _JOBS, web_processes))
        self._stops = 0

    def run(self) -> None:
        """Serve until SIGINT or SIGTERM; all has ended 3 seconds later."""
        with _folder() as folder, _signals() as signals:
            self._loads = Loads(folder / LOADS, self._number)
            for place in range(self._number):
                self._loads.note_absent(place)
            _be_alone()
            self._shared, self._ends = self._open(folder, signals)
            try:
                while not self._stops:
                    self._start_what_is_missing()
                    self._wait(_LOOK)
                    self._bury()
            finally:
                self._end_all()

    def _open(self, folder: Path, signals: socket.socket) -> tuple[Shared, _Ends]:
        alive, ours = multiprocessing.Pipe(duplex=False)
        ready, telling = multiprocessing.Pipe(duplex=False)
        bell, ringing = multiprocessing.Pipe(duplex=False)
        shared = Shared(
            self._listening, settings.BASE_URL, folder, self._number, alive, telling, bell, ringing
        )
        return shared, _Ends(ours, ready, signals)

    def _start_what_is_missing(self) -> None:
        for part in self._parts:
            if part.process is None and time.monotonic() >= part.not_before:
                self._start(part)

    def _start(self, part: _Part) -> None:
        method = "fork" if can_fork() else "spawn"
        context: Any = multiprocessing.get_context(method)
        ours = self._ends.alive if method == "fork" else None
        arguments = (part.run, self._shared, part.place, ours)
        part.process = context.Process(target=begin, args=arguments, name=part.name)
        part.process.start()
        part.started_at = time.monotonic()

    def _wait(self, longest: float) -> None:
        """Wait for a signal, a process that serves or one that died."""
        alive = [part.process.sentinel for part in self._parts if part.process]
        due = [part.not_before - time.monotonic() for part in self._parts if not part.process]
        ends = self._ends
        wait = multiprocessing.connection.wait
        ready = wait([*alive, ends.ready, ends.signals], max(0.0, min([longest, *due])))
        if ends.signals in ready:
            given = ends.signals.recv(100)
            self._stops += sum(number in _STOPPING for number in given)
        if ends.ready in ready:
            ends.ready.recv_bytes()
            if not (self._is_ready or self._stops):
                self._is_ready = True
                self._on_ready()

    def _bury(self) -> None:
        for part in self._parts:
            if part.process is None or part.process.exitcode is None:
                continue
            pid, code = part.process.pid, part.process.exitcode
            part.process.close()
            if part.place < self._number:
                self._loads.note_absent(part.place)
            pause = part.note_death(time.monotonic())
            if not self._stops:
                log.error(
                    "%s (%s) ended (%s); it is started anew in %.1f s",
                    part.name, pid, _how(code), pause,
                )  # fmt: skip

    def _end_all(self) -> None:
        """Ask all to end, once for each signal, and kill those that have not in time."""
        self._listening.close()
        deadline, told = time.monotonic() + LONGEST_END, 0
        while any(part.process for part in self._parts):
            if told < max(1, self._stops):
                told = max(1, self._stops)
                self._tell(signal.SIGTERM)
            left = deadline - time.monotonic()
            if left <= 0:
                self._tell(signal.SIGKILL)
            self._wait(max(left, _LOOK / 10))
            self._bury()

    def _tell(self, number: signal.Signals) -> None:
        for part in self._parts:
            if part.process is not None and part.process.pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(part.process.pid, number)


def _be_alone() -> None:
    """End what no fork may take along, and load what all processes need."""
    SPARES.close()
    rest()
    connections.close_all()
    if can_fork():
        import_string(settings.ASGI_APPLICATION)


@contextmanager
def _folder() -> Iterator[Path]:
    folder = _make_folder()
    os.environ.setdefault(_FIGURES, str(folder))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _make_folder() -> Path:
    """Return a new temporary folder, in the data folder where nothing else is writable."""
    try:
        return Path(tempfile.mkdtemp(prefix="chancery-up-"))
    except OSError:
        return Path(tempfile.mkdtemp(prefix="up-", dir=settings.VAR_DIR))


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """Have each signal written as a byte that can be waited for."""
    reading, writing = socket.socketpair()
    for end in (reading, writing):
        end.setblocking(False)
    before = {each: signal.signal(each, lambda *_: None) for each in _STOPPING}
    woken = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    try:
        yield reading
    finally:
        signal.set_wakeup_fd(woken)
        for each, handler in before.items():
            signal.signal(each, handler)
        reading.close()
        writing.close()


def _how(code: int) -> str:
    with suppress(ValueError):
        return f"by {signal.Signals(-code).name}"
    return f"with exit code {code}"
