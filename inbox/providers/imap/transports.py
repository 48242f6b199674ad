"""How bytes get to an IMAP server and back: over a socket that blocks, or in an event loop.

What is said over either is written once, as coroutines. Over a socket that blocks they never
suspend, so that `at_once` runs them to their end like any function. The event loop's has a socket
of its own rather than asyncio's streams: those keep 256 KiB for each TLS connection.
"""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, Self, TypeAlias, TypeVar

from inbox.background.daemon_threads import DaemonExecutor

_CHUNK = 256 * 1024
# In a loop that has many connections each gets its turn after so many bytes: one record of TLS.
_SHARE = 16 * 1024
# How soon the system finds out that the other end is gone, in seconds, and at how many tries.
_KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 20, "TCP_KEEPCNT": 4}

# Where names are looked up, which holds a thread for as long as it takes.
_NAMES = DaemonExecutor(8, "names-of-servers")

Found = TypeVar("Found")


class Transport(Protocol):
    """One connection over TCP, maybe under TLS. Everything may raise OSError."""

    @property
    def peer(self) -> str:
        """The IP address at the other end."""
        ...

    @property
    def is_encrypted(self) -> bool:
        """Whether TLS is on."""
        ...

    async def start_tls(self, context: ssl.SSLContext, host: str, seconds: float) -> None:
        """Go on under TLS with a certificate for `host`."""
        ...

    async def send(self, data: memoryview, seconds: float) -> None:
        """Send all of it; TimeoutError where that takes longer."""
        ...

    async def receive(self, seconds: float) -> bytes:
        """Return some of what comes, b"" at the end; TimeoutError where nothing comes in time."""
        ...

    def close(self) -> None:
        """End the connection at once, saying nothing more."""
        ...


# Opens a connection: host, port, and how long each wait may take.
Opener: TypeAlias = Callable[[str, int, float], Awaitable[Transport]]


def at_once(talk: Coroutine[Any, Any, Found]) -> Found:
    """Return what a conversation over a socket that blocks comes to."""
    try:
        talk.send(None)
    except StopIteration as end:
        found: Found = end.value
        return found
    talk.close()
    raise RuntimeError("a conversation over a socket that blocks was to wait for an event loop")


class _Socket:
    def __init__(self, raw: socket.socket) -> None:
        self._socket = raw

    @property
    def peer(self) -> str:
        """The IP address at the other end."""
        return str(self._socket.getpeername()[0])

    @property
    def is_encrypted(self) -> bool:
        """Whether TLS is on."""
        return isinstance(self._socket, ssl.SSLSocket)

    def close(self) -> None:
        """End the connection at once, saying nothing more."""
        self._socket.close()


class BlockingTransport(_Socket):
    """A connection whose every wait holds its thread."""

    @classmethod
    async def open(cls, host: str, port: int, seconds: float) -> Self:
        """Connect; raises OSError."""
        return cls(socket.create_connection((host, port), seconds))

    async def start_tls(self, context: ssl.SSLContext, host: str, seconds: float) -> None:
        """Go on under TLS."""
        self._socket.settimeout(seconds)
        self._socket = context.wrap_socket(self._socket, server_hostname=host)

    async def send(self, data: memoryview, seconds: float) -> None:
        """Send all of it."""
        self._socket.settimeout(seconds)
        self._socket.sendall(data)

    async def receive(self, seconds: float) -> bytes:
        """Return some of what comes."""
        self._socket.settimeout(max(seconds, 0.001))
        try:
            return self._socket.recv(_CHUNK)
        except ssl.SSLWantReadError as error:
            raise TimeoutError("the server did not answer in time") from error


class LoopTransport(_Socket):
    """A connection of the running event loop; one coroutine at a time waits for it."""

    @classmethod
    async def open(cls, host: str, port: int, seconds: float) -> Self:
        """Connect to the first of the host's addresses that answers; raises OSError."""
        loop = asyncio.get_running_loop()
        ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        async with asyncio.timeout(seconds):
            found = await loop.run_in_executor(_NAMES, ask)
        trouble = OSError(f"{host} has no address")
        for family, kind, protocol, _, address in found:
            raw = socket.socket(family, kind, protocol)
            try:
                raw.setblocking(False)
                async with asyncio.timeout(seconds):
                    await loop.sock_connect(raw, address)
            except OSError as error:
                raw.close()
                trouble = error
            except BaseException:
                raw.close()
                raise
            else:
                _keep_alive(raw)
                return cls(raw)
        raise trouble

    async def start_tls(self, context: ssl.SSLContext, host: str, seconds: float) -> None:
        """Go on under TLS."""
        secured = context.wrap_socket(
            self._socket, server_hostname=host, do_handshake_on_connect=False
        )
        self._socket = secured
        async with asyncio.timeout(seconds):
            await self._until_ready(secured.do_handshake)

    async def send(self, data: memoryview, seconds: float) -> None:
        """Send all of it."""
        sent = 0
        async with asyncio.timeout(seconds):
            while sent < len(data):
                sent += await self._until_ready(
                    partial(self._socket.send, data[sent:]), writes=True
                )

    async def receive(self, seconds: float) -> bytes:
        """Return some of what comes; others get their turn first, however much there is."""
        try:
            data = self._socket.recv(_SHARE)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            async with asyncio.timeout(max(seconds, 0.0)):
                return await self._until_ready(partial(self._socket.recv, _SHARE))
        await asyncio.sleep(0)
        return data

    async def _until_ready(self, act: Callable[[], Found], *, writes: bool = False) -> Found:
        """Return what an operation on the socket gives, once it can be done."""
        while True:
            try:
                return act()
            except ssl.SSLWantWriteError:
                await self._ready(for_writing=True)
            except ssl.SSLWantReadError:
                await self._ready(for_writing=False)
            except BlockingIOError:
                await self._ready(for_writing=writes)

    async def _ready(self, *, for_writing: bool) -> None:
        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        descriptor = self._socket.fileno()
        add = loop.add_writer if for_writing else loop.add_reader
        remove = loop.remove_writer if for_writing else loop.remove_reader
        add(descriptor, _settle, ready)
        try:
            await ready
        finally:
            remove(descriptor)


def _settle(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def _keep_alive(raw: socket.socket) -> None:
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE.items():
        # Not every system has them.
        with suppress(AttributeError, OSError):
            raw.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
