"""Web and worker in one process, until somebody stops them."""

import asyncio
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager

import uvicorn
import uvloop
from django.conf import settings
from django.utils.module_loading import import_string

from agents.surfaces.events.feed import FEED
from inbox.background.worker import Worker
from inbox.syncing.watching import Watchers

# What is under way may end within this many seconds; a job's lease covers the rest.
GRACE = 1


class _Server(uvicorn.Server):
    """uvicorn's server, without its way with signals, which ends the process by the signal."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
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


def serve(listening: socket.socket, *, on_ready: Callable[[], None]) -> None:
    """Serve on a socket, carry jobs, watch mail; end within 3 seconds of SIGINT or SIGTERM."""
    config = uvicorn.Config(
        import_string(settings.ASGI_APPLICATION), loop="uvloop", http="httptools", ws="none",
        lifespan="off", log_config=None, access_log=False, server_header=False,
        timeout_graceful_shutdown=GRACE,
        # Longer than clients keep theirs, so that none calls on a connection that is just closed.
        timeout_keep_alive=75,
    )  # fmt: skip
    worker, watchers = Worker(), Watchers()
    worker.start()
    watchers.start()
    try:
        uvloop.run(_Server(config, on_ready).serve(sockets=[listening]))
    finally:
        watchers.stop()
        worker.stop(timeout=GRACE)
