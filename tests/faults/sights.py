"""Who is to die is aimed at: a worker whose conversation has come to a chosen verb is held there."""

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.faults.scripted import Action, Script, Talk

VERBS = ("connect", "EHLO", "MAIL", "RCPT", "DATA", "text", "dot")
# In seconds: nobody is held for longer.
LONGEST_HOLD = 90.0


@dataclass(frozen=True)
class Held:
    """A conversation that is held at a verb, by the ports of its two sides."""

    verb: str
    port: int
    server_port: int


class Sights:
    """Waits for a conversation at a verb, of all servers whose script this is, and holds it there.

    Every final dot takes so many seconds: a death falls into it more often.
    """

    def __init__(self, dot: float) -> None:
        self._dot = dot
        self._lock = threading.Lock()
        self._verb = ""
        self._reached, self._go = threading.Event(), threading.Event()
        self._held: Held | None = None

    @property
    def script(self) -> Script:
        """What a server does that is in sight."""
        return {verb: self._at(verb) for verb in VERBS}

    def hold(self, verb: str, seconds: float) -> Held | None:
        """Hold whoever comes to a verb next, and return it; None where nobody did in time.

        It is held until `release`, which must follow.
        """
        self._reached.clear()
        self._go.clear()
        self._verb = verb
        if self._reached.wait(seconds):
            return self._held
        with self._lock:
            self._verb = ""
            return self._held if self._reached.is_set() else None

    def release(self) -> None:
        """Let who is held go on, if it still lives."""
        self._go.set()

    def _at(self, verb: str) -> Action:
        def act(talk: Talk, usual: bytes) -> bytes:
            if self._take(verb, talk):
                self._go.wait(LONGEST_HOLD)
            elif verb == "dot":
                time.sleep(self._dot)
            return talk.send(usual) if usual else usual

        return act

    def _take(self, verb: str, talk: Talk) -> bool:
        with self._lock:
            if self._verb != verb:
                return False
            self._verb = ""
            self._held = Held(verb, talk.socket.getpeername()[1], talk.peer.port)
            self._reached.set()
            return True


def choose(chance: random.Random) -> str:
    """Return a verb; about the final dot everything is decided."""
    return chance.choices(VERBS, (1, 1, 1, 1, 1, 2, 5))[0]


def process_with_port(port: int, among: dict[int, int]) -> int | None:
    """Return the number of the worker of whose process group somebody holds this local port.

    `among` has each worker's number by its process group. None where nobody holds it any more.
    """
    sockets = {f"socket:[{inode}]" for inode in _inodes_of(port)}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            number = among.get(os.getpgid(int(folder.name)))
            if number is not None and any(
                str(it.readlink()) in sockets for it in folder.glob("fd/*") if it.is_symlink()
            ):
                return number
    return None


def _inodes_of(port: int) -> Iterator[str]:
    """Yield the inodes of sockets of 127.0.0.1 with this local port (proc(5), /proc/net/tcp)."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        columns = line.split()
        if int(columns[1].rpartition(":")[2], 16) == port:
            yield columns[9]
