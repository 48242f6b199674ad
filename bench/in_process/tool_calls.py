"""Tool calls over HTTP against a bare Django JSON view on the same server.

The anchor is a view as every Django project has it, behind the project's whole middleware. The
same view by the short way that the API takes (`agents/surfaces/handler.py`) is measured as well:
it says what the calls cost beyond that way.
"""

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

from agents.operations.agents import create_agent, known_scopes
from bench.results import ROOT, Result, hand_over, milliseconds, percentile
from inbox.models import Inbox, Message, Thread

CALLS, WARM_UP = 400, 40
ANCHOR, SHORT = "the bare view", "the bare view, the short way"
# By the median, against the bare view by the long way; the 95th percentile may be at most three.
GOALS = {"list_threads": 1.5, "get_thread": 1.5, "email_get": 2, "email_list": 2.5,
         "search_inbox": 3}  # fmt: skip
GOAL = 3
_WORD = re.compile(r"[A-Za-z]{4,}")


def measure() -> list[Result]:
    """Call the tools and the bare views in turn, over one kept connection."""
    inbox = Inbox.objects.select_related("workspace").get()
    thread = Thread.objects.current().filter(message_count__gte=3).order_by("pk")[:1].get()
    _, token = create_agent(
        workspace=inbox.workspace,
        name=f"Caller {time.time_ns()}",
        scopes=known_scopes(),
        inboxes=[inbox],
    )
    calls = {
        ANCHOR: ("/bare", {}),
        SHORT: ("/api/bare", {}),
        "list_threads, 10 threads": (
            "/api/tools/list_threads", {"inbox_id": inbox.public_id, "limit": 10},
        ),
        "list_threads, 50 threads": (
            "/api/tools/list_threads", {"inbox_id": inbox.public_id},
        ),
        f"get_thread, {thread.message_count} messages": (
            "/api/tools/get_thread", {"thread_id": thread.public_id},
        ),
        **_of_mail(inbox),
    }  # fmt: skip
    times: dict[str, list[float]] = {name: [] for name in calls}
    with serving() as connection:
        for turn in range(CALLS + WARM_UP):
            for name, (path, arguments) in calls.items():
                seconds = call(connection, path, arguments, token)
                if turn >= WARM_UP:
                    times[name].append(seconds)
    anchor, short = times.pop(ANCHOR), times.pop(SHORT)
    return [
        compare(name, seconds, anchor, short, percent, goal=_goal(name, percent))
        for name, seconds in times.items()
        for percent in (50, 95)
    ]


def _goal(name: str, percent: int) -> float:
    return GOALS[name.partition(",")[0]] if percent == 50 else GOAL


def _of_mail(inbox: Inbox) -> dict[str, tuple[str, dict[str, object]]]:
    """Return a list of emails, one of them, and a search by two words of a subject."""
    account = {"account_id": inbox.account.public_id}
    message = Message.objects.order_by("pk")[Message.objects.count() // 2]
    words = next(
        found[:2]
        for one in Message.objects.filter(pk__gte=message.pk).order_by("pk")[:200]
        if len(found := _WORD.findall(one.subject)) > 1
    )
    return {
        "email_get": ("/api/tools/email_get", {**account, "email_id": message.public_id}),
        "email_list, 10 emails": ("/api/tools/email_list", {**account}),
        "search_inbox, two words": (
            "/api/tools/search_inbox", {"inbox_id": inbox.public_id, "query": " ".join(words)},
        ),
    }  # fmt: skip


def compare(
    name: str,
    ours: list[float],
    anchor: list[float],
    short: list[float],
    percent: int,
    *,
    goal: float = GOAL,
) -> Result:
    """Return the line of a tool at a percentile."""
    one, other, least = (percentile(times, percent) for times in (ours, anchor, short))
    ratio = one / other
    return Result(
        name=f"{name}, p{percent}",
        ours=milliseconds(one),
        anchor=f"bare view {milliseconds(other)} (the short way {milliseconds(least)})",
        ratio=f"{ratio:.2f}",
        goal=f"≤ {goal}",
        met=ratio <= goal,
    )


@contextlib.contextmanager
def serving(
    application: str = "project.asgi:application",
) -> Iterator[http.client.HTTPConnection]:
    """Serve as in production, in a process of its own; yield a connection that stays open."""
    port = find_port()
    server = subprocess.Popen(
        [
            sys.executable, "-m", "uvicorn", application, "--port", str(port),
            "--loop", "uvloop", "--http", "httptools", "--ws", "none", "--lifespan", "auto",
            "--no-access-log", "--log-level", "warning",
        ],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "bench.settings"},
    )  # fmt: skip
    try:
        wait_for(server, port)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection
        connection.close()
    finally:
        server.terminate()
        server.wait(timeout=30)


def find_port() -> int:
    """Return a port of this machine that is free."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    """Return when the server listens on the port."""
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise SystemExit("the server did not start")


def call(
    connection: http.client.HTTPConnection,
    path: str,
    arguments: dict[str, object] | None,
    token: str,
) -> float:
    """Post, or get what has no arguments, and read the whole answer; return the seconds."""
    method, body = ("GET", b"") if arguments is None else ("POST", json.dumps(arguments).encode())
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    start = time.perf_counter()
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    seconds = time.perf_counter() - start
    if answer.status != 200:
        raise SystemExit(f"{path} answered {answer.status}: {content[:300]!r}")
    return seconds


if __name__ == "__main__":
    hand_over(measure())
