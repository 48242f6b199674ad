"""What the scripted peers share: a listener, a log of every byte, and misbehaviour on order.

A script says for each verb what happens instead of the usual answer: an action, or a list of them
used in turn, after which all is as usual. `scripts` has one script for each connection to come, in
order; then `script` counts. An action takes the conversation and the usual answer, and returns what
it said.
"""

import select
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.servers import server_context

LONGEST_WAIT = 90.0
_CHUNK = 65536


class OverError(Exception):
    """The conversation is over."""


@dataclass(frozen=True)
class Piece:
    """Bytes that went over a connection: which, when (monotonic seconds), and to whom.

    `encrypted`: under TLS, with the certificate that is the peer's own.
    """

    connection: int
    at: float
    to_peer: bool
    data: bytes
    encrypted: bool = False


Action = Callable[["Talk", bytes], bytes]
Script = Mapping[str, Any]


class Talk:
    """One connection to a peer, whose every byte is logged."""

    def __init__(self, peer: "ScriptedPeer", raw: socket.socket, number: int) -> None:
        self.peer = peer
        self.socket = raw
        self.number = number
        self.buffer = bytearray()
        # What it shows of itself, which the script may change, and whether it is what it should be.
        self.certificate = peer.certificate
        self.encrypted = False
        script = peer.scripts.popleft() if peer.scripts else peer.script
        self.script = {
            verb: deque(actions if isinstance(actions, list) else [actions])
            for verb, actions in script.items()
        }
        self.repeated = frozenset(
            verb for verb, actions in script.items() if not isinstance(actions, list)
        )

    def run(self) -> None:
        """Hold the conversation to its end."""
        raise NotImplementedError

    def answer(self, verb: str, usual: bytes) -> bytes:
        """Answer as the script says, else as usual; return what was said."""
        actions = self.script.get(verb)
        if not actions:
            return self.send(usual)
        action = actions[0] if verb in self.repeated else actions.popleft()
        if action is None:
            return self.send(usual)
        return (say(action) if isinstance(action, str | bytes) else action)(self, usual)

    def send(self, data: bytes) -> bytes:
        """Say this."""
        self.peer.heard(self, data, to_peer=False)
        self.socket.sendall(data)
        return data

    def take(self) -> None:
        """Read some more."""
        data = self.socket.recv(_CHUNK)
        if not data:
            raise OverError
        self.peer.heard(self, data, to_peer=True)
        self.buffer += data

    def read_line(self) -> bytes:
        """Return the next line, with its end."""
        while (end := self.buffer.find(b"\n")) < 0:
            self.take()
        return self.read(end + 1)

    def read(self, size: int) -> bytes:
        """Return the next so many bytes."""
        while len(self.buffer) < size:
            self.take()
        data = bytes(self.buffer[:size])
        del self.buffer[:size]
        return data

    def something_comes(self, seconds: float) -> bool:
        """Wait until there is something to read; False: not within so many seconds."""
        return bool(self.buffer or select.select([self.socket], [], [], seconds)[0])

    def start_tls(self) -> None:
        """Go on under TLS; what was sent before in the clear is forgotten."""
        if self.certificate is None:
            raise OverError
        self.buffer.clear()
        context = server_context(self.certificate)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        self.encrypted = self.certificate == self.peer.certificate


@dataclass
class ScriptedPeer:
    """A server on a free port of 127.0.0.1; a context manager.

    `log` has every byte of every connection; `tls`: from the first byte on, after the verb TLS of
    its script.
    """

    certificate: Path | None = None
    tls: bool = False
    script: Script = field(default_factory=dict)
    scripts: deque[Script] = field(default_factory=deque)
    log: list[Piece] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)
    talk = Talk

    def __enter__(self) -> Self:
        self.connections = 0
        self.talks: set[Talk] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        # A thread that waits in accept() keeps a closed listener open: wake it.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.hang_up()

    def hang_up(self) -> None:
        """End every conversation."""
        for talk in list(self.talks):
            with suppress(OSError):
                talk.socket.shutdown(socket.SHUT_RDWR)

    def heard(self, talk: Talk, data: bytes, *, to_peer: bool) -> None:
        """Log bytes of a connection."""
        self.log.append(Piece(talk.number, time.monotonic(), to_peer, data, talk.encrypted))

    def said_to_peer(self) -> bytes:
        """Return all that clients said, one connection after the other."""
        pieces = sorted(
            (piece for piece in self.log if piece.to_peer), key=lambda it: it.connection
        )
        return b"".join(piece.data for piece in pieces)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                raw, _ = self._listener.accept()
                raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.connections += 1
                thread = threading.Thread(
                    target=self._hold, args=(raw, self.connections), daemon=True
                )
                thread.start()

    def _hold(self, raw: socket.socket, number: int) -> None:
        with suppress(OSError, OverError):
            talk = self.talk(self, raw, number)
            self.talks.add(talk)
            try:
                if self.tls:
                    if "TLS" in talk.script:
                        talk.answer("TLS", b"")
                    talk.start_tls()
                talk.run()
            finally:
                self.talks.discard(talk)
                talk.socket.close()


# -- what may happen -------------------------------------------------------------------------------
def say(text: str | bytes) -> Action:
    """Answer with this line instead."""
    data = text.encode() if isinstance(text, str) else text
    return lambda talk, usual: talk.send(data + b"\r\n")


def drop(talk: Talk, usual: bytes) -> bytes:
    """Close the connection."""
    raise OverError


def reset(talk: Talk, usual: bytes) -> bytes:
    """Reset the connection."""
    talk.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise OverError


def silence(talk: Talk, usual: bytes) -> bytes:
    """Say nothing until the other side gives up."""
    talk.socket.settimeout(LONGEST_WAIT)
    while True:
        talk.take()
        talk.buffer.clear()


def later(seconds: float) -> Action:
    """Answer as usual, after a while."""

    def act(talk: Talk, usual: bytes) -> bytes:
        time.sleep(seconds)
        return talk.send(usual)

    return act


def split(pieces: int = 3) -> Action:
    """Answer as usual in several small writes."""

    def act(talk: Talk, usual: bytes) -> bytes:
        step = max(1, len(usual) // pieces)
        for start in range(0, len(usual), step):
            talk.send(usual[start : start + step])
            time.sleep(0.002)
        return usual

    return act


def cut(talk: Talk, usual: bytes) -> bytes:
    """Close the connection in the middle of the usual answer."""
    talk.send(usual[: max(1, len(usual) // 2)])
    raise OverError


def then_drop(talk: Talk, usual: bytes) -> bytes:
    """Answer as usual and close the connection."""
    talk.send(usual)
    raise OverError


def after(doing: Callable[[], object]) -> Action:
    """Do something of the test's own first, then answer as usual."""

    def act(talk: Talk, usual: bytes) -> bytes:
        doing()
        return talk.send(usual)

    return act


def nth(number: int, action: Action) -> list[Action | None]:
    """Return the script of a verb on whose so-manieth time this happens; else all is as usual."""
    return [*([None] * (number - 1)), action]


def show(certificate: Path) -> Action:
    """Answer as usual, and show this certificate where TLS begins."""

    def act(talk: Talk, usual: bytes) -> bytes:
        talk.certificate = certificate
        return talk.send(usual) if usual else usual

    return act


@dataclass
class Pause:
    """Stop here until `go`; then answer as usual."""

    reached: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)

    def __call__(self, talk: Talk, usual: bytes) -> bytes:
        self.reached.set()
        self.go.wait(LONGEST_WAIT)
        return talk.send(usual)
