"""Celery's processes beside a test, and a Redis that is stopped and started at will."""

import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from inbox import jobs, tasks
from project.celery import app
from tests.processes import process_environment

CELERY = ("celery", "-A", "project")


class Broker:
    """A broker, queues of our own there, and Celery's processes on the test's database."""

    def __init__(self, url: str, folder: Path, program: tuple[str, ...] = CELERY) -> None:
        self.url, self._folder, self._program = url, folder, program
        self.queues = f"test-{secrets.token_hex(4)}"

    @contextmanager
    def ringing(self) -> Iterator[None]:
        """Have this process ring here."""
        before = app.conf.broker_url, django_settings.QUEUES
        app.conf.broker_url, django_settings.QUEUES = self.url, self.queues
        app._after_fork()
        remove = jobs.add_waker(tasks.Bell())
        try:
            yield
        finally:
            remove()
            app.conf.broker_url, django_settings.QUEUES = before
            app._after_fork()

    def worker(self, *options: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
        """Run a worker, of all queues unless the options say otherwise."""
        return self._run(self.start_worker(*options))

    def start_worker(self, *options: str) -> subprocess.Popen[bytes]:
        """Start a worker, which leads a process group of its own."""
        return self._start("worker", "-c", "2", *options)

    def beat(self) -> AbstractContextManager[subprocess.Popen[bytes]]:
        """Run a beat that begins anew."""
        schedule = self._folder / f"beat-{secrets.token_hex(4)}"
        return self._run(self._start("beat", "--schedule", str(schedule), "--max-interval", "1"))

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        environment = process_environment(
            CHANCERY_VAR=str(self._folder), CELERY_BROKER_URL=self.url, CHANCERY_QUEUES=self.queues
        )
        return subprocess.Popen(
            [sys.executable, "-m", *self._program, *arguments, "-l", "error"],
            cwd=django_settings.BASE_DIR, env=environment, stdout=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip

    @contextmanager
    def _run(self, process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class OwnBroker(Broker):
    """A Redis that keeps nothing over a restart."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("redis-server")
        if program is None:
            pytest.skip("redis-server is not installed (Debian's package redis-server)")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._command = [
            program, "--port", str(self._port), "--bind", "127.0.0.1", "--save", "",
            "--appendonly", "no", "--dir", str(folder),
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None
        super().__init__(f"redis://127.0.0.1:{self._port}/0", folder)

    def start(self) -> None:
        """Begin to serve."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        until(self._answers)

    def stop(self) -> None:
        """End at once; what was queued is lost."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0


def until(condition: Callable[[], object], seconds: float = 90) -> None:
    """Wait for something to be true; fails where it takes too long."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)
