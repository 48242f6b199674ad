"""Celery's processes beside a test, and brokers that are stopped and started at will."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from kombu import Connection
from kombu.exceptions import OperationalError

from inbox.background import jobs, tasks
from inbox.models import Pace
from project.celery import app
from tests.ports import free_port
from tests.processes import process_environment

CELERY = ("celery", "-A", "project")


class Broker:
    """A broker, queues of our own there, and Celery's processes on the test's database."""

    def __init__(self, url: str, folder: Path, program: tuple[str, ...] = CELERY) -> None:
        self.url, self._program = url, program
        self.begin_anew(folder)

    def begin_anew(self, folder: Path) -> None:
        """Have queues and a data folder that nobody has used."""
        self._folder, self.queues = folder, f"test-{secrets.token_hex(4)}"

    @contextmanager
    def ringing(self) -> Iterator[None]:
        """Have this process ring here."""
        before = app.conf.broker_url, django_settings.QUEUES
        app.conf.broker_url, django_settings.QUEUES = self.url, self.queues
        app._after_fork()
        remove = jobs.add_waker(tasks.BrokerNotifier())
        try:
            yield
        finally:
            remove()
            app.conf.broker_url, django_settings.QUEUES = before
            app._after_fork()

    def empty(self) -> None:
        """Lose everything that is queued for us."""
        with Connection(self.url, connect_timeout=5) as connection:
            for pace in Pace:
                # Nobody may have been told yet that there is such a queue.
                with suppress(*connection.channel_errors):
                    connection.channel().queue_purge(f"{self.queues}.{pace.name.lower()}")

    def deliver_again(self, times: int) -> None:
        """Deliver one and the same job so many times, for each pace; call it while `ringing`."""
        for pace in Pace:
            task = secrets.token_hex(16)
            # Who rings does not wait for a broker that is away, nor do we.
            with suppress(OperationalError):
                for _ in range(times):
                    tasks.run_jobs.apply_async(
                        args=(pace.value,), queue=tasks.queue_of(pace), task_id=task, retry=False
                    )

    def worker(self, *options: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
        """Run a worker, of all queues unless the options say otherwise."""
        return self._run(self.start_worker(*options))

    def start_worker(self, *options: str) -> subprocess.Popen[bytes]:
        """Start a worker, which leads a process group of its own."""
        # RabbitMQ has no two of one name: the queue by which one is told what to do is its own.
        name = f"worker-{secrets.token_hex(4)}@%h"
        return self._start("worker", "-c", "2", "-n", name, *options)

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
    """A server of our own on a free port, which is stopped and started at will."""

    def __init__(self, url: str, folder: Path, program: tuple[str, ...] = CELERY) -> None:
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        super().__init__(url.format(port=self.port), folder, program)

    def start(self) -> None:
        """Begin to serve, unless it does; once more where another took a port meanwhile."""
        if self._process and self._process.poll() is None:
            return
        for _ in range(3):
            command, environment = self.command()
            process = self._process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, env={**os.environ, **environment},
                start_new_session=True,
            )  # fmt: skip
            until(lambda process=process: process.poll() is not None or self._answers())
            if process.poll() is None:
                return
        raise AssertionError("the broker ended as soon as it was started")

    def stop(self) -> None:
        """End at once."""
        if self._process:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def command(self) -> tuple[list[str], dict[str, str]]:
        """Return what runs it, and in which environment."""
        raise NotImplementedError

    def _answers(self) -> bool:
        try:
            with Connection(self.url, connect_timeout=2) as connection:
                connection.ensure_connection(max_retries=1, timeout=2)
                return True
        except (OSError, OperationalError):
            return False


class OwnRedis(OwnBroker):
    """A Redis that keeps nothing over a restart."""

    def __init__(self, folder: Path, program: tuple[str, ...] = CELERY) -> None:
        self._folder_of_its_own = folder
        super().__init__("redis://127.0.0.1:{port}/0", folder, program)

    def command(self) -> tuple[list[str], dict[str, str]]:
        program = find("redis-server")
        return [
            program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
            "--appendonly", "no", "--dir", str(self._folder_of_its_own),
        ], {}  # fmt: skip


class OwnRabbit(OwnBroker):
    """A RabbitMQ, which keeps what is queued over a restart."""

    def __init__(self, folder: Path, program: tuple[str, ...] = CELERY) -> None:
        self._home = folder / f"rabbitmq-{secrets.token_hex(4)}"
        self._home.mkdir()
        super().__init__("amqp://guest:guest@127.0.0.1:{port}//", folder, program)

    def command(self) -> tuple[list[str], dict[str, str]]:
        home = str(self._home)
        return [find("rabbitmq-server", "/usr/lib/rabbitmq/bin")], {
            "HOME": home, "RABBITMQ_NODENAME": f"chancery{self.port}@localhost",
            "RABBITMQ_NODE_PORT": str(self.port), "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            # Nobody joins it: any free port will do.
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": home, "RABBITMQ_LOG_BASE": home, "RABBITMQ_LOGS": "-",
            "RABBITMQ_CONFIG_FILE": f"{home}/none",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{home}/none",
        }  # fmt: skip


# Where Debian has programs that only administrators have on their path.
SERVERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
OWN_BROKERS = {"redis": OwnRedis, "rabbitmq": OwnRabbit}


def find(program: str, *folders: str) -> str:
    """Return the path of a program, in these folders, on the path or where servers are; else skip."""
    places = (*folders, os.environ.get("PATH", os.defpath), *SERVERS)
    found = shutil.which(program, path=os.pathsep.join(places))
    if found is None:
        pytest.skip(f"{program} is not installed (Debian's package of that name)")
    return found


def until(condition: Callable[[], object], seconds: float = 90) -> None:
    """Wait for something to be true; fails where it takes too long."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)
