"""Processes of ours, forked off one that has loaded Django, our apps and our pages: most of a start.

`start` and `run` take what Python would be given, as `["manage.py", "check"]`. What they start has an
environment, settings, signals and an end of its own, as one that Python starts. Which are no tests of
a start: those have Python started.

Loading reads a few settings, which must be the same in whoever is forked off; it fails else. An
environment that changes them has its processes forked off one that has loaded no apps.
"""

import atexit
import errno
import functools
import gc
import hashlib
import importlib
import json
import os
import runpy
import secrets
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

from django.apps import apps
from django.conf import LazySettings, settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.template import engines
from django.urls import get_resolver
from django.utils.functional import empty

from tests.patience import LONG

ROOT = Path(__file__).resolve().parent.parent
# Of what a test has loaded, and with what that needs: no tools of tests, and nothing of `project`,
# which reads the settings in ways that do not fail where there are none.
_LOADED = {
    "agents", "allauth", "calendar_app", "csp", "django", "django_filters", "drf_spectacular", "inbox",
    "jsonschema", "pydantic", "rest_framework", "uvicorn",
}  # fmt: skip
# What starts threads when it is loaded, for an extra: where there are any, nothing can be forked off.
_ON_DEMAND = {
    "inbox.language_model.speaking", "inbox.semantic.encoder", "inbox.semantic.matrix",
}  # fmt: skip
# What changes a setting that is read while apps are loaded.
_READ_BY_APPS = {"CELERY_BROKER_URL", "CHANCERY_DEBUG"}
_SETTINGS = "project.settings"
# What that takes over, read of the environment as well.
_SIGN_IN_SETTINGS = "project.sign_in.settings"
# What is said, and answered, by whom the server is to outlast.
_STAYING = b"staying"
_channels: list[socket.socket] = []
_started: list[subprocess.Popen[bytes]] = []


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
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
            asking.connect(f"\0{_server(_may_have_apps(env))}")
            socket.send_fds(asking, [request.encode()], theirs)
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


def _may_have_apps(environment: Mapping[str, str]) -> bool:
    """Return True if the apps are loaded in this environment as they are with our own settings."""
    return (
        not _READ_BY_APPS & environment.keys()
        and environment.get("DJANGO_SETTINGS_MODULE", _SETTINGS) == _SETTINGS
        and environment.get("DATABASE_URL", "sqlite:").startswith("sqlite:")
    )


def python() -> list[str]:
    """Return a command for `python` that others may start, in the environment that theirs are in."""
    return [sys.executable, "-IS", str(ROOT / "tests" / "forked.py"), _server(True)]


