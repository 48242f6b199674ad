"""Responses of an IMAP server (RFC 9051 7), read from bytes as they come, within bounds."""

import re
from dataclasses import dataclass
from typing import Self, TypeAlias

# Before the login nothing long is to be said; after it one line may list a million UIDs.
LONGEST_EARLY_LINE = 16 * 1024
LONGEST_LINE = 8 * 1024 * 1024
_OVERHEAD = 40  # of a response, however short, once it is an object here
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


class ResponseReader:
    """Takes bytes and gives responses; it waits for nothing, and knows nothing of sockets.

    What it holds is bounded by `longest_line`, `largest_literal` and `budget`, all in bytes; what
    goes beyond raises GarbledAnswerError.
    """

    def __init__(self, *, largest_literal: int | None = None) -> None:
        self.budget = 0
        self.longest_line = LONGEST_EARLY_LINE
        self._largest_literal = largest_literal
        self._buffer = bytearray()
        # Up to where no line ends.
        self._searched = 0
        # Of a response whose end is still to come: its beginning, and the literal it is at.
        self._begun: tuple[str, int] | None = None
        self._parts: Parts = []
        self._ahead: tuple[bytes, int] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether everything that came was read."""
        return not self._buffer and self._begun is None

    def feed(self, data: bytes) -> None:
        """Take what came; raises ConnectionResetError for nothing, which is the end."""
        if not data:
            raise ConnectionResetError("the server closed the connection")
        self._buffer += data

    def next(self, tag: bytes) -> Response | Answer | bytes | None:
        """Return an untagged response, the answer to the command, or a request for more of it.

        None where the rest of it is still to come. `tag` is that of the command under way.
        """
        if self._begun is not None:
            return self._continue(self._begun)
        line = self._line()
        if line is None:
            return None
        start, _, rest = line.partition(b" ")
        if start == b"*":
            return self._untagged(rest)
        if start == b"+":
            return rest
        found = _TAGGED.fullmatch(rest)
        if start != tag or not tag or found is None:
            raise GarbledAnswerError("the server's answer is not IMAP")
        return Answer.read(found[1].decode().upper(), found[2] or b"")

    def _untagged(self, line: bytes) -> Response | None:
        found = _UNTAGGED.fullmatch(line)
        if found is None:
            raise GarbledAnswerError("the server's answer is not IMAP")
        number, name, rest = int(found[1] or 0), found[2].decode().upper(), found[3] or b""
        if name in _STATUSES or not (literal := _LITERAL.search(rest)):
            return Response(name, number, [rest])
        self._begun = begun = name, number
        self._parts = []
        self._expect(rest, int(literal[1]))
        return self._continue(begun)

    def _continue(self, begun: tuple[str, int]) -> Response | None:
        """Go on with a response that has literals."""
        while True:
            if self._ahead is not None:
                text, size = self._ahead
                if len(self._buffer) < size:
                    return None
                self._parts.append((text, bytes(self._buffer[:size])))
                del self._buffer[:size]
                self._ahead = None
            rest = self._line()
            if rest is None:
                return None
            if not (literal := _LITERAL.search(rest)):
                parts: Parts = [*self._parts, rest]
                self._begun, self._parts = None, []
                return Response(*begun, parts)
            self._expect(rest, int(literal[1]))

    def _expect(self, text: bytes, size: int) -> None:
        self._spend(size)
        if self._largest_literal is not None and size > self._largest_literal:
            raise GarbledAnswerError("the server sent more than was asked for")
        self._ahead = text, size

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            if self._searched > self.longest_line:
                raise GarbledAnswerError("the server's answer is one endless line")
            return None
        self._searched = 0
        self._spend(end + _OVERHEAD)
        line = bytes(self._buffer[:end]).removesuffix(b"\r")
        del self._buffer[: end + 1]
        return line

    def _spend(self, size: int) -> None:
        self.budget -= size
        if self.budget < 0:
            raise GarbledAnswerError("the server sent more than was asked for")


def _printable(text: bytes) -> str:
    shown = text[:2000].decode("utf-8", "replace")
    return " ".join("".join(char if char.isprintable() else " " for char in shown).split())
