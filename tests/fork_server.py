"""Processes of ours, forked off one that has loaded what reads no settings: two thirds of a start.

`start` and `run` take what Python would be given, as `["manage.py", "check"]`. What they start has an
environment, settings, signals and an end of its own, as one that Python starts. Which are no tests of
a start: those have Python started.
"""

import functools
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from tests.patience import LONG

ROOT = Path(__file__).resolve().parent.parent
# Of what a test has loaded, and with what that needs: no tools of tests, and nothing of `project`,
# which reads the settings in ways that do not fail where there are none.
_LOADED = {
    "agents", "allauth", "calendar_app", "csp", "django", "django_filters", "drf_spectacular", "inbox",
    "jsonschema", "pydantic", "rest_framework", "uvicorn",
}  # fmt: skip


# -- in a test -------------------------------------------------------------------------------------
class Forked:
    """One that was started, with as much of `subprocess.Popen` as tests use."""

    def __init__(
        self, stdout: IO[bytes] | None, stderr: IO[bytes] | None, told: BufferedReader
    ) -> None:
        self.stdout, self.stderr = stdout, stderr
        # With no buffer: what was read already would be waited for.
        self._told = told.detach()
        self.pid = int(self._told.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
            with self._told:
                self.returncode = int(self._told.readline())
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start(
    arguments: Sequence[object], *, env: Mapping[str, str],
    stdin: int = subprocess.DEVNULL, stdout: int = 1, stderr: int = 2,
) -> Forked:  # fmt: skip
    """Start one in the project's folder; streams are descriptors, or named as `subprocess` does."""
    theirs: list[int] = []
    ours: list[IO[bytes] | None] = []
    with ExitStack() as stack:
        for stream in (stdin, stdout, stderr, subprocess.PIPE):
            read, given = None, theirs[1] if stream == subprocess.STDOUT else stream
            if stream == subprocess.PIPE:
                read, given = os.pipe()
            elif stream == subprocess.DEVNULL:
                given = os.open(os.devnull, os.O_RDWR)
            if stream in {subprocess.PIPE, subprocess.DEVNULL}:
                stack.callback(os.close, given)
            theirs.append(given)
            ours.append(None if read is None else os.fdopen(read, "rb"))
        request = json.dumps({"arguments": [*map(str, arguments)], "environment": dict(env)})
        socket.send_fds(_server()[0], [request.encode()], theirs)
    return Forked(*ours[1:])


def run(
    arguments: Sequence[object], *, env: Mapping[str, str], stdin: bytes = b""
) -> subprocess.CompletedProcess[str]:
    """Run one to its end, with these bytes to read; return its exit code and what it wrote."""
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        streams = {"stdin": given.fileno(), "stdout": out.fileno(), "stderr": err.fileno()}
        process = start(arguments, env=env, **streams)
        try:
            code = process.wait(LONG)
        finally:
            process.kill()
        for written in (out, err):
            written.seek(0)
        return subprocess.CompletedProcess(
            arguments, code, out.read().decode(), err.read().decode()
        )


@functools.cache
def _server() -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start the one they are forked off, which ends with this process; return how it is asked."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    names = [name for name in sys.modules if name.partition(".")[0] in _LOADED]
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())],
            cwd=ROOT, stdin=subprocess.PIPE, pass_fds=[theirs.fileno()],
        )  # fmt: skip
    process.stdin.write(json.dumps(names).encode())
    process.stdin.close()
    return ours, process


# -- in the one that they are forked off -----------------------------------------------------------
def _load(names: Sequence[str]) -> None:
    """Import what can be imported without settings."""
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)
    for name in names:
        with suppress(ImportError, ImproperlyConfigured):
            importlib.import_module(name)
    if settings.configured:
        raise RuntimeError("what is loaded for all read the settings, which each reads for itself")
    gc.collect()
    gc.freeze()


def _serve(channel: socket.socket) -> dict[str, Any] | None:
    """Return what is asked for in each process that is to do it; nothing once nobody asks."""
    while True:
        request, streams, _, _ = socket.recv_fds(channel, 1_000_000, 4)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not request:
            return None
        if os.fork() == 0:
            channel.close()
            _keep(streams)
            return json.loads(request)
        for one in streams:
            os.close(one)


def _keep(streams: list[int]) -> None:
    """Return in a child with these streams; meanwhile wait for its end, and tell it."""
    *standard, told = streams
    pid = os.fork()
    if pid == 0:
        os.close(told)
        for number, one in enumerate(standard):
            os.dup2(one, number)
            os.close(one)
        return
    os.closerange(0, 3)
    for one in standard:
        os.close(one)
    os.write(told, f"{pid}\n".encode())
    os.write(told, f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n".encode())
    os._exit(0)


def _become(arguments: list[str], environment: dict[str, str]) -> None:
    """Do what Python would do that is started so."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    sys.path[1:1] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    first, *rest = arguments
    sys.argv = arguments if first.endswith(".py") else [first, *rest[1:]]
    if first == "-m":
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
    else:
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    # Ctrl-C is for those who asked; they end, and then this does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _load(json.load(sys.stdin.buffer))
    if asked := _serve(socket.socket(fileno=int(sys.argv[1]))):
        _become(**asked)
