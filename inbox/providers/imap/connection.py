"""A conversation in IMAP (RFC 9051), response by response, in bounds no server can widen."""

import re
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self, TypeAlias

# Before the login nothing long is to be said; after it one line may list a million UIDs.
LONGEST_EARLY_LINE = 16 * 1024
LONGEST_LINE = 8 * 1024 * 1024
# What one command may bring, in bytes; fetching a batch of messages has its own.
ORDINARY_BUDGET = 64 * 1024 * 1024
_OVERHEAD = 40  # of a response, however short, once it is an object here
_CHUNK = 256 * 1024
_TAGGED = re.compile(rb"(?i)(OK|NO|BAD)(?: (.*))?", re.DOTALL)
_UNTAGGED = re.compile(rb"(?:(\d{1,10}) )?([A-Za-z][A-Za-z0-9-]*)(?: (.*))?", re.DOTALL)
_CODE = re.compile(rb"\[([A-Za-z][A-Za-z0-9-]*)(?: ([^\]]*))?\] ?(.*)", re.DOTALL)
_LITERAL = re.compile(rb"\{(\d{1,10})\}$")
_STATUSES = frozenset({"OK", "NO", "BAD", "BYE", "PREAUTH"})

# A response as imapclient's parser takes it: text that announces a literal, with the literal; at
# the end the rest of the text.
Parts: TypeAlias = list[bytes | tuple[bytes, bytes]]


class GarbledAnswerError(Exception):
    """What came back is not IMAP, or more than was asked for."""


class ByeError(Exception):
    """The server ended the conversation (RFC 9051 7.1.5), with these words."""

    def __init__(self, answer: "Answer") -> None:
        super().__init__(answer.text)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Answer:
    """A status response: `status` OK, NO, BAD, BYE or PREAUTH; its code with argument; its text."""

    status: str
    code: str
    argument: bytes
    text: str

    @classmethod
    def read(cls, status: str, rest: bytes) -> Self:
        """Take the text after the status apart (RFC 9051 7.1)."""
        found = _CODE.fullmatch(rest)
        code, argument, text = found.groups() if found else (b"", b"", rest)
        return cls(status, code.decode().upper(), argument or b"", _printable(text))

    def __str__(self) -> str:
        code = f"[{self.code}] " if self.code else ""
        return f"{self.status} {code}{self.text}"[:1000].strip()


@dataclass(frozen=True, slots=True)
class Response:
    """An untagged response: its name in capitals, its number (0: none) and all of it in parts."""

    name: str
    number: int
    parts: Parts

    @property
    def rest(self) -> bytes:
        """What follows the name where there is no literal in it."""
        part = self.parts[0]
        return part if isinstance(part, bytes) else part[0]

    @property
    def status(self) -> Answer | None:
        """The response as a status response, None where it is of another kind."""
        return Answer.read(self.name, self.rest) if self.name in _STATUSES else None


Reader: TypeAlias = Callable[[Response], None]
Challenged: TypeAlias = Callable[[bytes], bytes]


