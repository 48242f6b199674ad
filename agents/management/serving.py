"""What serves until somebody stops it: the web with the jobs beside it, or the web alone."""

import asyncio
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import uvicorn
import uvloop
from django.conf import settings
from django.utils.module_loading import import_string

from agents.management.accepting import FairAcceptor, Loads
from agents.surfaces.events.feed import FEED
from inbox.background.worker import Worker
from inbox.syncing.watching.watchers import Watchers

# What is under way may end within this many seconds; a job's lease covers the rest.
GRACE = 1


class _Server(uvicorn.Server):
    """uvicorn's server, without its way with signals, which ends the process by the signal."""

    signals: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        loop = asyncio.get_running_loop()
        for each in self.signals:
            loop.add_signal_handler(each, self._stop)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    def _stop(self) -> None:
        # A second Ctrl-C does not wait for what is under way.
        self.force_exit = self.should_exit
        self.should_exit = True
        # Streams would go on for ever; their clients come back.
        FEED.end_all()


class _OneOfSeveral(_Server):
    """The server of a process that accepts from a socket together with others."""

    # Ctrl-C is for the supervisor.
    signals = (signal.SIGTERM,)

    def __init__(
        self,
        config: uvicorn.Config,
        on_ready: Callable[[], None],
        *,
        listening: socket.socket,
        loads: Loads,
        place: int,
    ) -> None:
        super().__init__(config, on_ready)
        self._accepting = (listening, loads, place)
        self._acceptor: FairAcceptor

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._acceptor = FairAcceptor(*self._accepting, self._make_protocol)
        state: Any = self.server_state
        state.connections = self._acceptor.connections
        # Before anybody is told that it serves.
        self._acceptor.start()
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._acceptor.stop()
        await super().shutdown(sockets)

    def _make_protocol(self) -> asyncio.Protocol:
        make: Any = self.config.http_protocol_class
        protocol: asyncio.Protocol = make(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return protocol


def _config() -> uvicorn.Config:
    return uvicorn.Config(
        import_string(settings.ASGI_APPLICATION), loop="uvloop", http="httptools", ws="none",
        lifespan="off", log_config=None, access_log=False, server_header=False,
        timeout_graceful_shutdown=GRACE,
        # Longer than clients keep theirs, so that none calls on a connection that is just closed.
        timeout_keep_alive=75,
    )  # fmt: skip


def serve(listening: socket.socket, *, on_ready: Callable[[], None]) -> None:
    """Serve on a socket, carry jobs, watch mail; end within 3 seconds of SIGINT or SIGTERM."""
    config = _config()
    worker, watchers = Worker(), Watchers()
    worker.start()
    watchers.start()
    try:
        uvloop.run(_Server(config, on_ready).serve(sockets=[listening]))
    finally:
        watchers.stop()
        worker.stop(timeout=GRACE)


def serve_beside_others(
    listening: socket.socket, loads: Loads, place: int, *, on_ready: Callable[[], None]
) -> None:
    """Serve on a socket that other processes accept from as well, until SIGTERM."""
    server = _OneOfSeveral(_config(), on_ready, listening=listening, loads=loads, place=place)
    uvloop.run(server.serve(sockets=[]))
