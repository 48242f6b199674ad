"""Ends a process at one of its steps: before a statement, about a commit, about a word to a server.

Between two of these nothing outside the process changes, so that all places to die are among them.
Only a process that a test started for this counts its steps.
"""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper


@dataclass
class Steps:
    """Counts the steps of threads that are `counted`, or of all; acts at number `last` of them.

    `on`: and at each that follows, for nothing is done any more by who is dead.
    """

    last: int
    act: Callable[[str], None]
    count: int = 0
    names: list[str] = field(default_factory=list)
    everywhere: bool = False
    on: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _mine: threading.local = field(default_factory=threading.local)

    def step(self, name: str) -> None:
        """Note a step of this thread, and act if it is the one."""
        if not (self.everywhere or getattr(self._mine, "counts", 0)):
            return
        with self._lock:
            self.count += 1
            acts = self.count == self.last or (self.on and 0 < self.last < self.count)
            self.names.append(name)
        if acts:
            self.act(name)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count what this thread does in the block."""
        self._mine.counts = getattr(self._mine, "counts", 0) + 1
        try:
            yield
        finally:
            self._mine.counts -= 1


def by_signal(number: int) -> Callable[[str], None]:
    """Return what sends this process the signal."""
    return lambda name: os.kill(os.getpid(), number)


def install(steps: Steps) -> Callable[[], None]:
    """Have the database, the sockets and the disk tell their steps; return what takes it off."""
    undo: list[Callable[[], None]] = []

    def around(owner: Any, name: str, *, after: bool = False) -> None:
        # What a class only inherits is taken off again by removing it.
        own, real = vars(owner).get(name) if isinstance(owner, type) else None, getattr(owner, name)

        @wraps(real)
        def stepped(*args: Any, **kwargs: Any) -> Any:
            steps.step(f"before {name}")
            result = real(*args, **kwargs)
            if after:
                steps.step(f"after {name}")
            return result

        setattr(owner, name, stepped)
        if isinstance(owner, type) and own is None:
            undo.append(lambda: delattr(owner, name))
        else:
            undo.append(lambda: setattr(owner, name, real))

    around(CursorWrapper, "execute")
    around(CursorWrapper, "executemany")
    around(BaseDatabaseWrapper, "_commit", after=True)
    around(socket, "create_connection", after=True)
    around(socket.socket, "sendall", after=True)
    around(socket.socket, "recv", after=True)
    around(os, "fdatasync" if hasattr(os, "fdatasync") else "fsync", after=True)
    around(os, "replace", after=True)
    around(Path, "hardlink_to", after=True)

    def take_off() -> None:
        for each in reversed(undo):
            each()

    return take_off
