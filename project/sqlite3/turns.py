"""Whose turn it is to write: one after the other, over all threads and processes of a machine.

SQLite lets one connection write at a time. Who finds it taken sleeps up to 100 ms before it asks
again, and whoever asks at the right moment goes first: beside a long import others wait very long.
Here the threads of a process wait in order, and the first of each process asks for two locks of a
file (`fcntl(2)`, by bytes): the one lets it be the next, the other write. Nobody can write twice
while another process is next.

Work that nobody waits for, such as an import, goes behind. It has a line of its own, of which one
at a time may ask for a turn. That one takes it when nobody writes, wants to, or did a moment ago;
only when such a moment did not come for long it waits in the line of the others. When these last
asked for a turn, or ended one, stands in the file, by the clock that all processes share.

The order is all that this gives. What keeps writers apart is the lock of SQLite itself, so that a
file that cannot be locked, or a turn that does not come in time, costs nothing but the order.
"""

import fcntl
import os
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from inbox.background.precedence import is_in_background

# The file beside the database.
SUFFIX: Final = "-turns"
# So long, in seconds, a turn is waited for; then SQLite alone says who writes.
LONGEST_WAIT: Final = 10.0
# How often the next one asks, and those behind it, in seconds.
_NEXT, _BEHIND = 0.0005, 0.002
# The bytes of a line: who is the next, and whose turn it is; of all, and of the background.
_OF_ALL, _OF_BACKGROUND = (0, 1), (2, 3)
# So long, in seconds, must nobody have written before work in the background takes a turn; it
# looks so often, and waits among the others after so long.
QUIET: Final = 0.03
LONGEST_PATIENCE: Final = 0.15
_LOOK_AGAIN = 0.002
# Where in the file the time stands, in nanoseconds of CLOCK_MONOTONIC.
_TIME_AT, _TIME = 8, struct.Struct("<q")


