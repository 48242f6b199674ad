"""Connections shared out fairly among processes that accept from one socket.

The system wakes whoever waits at the socket, and who is quickest takes what is there: of eight
connections that come at once one process may get all. So each says how many it has, in memory that
all share, and who has more than another leaves what comes to that one for a moment.
"""

import asyncio
import errno
import socket
import struct
from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path
from typing import Final

from inbox.background.shared_files import SharedFile

# So long, in seconds, is a connection left to a process that has fewer: that one may be busy. It is
# looked at again so often.
PATIENCE: Final = 0.01
_LOOK = 0.001
# What nobody looked at for so long was taken by another.
_TAKEN = 4 * _LOOK
# So long nobody is accepted after this process, or the system, ran out of file descriptors.
_OUT_OF_FILES = 0.2
_NUMBER = struct.Struct("=q")
_ABSENT = -1
_NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Loads:
    """How many connections each process has; those that are absent have none to be given."""

    def __init__(self, path: Path, processes: int) -> None:
        self._file = SharedFile(path, processes * _NUMBER.size)
        self._processes = processes

    def note(self, place: int, connections: int) -> None:
        """Say how many a process has."""
        _NUMBER.pack_into(self._file.memory, place * _NUMBER.size, connections)

    def note_absent(self, place: int) -> None:
        """Say that a process takes none."""
        self.note(place, _ABSENT)

    def all(self) -> list[int]:
        """Return the number of each process, -1 of one that is absent."""
        size = self._processes * _NUMBER.size
        return [row[0] for row in _NUMBER.iter_unpack(self._file.memory[:size])]

    def is_above_another(self, place: int, connections: int) -> bool:
        """Return True if a process with so many has more than another one."""
        loads = self.all()
        del loads[place]
        return any(_ABSENT < load < connections for load in loads)


class Connections(set[Hashable]):
    """The open connections of a process; whoever wants to know is told of each change."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        super().__init__()
        self._on_change = on_change

    def add(self, connection: Hashable, /) -> None:
        """Take one in."""
        super().add(connection)
        self._on_change()

    def discard(self, connection: Hashable, /) -> None:
        """Let one go."""
        super().discard(connection)
        self._on_change()


class FairAcceptor:
    """Accepts connections in one of several processes, no more than its share."""

    def __init__(
        self,
        listening: socket.socket,
        loads: Loads,
        place: int,
        make_protocol: Callable[[], asyncio.Protocol],
    ) -> None:
        listening.setblocking(False)
        self._listening, self._loads, self._place = listening, loads, place
        self._make_protocol = make_protocol
        self._loop = asyncio.get_running_loop()
        self._under_way: set[asyncio.Task[object]] = set()
        self._later: asyncio.TimerHandle | None = None
        # Since when connections are left to others, and when that was looked at last.
        self._left_since = self._looked_at = 0.0
        self.connections = Connections(self._note)

    def start(self) -> None:
        """Begin."""
        self._note()
        self._loop.add_reader(self._listening, self._come)

    def stop(self) -> None:
        """Accept no more; what was accepted goes on."""
        self._loads.note_absent(self._place)
        if self._later is not None:
            self._later.cancel()
        self._loop.remove_reader(self._listening)
        self._listening.close()

    def _note(self) -> None:
        self._loads.note(self._place, self._number)

    @property
    def _number(self) -> int:
        return len(self.connections) + len(self._under_way)

    def _come(self) -> None:
        """Accept what is there, or leave it to another for a moment."""
        if self._loads.is_above_another(self._place, self._number) and self._is_patient():
            self._pause(_LOOK)
        else:
            self._accept()

    def _is_patient(self) -> bool:
        now = self._loop.time()
        if now - self._looked_at > _TAKEN:
            self._left_since = now
        self._looked_at = now
        return now - self._left_since < PATIENCE

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._listening)
        self._later = self._loop.call_later(seconds, self._go_on)

    def _go_on(self) -> None:
        self._later = None
        self._loop.add_reader(self._listening, self._come)

    def _accept(self) -> None:
        try:
            connection, _ = self._listening.accept()
        except OSError as error:
            # Another process was quicker, or the client has gone.
            if error.errno in _NO_ROOM and self._later is None:
                self._pause(_OUT_OF_FILES)
            return
        self._looked_at = 0.0
        task = self._loop.create_task(self._connect(connection))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        self._note()

    async def _connect(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        with suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await self._loop.connect_accepted_socket(self._make_protocol, connection)
