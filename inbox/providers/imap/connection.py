"""A conversation in IMAP (RFC 9051), response by response, in bounds no server can widen.

It is written once, as coroutines, for connections that block and for those of an event loop: see
`inbox.providers.imap.transports`.
"""

import ssl
import time
from collections.abc import Callable
from typing import TypeAlias

from inbox.providers.imap.responses import (
    LONGEST_EARLY_LINE,
    Answer,
    ByeError,
    GarbledAnswerError,
    Response,
    ResponseReader,
)
from inbox.providers.imap.transports import Transport

# What one command may bring, in bytes; fetching a batch of messages has its own.
ORDINARY_BUDGET = 64 * 1024 * 1024
_CHUNK = 256 * 1024

Reader: TypeAlias = Callable[[Response], None]
Challenged: TypeAlias = Callable[[bytes], bytes]


class ImapConnection:
    """One connection; every wait ends after `timeout` seconds, with an OSError.

    So does every command, after fifteen times as long. No command brings more than `most` bytes.
    """

    def __init__(
        self,
        transport: Transport,
        timeout: float,
        *,
        most: int | None = None,
        largest_literal: int | None = None,
    ) -> None:
        self._transport = transport
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout
        self._most = most
        self._reader = ResponseReader(largest_literal=largest_literal)
        self.commands = 0

    @property
    def peer(self) -> str:
        """The IP address at the other end."""
        return self._transport.peer

    @property
    def is_encrypted(self) -> bool:
        """Whether TLS is on."""
        return self._transport.is_encrypted

    async def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Go on under TLS with a certificate for `host`; raises OSError.

        What came in the clear after the server agreed would be taken for its words under TLS: it
        ends the conversation.
        """
        if not self._reader.is_empty:
            raise GarbledAnswerError("the server spoke on in the clear after it agreed to TLS")
        await self._transport.start_tls(context, host, self._timeout)

    async def read_greeting(self) -> Answer:
        """Return the server's first words; the whole of them must come in time."""
        self._start(LONGEST_EARLY_LINE * 2, self._timeout)
        response = await self._next(b"")
        answer = response.status if isinstance(response, Response) else None
        if answer is None or answer.status not in ("OK", "PREAUTH", "BYE"):
            raise GarbledAnswerError("the server does not greet in IMAP")
        return answer

    def take_long_lines(self, longest: int) -> None:
        """Take lines of up to so many bytes from now on."""
        self._reader.longest_line = longest

    async def execute(
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
        tag = await self._send_command(line, budget)
        asked = 0
        while True:
            response = await self._next(tag)
            if isinstance(response, Answer):
                return response
            if isinstance(response, bytes):
                asked += 1
                if challenged is None or asked > 3:
                    raise GarbledAnswerError("the server asks for more than there is to say")
                await self._send(challenged(response) + b"\r\n")
            elif response.name == "BYE" and line != b"LOGOUT":
                raise ByeError(Answer.read("BYE", response.rest))
            elif reader is not None:
                reader(response)

    async def idle(self, seconds: float, reader: Callable[[Response], bool]) -> Answer:
        """Wait in IDLE (RFC 2177) until `reader` has what it waits for, at most so many seconds."""
        tag = await self._send_command(b"IDLE", ORDINARY_BUDGET)
        end = time.monotonic() + seconds
        enough, invited = False, False
        while not invited:
            response = await self._next(tag)
            if isinstance(response, Answer):
                return response
            invited = isinstance(response, bytes)
            enough = self._heard(response, reader) or enough
        while not enough and await self._has_data(end):
            self._deadline = time.monotonic() + self._timeout
            enough = self._heard(await self._next(tag), reader)
        self._deadline = time.monotonic() + self._timeout
        await self._send(b"DONE\r\n")
        while not isinstance(response := await self._next(tag), Answer):
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
        self._transport.close()

    def hurry(self, timeout: float) -> None:
        """Wait no longer than this from now on, in seconds."""
        self._timeout = min(self._timeout, timeout)

    # -- out ---------------------------------------------------------------------------------------
    def _start(self, budget: int, seconds: float) -> None:
        self._reader.budget = budget if self._most is None else min(budget, self._most)
        self._deadline = time.monotonic() + seconds

    async def _send_command(self, line: bytes, budget: int) -> bytes:
        self._start(budget, self._timeout * 15)
        self.commands += 1
        tag = b"c%d" % self.commands
        await self._send(b"%b %b\r\n" % (tag, line))
        return tag

    async def _send(self, data: bytes) -> None:
        view = memoryview(data)
        for start in range(0, len(view), _CHUNK):
            await self._transport.send(view[start : start + _CHUNK], self._patience())

    # -- in ----------------------------------------------------------------------------------------
    async def _next(self, tag: bytes) -> Response | Answer | bytes:
        """Return an untagged response, the answer to the command, or a request for more of it."""
        while (response := self._reader.next(tag)) is None:
            self._reader.feed(await self._transport.receive(self._patience()))
        return response

    def _patience(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the server did not answer in time")
        return min(self._timeout, left)

    async def _has_data(self, end: float) -> bool:
        """Wait for something to read until `end`; tell whether there is."""
        if not self._reader.is_empty:
            return True
        try:
            data = await self._transport.receive(max(end - time.monotonic(), 0.0))
        except TimeoutError:
            return False
        self._reader.feed(data)
        return True
