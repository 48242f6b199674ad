"""Memory that several processes share by a file, of which one at a time changes what is there."""

import fcntl
import mmap
import os
import threading
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
