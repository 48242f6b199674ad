"""The processes that are killed: a web server that is asked to approve, and a worker that sends.

They are forked off a process that has everything loaded (`multiprocessing`'s fork server), and are
what an installation runs: uvicorn with the project's ASGI application, and `manage.py worker`.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from multiprocessing.connection import Connection
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

import uvicorn  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from inbox.background import jobs  # noqa: E402
from inbox.management.commands.worker import Command  # noqa: E402
from project.asgi import application  # noqa: E402
from tests.faults.steps import Steps, by_signal, install  # noqa: E402

# Read once, before the first fork.
_PATTERNS = get_resolver().url_patterns
# The work between the release and the copy of what was sent.
WATCHED = "submission."

# Thousands of failures on order are no news.
logging.disable(logging.CRITICAL)

CONTEXT = multiprocessing.get_context("forkserver")


def preload() -> None:
    """Have the fork server load all this before the first victim; called once, with no threads."""
    CONTEXT.set_forkserver_preload(["tests.faults.victims"])


def web(last: int, number: int, told: Connection) -> None:
    """Serve, tell the port, and end by the signal at step `last` of what is asked."""
    steps = Steps(last, by_signal(number))
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        application, loop="asyncio", http="httptools", ws="none", lifespan="off", log_config=None,
        access_log=False, timeout_graceful_shutdown=5,
    )  # fmt: skip
    server = _Told(config, lambda: told.send(listening.getsockname()[1]))
    install(steps)
    steps.everywhere = True
    server.run(sockets=[listening])
    told.send(steps.names)


class _Told(uvicorn.Server):
    """uvicorn's server; a signal stops it in order, and does not end the process besides."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.handle_exit, 0, None)
        yield


def worker(last: int, number: int, told: Connection) -> None:
    """Carry jobs, and end by the signal at step `last` of the jobs about what is sent."""
    steps = Steps(last, by_signal(number))
    install(steps)
    jobs.run = _counting(jobs.run, steps)  # type: ignore[assignment]
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        call_command(Command(), threads=1, stdout=nowhere, stderr=nowhere)
    told.send(steps.names)


def _counting(run: Callable[..., Any], steps: Steps) -> Callable[..., Any]:
    @wraps(run)
    def counted(job: Any) -> None:
        if not job.kind.startswith(WATCHED):
            run(job)
            return
        with steps.counted():
            steps.step(f"claimed {job.kind}")
            run(job)

    return counted


class Victim:
    """A process of one of the kinds above; a context manager, at whose end it is over."""

    def __init__(self, kind: Callable[..., None], last: int, number: int) -> None:
        self.told, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=kind, args=(last, number, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def __enter__(self) -> "Victim":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def hear(self, seconds: float = 60) -> Any:
        """Return what it tells next; None where it ended first."""
        try:
            return self.told.recv() if self.told.poll(seconds) else None
        except (EOFError, OSError):
            return None

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.process.exitcode is not None

    def end(self, seconds: float = 30) -> None:
        """Ask it to stop where it still lives, and wait; one that does not listen is killed."""
        if not self.is_over:
            self.process.terminate()
        self.process.join(seconds)
        if not self.is_over:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.join()
        self.told.close()