@functools.cache
def _server(with_apps: bool) -> str:
    """Return the socket's name of the one they are forked off; all workers of a run have the same.

    Whichever asks first starts it; it ends with the last of them.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or secrets.token_hex(8)
    name = hashlib.sha256(f"{run} {ROOT} {with_apps}".encode()).hexdigest()
    while not _stay(name):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
            try:
                listening.bind(f"\0{name}")
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            listening.listen()
            _start_server(listening, with_apps)
    return name


def _stay(name: str) -> bool:
    """Return True if the one of this name is there, and will be for as long as this process."""
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with suppress(ConnectionError):
        channel.connect(f"\0{name}")
        channel.send(_STAYING)
        if channel.recv(len(_STAYING)) == _STAYING:
            _channels.append(channel)
            return True
    channel.close()
    return False


def _start_server(listening: socket.socket, with_apps: bool) -> None:
    names = [
        name for name in sys.modules if name.partition(".")[0] in _LOADED and name not in _ON_DEMAND
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fork_server", str(listening.fileno())],
        cwd=ROOT, stdin=subprocess.PIPE, pass_fds=[listening.fileno()],
    )  # fmt: skip
    process.stdin.write(json.dumps({"names": names, "with_apps": with_apps}).encode())
    process.stdin.close()
    _started.append(process)


# -- in the one that they are forked off -----------------------------------------------------------
# What was read while the apps were loaded.
_read_before: dict[str, Any] = {}
_plain_setup = LazySettings._setup


def _set_up(read: LazySettings, name: str | None = None) -> None:
    """Read the settings in a process whose apps were loaded with others."""
    _plain_setup(read, name)
    if changed := [key for key, value in _read_before.items() if getattr(read, key) != value]:
        raise RuntimeError(f"{changed} are others than those that the apps were loaded with")
    # As the first model that is loaded does.
    connections.settings  # noqa: B018


def _load(names: Sequence[str], *, with_apps: bool) -> None:
    """Import what can be imported without settings; the rest with settings that are forgotten."""
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)
    _import(names)
    if settings.configured:
        raise RuntimeError("what is loaded for all read the settings, which each reads for itself")
    if with_apps:
        environment = dict(os.environ)
        with TemporaryDirectory() as folder:
            _load_apps(names, folder)
        os.environ.clear()
        os.environ.update(environment)
    gc.collect()
    gc.freeze()


def _import(names: Sequence[str]) -> None:
    for name in names:
        with suppress(ImportError, ImproperlyConfigured):
            importlib.import_module(name)


def _load_apps(names: Sequence[str], folder: str) -> None:
    """Load what stays the same whatever is read from the settings afterwards."""
    for name in [*os.environ]:
        if name.startswith(("CHANCERY_", "CELERY_", "DATABASE_")):
            del os.environ[name]
    os.environ.update(DJANGO_SETTINGS_MODULE=_SETTINGS, CHANCERY_VAR=folder)
    apps.populate(settings.INSTALLED_APPS)
    _import(names)
    engines.all()
    for pattern in get_resolver().url_patterns:
        getattr(pattern, "url_patterns", None)
    _compile_languages()
    read = {name: value for name, value in vars(settings).items() if name.isupper()}
    # Of the database its engine is read, and each has a connection of its own.
    del read["DATABASES"], connections["default"], connections.settings
    connections._settings = None
    _read_before.update(read)
    LazySettings._setup = _set_up
    settings._wrapped = empty
    for name in (_SETTINGS, _SIGN_IN_SETTINGS):
        del sys.modules[name]


def _compile_languages() -> None:
    """Compile what each process that reads or writes mail would compile for itself."""
    importlib.import_module("inbox.classify.rules").load_rules()
    reading = importlib.import_module("inbox.compose.goals.reading")
    reading.read_goal("Thank them, and ask for the number of the order.")
    patterns = importlib.import_module("inbox.languages.patterns")
    kind = type(patterns.lazy(""))
    for each in gc.get_objects():
        if type(each) is kind:
            each.search  # noqa: B018 - compiles it


def _serve(listening: socket.socket) -> dict[str, Any] | None:
    """Return what is asked for in each process that is to do it; nothing once nobody stays."""
    staying: set[socket.socket] = set()
    while True:
        request, streams = _receive(listening, staying)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not request:
            return None
        if os.fork() == 0:
            for one in (listening, *staying):
                one.close()
            _keep(streams)
            return json.loads(request)
        for one in streams:
            os.close(one)


def _receive(listening: socket.socket, staying: set[socket.socket]) -> tuple[bytes, list[int]]:
    """Return what is asked for next, or nothing once all who stayed have ended."""
    while True:
        for ready in select.select([listening, *staying], [], [])[0]:
            if ready in staying:
                # Whoever stays says nothing more, but ends.
                staying.remove(ready)
                ready.close()
                if not staying:
                    return b"", []
                continue
            asking = ready.accept()[0]
            request, streams, _, _ = socket.recv_fds(asking, 1_000_000, 4)
            if request == _STAYING:
                asking.send(_STAYING)
                staying.add(asking)
                continue
            asking.close()
            if request:
                return request, streams


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


def _become(arguments: list[str], environment: dict[str, str], folder: str = "") -> None:
    """Do what Python would do that is started so, there or in the project's folder."""
    if folder:
        os.chdir(folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    if noted := sys.modules.get("inbox.operations.worker_processes"):
        noted._STARTED_AT = datetime.now(UTC)
    sys.path[1:1] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    first, *rest = arguments
    sys.argv = arguments if first.endswith(".py") else [first, *rest[1:]]
    if first == "-m":
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
    else:
        runpy.run_path(first, run_name="__main__")


def _end(code: object) -> None:
    """End as Python does that was told to exit so, but forget nothing of what was loaded for all.

    To let go of all that, which is not its own, takes longer than most of what is done in one.
    """
    if not isinstance(code, int):
        if code is not None:
            sys.stderr.write(f"{code}\n")
        code = 0 if code is None else 1
    threading._shutdown()
    atexit._run_exitfuncs()
    if settings.configured:
        connections.close_all()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code & 0xFF)


if __name__ == "__main__":
    # Ctrl-C is for those who asked; they end, and then this does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _load(**json.load(sys.stdin.buffer))
    if asked := _serve(socket.socket(fileno=int(sys.argv[1]))):
        try:
            _become(**asked)
        except SystemExit as told:
            _end(told.code)
        _end(None)