class ImapConnection:
    """One connection; every wait ends after `timeout` seconds, with an OSError.

    So does every command, after fifteen times as long.
    """

    def __init__(self, raw: socket.socket, timeout: float) -> None:
        self._socket = raw
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout
        self._buffer = bytearray()
        self._budget = 0
        self.longest_line = LONGEST_EARLY_LINE
        self.commands = 0

    @classmethod
    def open(cls, host: str, port: int, timeout: float) -> Self:
        """Connect over TCP; raises OSError."""
        return cls(socket.create_connection((host, port), timeout), timeout)

    @property
    def peer(self) -> str:
        """The IP address at the other end."""
        return str(self._socket.getpeername()[0])

    @property
    def is_encrypted(self) -> bool:
        """Whether TLS is on."""
        return isinstance(self._socket, ssl.SSLSocket)

    def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Go on under TLS with a certificate for `host`; raises OSError.

        What came in the clear after the server agreed would be taken for its words under TLS: it
        ends the conversation.
        """
        if self._buffer:
            raise GarbledAnswerError("the server spoke on in the clear after it agreed to TLS")
        self._socket.settimeout(self._timeout)
        self._socket = context.wrap_socket(self._socket, server_hostname=host)

    def read_greeting(self) -> Answer:
        """Return the server's first words; the whole of them must come in time."""
        self._start(LONGEST_EARLY_LINE * 2, self._timeout)
        response = self._read_response(b"")
        answer = response.status if isinstance(response, Response) else None
        if answer is None or answer.status not in ("OK", "PREAUTH", "BYE"):
            raise GarbledAnswerError("the server does not greet in IMAP")
        return answer

    def execute(
        self,
        line: bytes,
        *,
        reader: Reader | None = None,
        challenged: Challenged | None = None,
        budget: int = ORDINARY_BUDGET,
    ) -> Answer:
        """Send one command and return its answer; `reader` takes what comes before it.

        `challenged` returns what goes out when the server asks for more (RFC 9051 7.6): once for a
        literal, or a few times to log in. Raises ByeError, GarbledAnswerError and OSError.
        """
        if b"\r" in line or b"\n" in line or b"\0" in line:
            raise ValueError("a command is one line")
        tag = self._send_command(line, budget)
        asked = 0
        while True:
            response = self._read_response(tag)
            if isinstance(response, Answer):
                return response
            if isinstance(response, bytes):
                asked += 1
                if challenged is None or asked > 3:
                    raise GarbledAnswerError("the server asks for more than there is to say")
                self._send(challenged(response) + b"\r\n")
            elif response.name == "BYE" and line != b"LOGOUT":
                raise ByeError(Answer.read("BYE", response.rest))
            elif reader is not None:
                reader(response)

    def idle(self, seconds: float, reader: Callable[[Response], bool]) -> Answer:
        """Wait in IDLE (RFC 2177) until `reader` has what it waits for, at most so many seconds."""
        tag = self._send_command(b"IDLE", ORDINARY_BUDGET)
        end = time.monotonic() + seconds
        enough, invited = False, False
        while not invited:
            response = self._read_response(tag)
            if isinstance(response, Answer):
                return response
            invited = isinstance(response, bytes)
            enough = self._heard(response, reader) or enough
        while not enough and self._has_data(end):
            self._deadline = time.monotonic() + self._timeout
            enough = self._heard(self._read_response(tag), reader)
        self._deadline = time.monotonic() + self._timeout
        self._send(b"DONE\r\n")
        while not isinstance(response := self._read_response(tag), Answer):
            self._heard(response, reader)
        return response

    @staticmethod
    def _heard(response: Response | Answer | bytes, reader: Callable[[Response], bool]) -> bool:
        if isinstance(response, Answer):
            raise GarbledAnswerError("the server left IDLE unasked")
        if isinstance(response, Response) and response.name == "BYE":
            raise ByeError(Answer.read("BYE", response.rest))
        return isinstance(response, Response) and reader(response)

    def close(self) -> None:
        """End the connection at once, saying nothing more."""
        self._socket.close()

    def hurry(self, timeout: float) -> None:
        """Wait no longer than this from now on, in seconds."""
        self._timeout = min(self._timeout, timeout)

    # -- out ---------------------------------------------------------------------------------------
    def _start(self, budget: int, seconds: float) -> None:
        self._budget = budget
        self._deadline = time.monotonic() + seconds

    def _send_command(self, line: bytes, budget: int) -> bytes:
        self._start(budget, self._timeout * 15)
        self.commands += 1
        tag = b"c%d" % self.commands
        self._send(b"%b %b\r\n" % (tag, line))
        return tag

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        for start in range(0, len(view), _CHUNK):
            self._socket.settimeout(self._patience())
            self._socket.sendall(view[start : start + _CHUNK])

    # -- in ----------------------------------------------------------------------------------------
    def _read_response(self, tag: bytes) -> Response | Answer | bytes:
        """Return an untagged response, the answer to the command, or a request for more of it."""
        line = self._read_line()
        start, _, rest = line.partition(b" ")
        if start == b"*":
            return self._read_untagged(rest)
        if start == b"+":
            return rest
        found = _TAGGED.fullmatch(rest)
        if start != tag or not tag or found is None:
            raise GarbledAnswerError("the server's answer is not IMAP")
        return Answer.read(found[1].decode().upper(), found[2] or b"")

    def _read_untagged(self, line: bytes) -> Response:
        found = _UNTAGGED.fullmatch(line)
        if found is None:
            raise GarbledAnswerError("the server's answer is not IMAP")
        number, name, rest = int(found[1] or 0), found[2].decode().upper(), found[3] or b""
        if name in _STATUSES:
            return Response(name, number, [rest])
        parts: Parts = []
        while literal := _LITERAL.search(rest):
            parts.append((rest, self._read_exactly(int(literal[1]))))
            rest = self._read_line()
        return Response(name, number, [*parts, rest])

    def _read_line(self) -> bytes:
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > self.longest_line:
                raise GarbledAnswerError("the server's answer is one endless line")
            self._fill()
        self._spend(end + _OVERHEAD)
        line = bytes(self._buffer[:end]).removesuffix(b"\r")
        del self._buffer[: end + 1]
        return line

    def _read_exactly(self, size: int) -> bytes:
        self._spend(size)
        while len(self._buffer) < size:
            self._fill()
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def _spend(self, size: int) -> None:
        self._budget -= size
        if self._budget < 0:
            raise GarbledAnswerError("the server sent more than was asked for")

    def _patience(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the server did not answer in time")
        return min(self._timeout, left)

    def _fill(self) -> None:
        self._socket.settimeout(self._patience())
        self._take(self._socket.recv(_CHUNK))

    def _has_data(self, end: float) -> bool:
        """Wait for something to read until `end`; tell whether there is."""
        if self._buffer:
            return True
        self._socket.settimeout(max(end - time.monotonic(), 0.001))
        try:
            self._take(self._socket.recv(_CHUNK))
        except (TimeoutError, ssl.SSLWantReadError):
            return False
        return True

    def _take(self, data: bytes) -> None:
        if not data:
            raise ConnectionResetError("the server closed the connection")
        self._buffer += data


def _printable(text: bytes) -> str:
    shown = text[:2000].decode("utf-8", "replace")
    return " ".join("".join(char if char.isprintable() else " " for char in shown).split())
