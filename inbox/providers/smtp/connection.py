"""A conversation in SMTP (RFC 5321), line by line, so that its phase is always known."""

import re
import socket
import ssl
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

LONGEST_REPLY_LINE = 8192
MOST_REPLY_LINES = 200
LONGEST_REPLY_TEXT = 1000
PIPELINED_AT_ONCE = 50
_CHUNK = 65536
_REPLY_LINE = re.compile(rb"([1-5]\d\d)([ -]?)(.*)", re.DOTALL)


def _one_line(command: str) -> bytes:
    if "\r" in command or "\n" in command or "\0" in command:
        raise ValueError("a command is one line")
    return f"{command}\r\n".encode()


class GarbledReplyError(Exception):
    """What came back is not a reply in SMTP."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's answer: the code and the text of each of its lines."""

    code: int
    lines: tuple[str, ...]

    def __str__(self) -> str:
        text = "".join(char if char.isprintable() else " " for char in " ".join(self.lines))
        return f"{self.code} {' '.join(text.split())}"[:LONGEST_REPLY_TEXT].strip()

    @property
    def is_positive(self) -> bool:
        """Whether it is a 2xx answer."""
        return 200 <= self.code < 300


class SmtpConnection:
    """One connection; every wait ends after `timeout` seconds, with an OSError.

    So does the whole, after fifteen times as long: a server that dawdles over each of many
    recipients does not hold a worker for hours.
    """

    def __init__(self, raw: socket.socket, timeout: float) -> None:
        self._socket = raw
        self._timeout = timeout
        self._end = time.monotonic() + 15 * timeout
        self._buffer = bytearray()

    @classmethod
    def open(cls, host: str, port: int, timeout: float) -> Self:
        """Connect over TCP; raises OSError."""
        return cls(socket.create_connection((host, port), timeout), timeout)

    @property
    def peer(self) -> str:
        """The IP address at the other end."""
        return str(self._socket.getpeername()[0])

    @property
    def own_name(self) -> str:
        """Our address as EHLO wants it where there is no host name (RFC 5321 4.1.3)."""
        own = str(self._socket.getsockname()[0]).partition("%")[0]
        return f"[IPv6:{own}]" if ":" in own else f"[{own}]"

    @property
    def is_encrypted(self) -> bool:
        """Whether TLS is on."""
        return isinstance(self._socket, ssl.SSLSocket)

    def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Go on under TLS with a certificate for `host`; raises OSError.

        Something that came in the clear before would be taken for the server's first words
        under TLS: it ends the conversation (RFC 3207 6).
        """
        if self._buffer:
            raise GarbledReplyError("the server spoke on in the clear after it agreed to TLS")
        self._socket.settimeout(self._patience())
        self._socket = context.wrap_socket(self._socket, server_hostname=host)

    def command(self, line: str) -> Reply:
        """Send one command and return its reply; raises ValueError for more than one line."""
        self.send(_one_line(line))
        return self.read_reply()

    def commands(self, lines: Sequence[str], *, pipelined: bool) -> Iterator[Reply]:
        """Send commands in their order and yield the reply of each as it comes.

        Pipelined (RFC 2920), so many go at once as cannot fill the buffers of both sides. Who stops
        listening before the last reply must end the connection.
        """
        step = PIPELINED_AT_ONCE if pipelined else 1
        for start in range(0, len(lines), step):
            some = lines[start : start + step]
            self.send(b"".join(_one_line(line) for line in some))
            for _ in some:
                yield self.read_reply()

    def send(self, data: bytes) -> None:
        """Send bytes, in pieces each of which must go within the timeout.

        A server that has said something unasked would be one answer ahead from then on: its answer
        to the last command could be taken for that to the final dot.
        """
        if self._buffer:
            raise GarbledReplyError("the server speaks out of turn")
        view = memoryview(data)
        for start in range(0, len(view), _CHUNK):
            self._socket.settimeout(self._patience())
            self._socket.sendall(view[start : start + _CHUNK])

    def send_last(self, data: bytes, patience: float) -> Reply:
        """Send what ends the message, and wait for the answer for `patience` seconds at most."""
        self._timeout, self._end = patience, time.monotonic() + patience
        self.send(data)
        return self.read_reply()

    def read_reply(self) -> Reply:
        """Return the next reply, of one or more lines; the whole of it must come in time.

        Raises OSError when it does not, and GarbledReplyError.
        """
        deadline = time.monotonic() + self._patience()
        code = 0
        lines: list[str] = []
        while len(lines) < MOST_REPLY_LINES:
            found = _REPLY_LINE.fullmatch(self._read_line(deadline))
            if found is None or code not in (0, int(found[1])):
                raise GarbledReplyError("the server's answer is not SMTP")
            code = int(found[1])
            lines.append(found[3].decode("utf-8", "replace"))
            if found[2] != b"-":
                return Reply(code, tuple(lines))
        raise GarbledReplyError("the server's answer does not end")

    def early_reply(self) -> Reply | None:
        """Return a reply that came unasked; None when there is none.

        Raises OSError where the connection is over.
        """
        self._socket.settimeout(0)
        try:
            self._take(self._socket.recv(_CHUNK))
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return self.read_reply() if self._buffer else None
        return self.read_reply()

    def close(self) -> None:
        """End the connection at once, saying nothing more."""
        self._socket.close()

    def _patience(self) -> float:
        """Return for how many seconds to wait now."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the conversation took too long")
        return min(self._timeout, left)

    def _read_line(self, deadline: float) -> bytes:
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > LONGEST_REPLY_LINE:
                raise GarbledReplyError("the server's answer is one endless line")
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("the server did not answer in time")
            self._socket.settimeout(left)
            self._take(self._socket.recv(_CHUNK))
        line = bytes(self._buffer[:end]).rstrip(b"\r")
        del self._buffer[: end + 1]
        return line

    def _take(self, data: bytes) -> None:
        if not data:
            raise ConnectionResetError("the server closed the connection")
        self._buffer += data
