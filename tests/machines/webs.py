"""Several processes of the web beside a test, and many who call them at the same moment."""

import http.client
import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from agents.models import Approval
from tests.fork_server import start
from tests.ports import free_port
from tests.processes import process_environment

Found = TypeVar("Found")
_CSRF = secrets.token_hex(16)


@dataclass(frozen=True)
class Answered:
    """What came back: the status, the body as text, and the entity tag."""

    status: int
    text: str
    etag: str


class Webs:
    """Processes of the web on the test's database, which are called by turns."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = cycle(ports)
        self._lock = threading.Lock()

    def call(self, method: str, path: str, body: str = "", **headers: str) -> Answered:
        """Make a call of its own connection at the next of them."""
        with self._lock:
            port = next(self._ports)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        found = Answered(answer.status, answer.read().decode(), answer.getheader("ETag", ""))
        connection.close()
        return found

    def send_json(
        self, method: str, path: str, arguments: Mapping[str, Any], **headers: str
    ) -> Answered:
        """Call the API."""
        return self.call(
            method, path, json.dumps(arguments), Content_Type="application/json", **headers
        )

    def approve(self, approval: Approval, session: str) -> Answered:
        """Press "approve" on the review page, having seen these bytes."""
        form = urlencode({"sha256": approval.sha256, "csrfmiddlewaretoken": _CSRF})
        return self.call(
            "POST", f"/admin/review/{approval.public_id}/approve/", form,
            Content_Type="application/x-www-form-urlencoded",
            Cookie=f"{django_settings.SESSION_COOKIE_NAME}={session}; csrftoken={_CSRF}",
        )  # fmt: skip


@contextmanager
def webs(count: int) -> Iterator[Webs]:
    """Run so many; they end with the block."""
    ports, processes = [], []
    for _ in range(count):
        ports.append(free_port())
        command = ["-m", "uvicorn", "project.asgi:application", "--log-level=error"]
        command += ["--port", str(ports[-1]), "--lifespan", "off"]
        processes.append(start(command, env=process_environment()))
    try:
        for port in ports:
            _until_it_answers(port)
        yield Webs(ports)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _until_it_answers(port: int) -> None:
    end = time.monotonic() + 90
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise AssertionError("the web does not answer")


def session_of(user: User) -> str:
    """Sign somebody in; return the cookie's value."""
    client = Client()
    client.force_login(user)
    return client.cookies[django_settings.SESSION_COOKIE_NAME].value


def at_once(*works: Callable[[], Found]) -> list[Found]:
    """Do all of it at the same moment, each in a thread; return what came of each, in order."""
    barrier = threading.Barrier(len(works))
    found: dict[int, Found] = {}

    def run(number: int, work: Callable[[], Found]) -> None:
        barrier.wait(60)
        found[number] = work()
        connections.close_all()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[number] for number in range(len(works))]