class _Line:
    """A line of all threads and processes: in order, and one at a time has what it is for."""

    def __init__(self, opened: Callable[[], int], at: tuple[int, int]) -> None:
        """Keep what opens the file, and may raise OSError, and the two bytes that are locked."""
        self._opened = opened
        self._next, self._having = at
        self._mutex = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._is_taken = False

    def take(self, longest: float) -> bool:
        """Wait so many seconds at most; return whether it came. Raises OSError without a file."""
        end = time.monotonic() + longest
        if not self._take_here(longest):
            return False
        is_locked = False
        try:
            is_locked = self._lock_file(end)
        finally:
            if not is_locked:
                self._pass_on()
        return is_locked

    def end(self) -> None:
        """Let the next one come."""
        self._unlock(self._having)
        self._pass_on()

    def _take_here(self, longest: float) -> bool:
        """Become the one of this process that asks the others."""
        turn = threading.Lock()
        with self._mutex:
            if not self._is_taken:
                self._is_taken = True
                return True
            if longest <= 0:
                return False
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=longest):
            return True
        with self._mutex:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return False
        # It came in the very moment.
        return True

    def _pass_on(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False

    def _lock_file(self, end: float) -> bool:
        """Become the next of all processes, then wait until nobody has it."""
        file = self._opened()
        if not _lock(file, self._next, end, _BEHIND):
            return False
        try:
            return _lock(file, self._having, end, _NEXT)
        finally:
            self._unlock(self._next)

    def _unlock(self, byte: int) -> None:
        with suppress(OSError):
            fcntl.lockf(self._opened(), fcntl.LOCK_UN, 1, byte)


class Turns:
    """The writers of one database."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mutex = threading.Lock()
        self._file: int | None = None
        self._all = _Line(self._opened, _OF_ALL)
        self._background = _Line(self._opened, _OF_BACKGROUND)
        self._thread = 0
        self._is_patient = False

    def take(self, longest: float = LONGEST_WAIT, *, is_patient: bool = False) -> bool:
        """Wait for a turn, so many seconds at most; return whether it is there.

        A thread that has one already has none to wait for: it would wait for itself. Who
        `is_patient` lets those who are not write first, within LONGEST_PATIENCE.
        """
        if self._thread == threading.get_ident():
            return False
        try:
            taken = self._take_behind(longest) if is_patient else self._take_among_all(longest)
        except OSError:
            return False
        if taken:
            self._thread = threading.get_ident()
            self._is_patient = is_patient
        return taken

    def end(self) -> None:
        """End a turn that was taken."""
        is_patient, self._thread = self._is_patient, 0
        if not is_patient:
            self._note_time()
        self._all.end()
        if is_patient:
            self._background.end()

    def forget(self) -> None:
        """Close the file in a process that was forked off; what another holds stays."""
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)

    def _take_among_all(self, longest: float) -> bool:
        self._note_time()
        return self._all.take(longest)

    def _take_behind(self, longest: float) -> bool:
        """Take a turn that nobody else wants, or after some time one among the others."""
        end = time.monotonic() + longest
        if not self._background.take(longest):
            return False
        taken = False
        try:
            taken = self._take_when_quiet() or self._all.take(end - time.monotonic())
        finally:
            if not taken:
                self._background.end()
        return taken

    def _take_when_quiet(self) -> bool:
        """Take a turn in a moment in which nobody else writes; return False if none came."""
        end = time.monotonic() + LONGEST_PATIENCE
        while self._somebody_writes() or not self._all.take(0):
            if time.monotonic() >= end:
                return False
            time.sleep(_LOOK_AGAIN)
        return True

    def _opened(self) -> int:
        with self._mutex:
            if self._file is None:
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
                self._file = os.open(self._path, flags, 0o600)
            return self._file

    def _note_time(self) -> None:
        """Note that somebody who is waited for writes now."""
        with suppress(OSError):
            os.pwrite(self._opened(), _TIME.pack(time.monotonic_ns()), _TIME_AT)

    def _somebody_writes(self) -> bool:
        noted = os.pread(self._opened(), _TIME.size, _TIME_AT)
        if len(noted) < _TIME.size:
            return False
        (at,) = _TIME.unpack(noted)
        since: int = time.monotonic_ns() - at
        # A time that is still to come is from before the machine started.
        return 0 <= since < QUIET * 1e9


def _lock(file: int, byte: int, end: float, pause: float) -> bool:
    """Lock a byte of a file by then; return whether it is."""
    while True:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= end:
                return False
            time.sleep(pause)
        else:
            return True


_ALL: dict[str, Turns] = {}
_ALL_MUTEX = threading.Lock()


def turns_of(database: str) -> Turns:
    """Return the turns of a database file: one object a process, for its locks are a process's."""
    with _ALL_MUTEX:
        found = _ALL.get(database)
        if found is None:
            found = _ALL[database] = Turns(Path(f"{database}{SUFFIX}"))
        return found


def _forget_all() -> None:
    """Begin anew in a process that was forked off: threads that wait are not here."""
    global _ALL_MUTEX  # noqa: PLW0603
    _ALL_MUTEX = threading.Lock()
    for each in _ALL.values():
        each.forget()
    _ALL.clear()


os.register_at_fork(after_in_child=_forget_all)


class Turn:
    """The turn of one connection: taken for a transaction or a statement, ended once."""

    def __init__(self, turns: Callable[[], Turns | None]) -> None:
        self._turns = turns
        self._taken: Turns | None = None
        self._process = 0

    def __del__(self) -> None:
        # A connection that nobody closed.
        self.end()

    def take(self) -> None:
        """Wait for it, where the database is a file; without it one goes on as well."""
        self.end()
        turns = self._turns()
        if turns is not None and turns.take(is_patient=is_in_background()):
            self._taken, self._process = turns, os.getpid()

    def end(self) -> None:
        """End it, where it was taken in this process."""
        taken, self._taken = self._taken, None
        if taken is not None and self._process == os.getpid():
            taken.end()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold it for a block."""
        self.take()
        try:
            yield
        finally:
            self.end()
