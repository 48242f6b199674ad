"""Memory that several processes share by a file, of which one at a time changes what is there."""

import fcntl
import mmap
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class SharedFile:
    """A file as memory of this process and of all others that open it; zeros at first.

    The lock is that of `fcntl(2)`: of a process that was killed, the system gives it up.
    """

    def __init__(self, path: Path, size: int) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(self._file, size)
        self.memory = mmap.mmap(self._file, size)
        self._mutex = threading.Lock()

    @contextmanager
    def held(self) -> Iterator[mmap.mmap]:
        """Hold it against all other threads and processes for a block, which must be short."""
        with self._mutex:
            fcntl.lockf(self._file, fcntl.LOCK_EX)
            try:
                yield self.memory
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let it go."""
        self.memory.close()
        os.close(self._file)


class SharedPlaces:
    """A few places that the threads of all processes take one of each, as of a semaphore.

    Each is a byte of a file that is locked: what a process had that was killed is free again.
    """

    # How often one who waits looks, in seconds.
    LOOK = 0.02

    def __init__(self, path: Path, number: int) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._mutex = threading.Lock()
        # The locks are those of the process: it must not lock a byte twice.
        self._free, self._taken = set(range(number)), list[int]()

    def acquire(self, timeout: float) -> bool:
        """Take a place, waiting so many seconds at most; return whether there was one."""
        end = time.monotonic() + timeout
        while not self._take():
            if time.monotonic() >= end:
                return False
            time.sleep(self.LOOK)
        return True

    def release(self) -> None:
        """Give a place back that this process has."""
        with self._mutex:
            place = self._taken.pop()
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)
            self._free.add(place)

    def _take(self) -> bool:
        with self._mutex:
            for place in self._free:
                try:
                    fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
                except (BlockingIOError, PermissionError):
                    continue
                self._free.remove(place)
                self._taken.append(place)
                return True
        return False
