"""`manage.py up` with several web processes: they share a socket, and what they have to know."""

import http.client
import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from agents.management import parts, supervising
from agents.management.accepting import Loads
from agents.management.processors import usable_processors
from inbox.background import jobs, periodic, worker
from inbox.models import Job, Pace
from tests.patience import LONG
from tests.up import DemoUp


def until(found: Callable[[], object], seconds: float = LONG) -> object:
    """Return what is found as soon as there is something."""
    end = time.monotonic() + seconds
    while not (it := found()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return it


def children_of(pid: int) -> set[int]:
    return {int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def is_alive(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def is_free(host: str, port: int) -> bool:
    with socket.socket() as socket_:
        socket_.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            socket_.bind((host, port))
        except OSError:
            return False
        return True


class Several:
    """A running `up` with two web processes, and who answers on a connection."""

    def __init__(self, up: DemoUp) -> None:
        self.up, self.url = up, urlsplit(up.wait_until_ready())
        self.token = up.secret("token")
        self.headers = {"Authorization": f"Bearer {self.token}"}

    @property
    def children(self) -> set[int]:
        return children_of(self.up.process.pid)

    def connect(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(self.url.netloc, timeout=LONG)
        connection.connect()
        return connection

    def get(self, connection, path: str) -> bytes:
        connection.request("GET", path, headers=self.headers)
        answer = connection.getresponse()
        found = answer.read()
        assert answer.status == 200, found
        return found

    def call(self, connection, tool: str, arguments: object) -> dict:
        headers = {**self.headers, "Content-Type": "application/json"}
        connection.request("POST", f"/api/tools/{tool}", json.dumps(arguments), headers)
        answer = connection.getresponse()
        found = json.loads(answer.read())
        assert answer.status == 200, found
        return found

    def who_answers(self, connection) -> int:
        """Return the process at the other end of a connection."""
        local, port = f"{self.url.port:04X}", f"{connection.sock.getsockname()[1]:04X}"
        rows = (row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:])
        inode = next(
            row[9] for row in rows if row[1].endswith(f":{local}") and row[2].endswith(f":{port}")
        )
        return next(pid for pid in self.children if f"socket:[{inode}]" in open_files(pid))

    def each_web(self) -> dict[int, http.client.HTTPConnection]:
        """Return a connection to each of two web processes."""
        found: dict[int, http.client.HTTPConnection] = {}
        end = time.monotonic() + LONG
        while len(found) < 2:
            assert time.monotonic() < end, f"only {list(found)} answer"
            connection = self.connect()
            self.get(connection, "/health/live")
            if found.setdefault(self.who_answers(connection), connection) is not connection:
                connection.close()
        return found


def open_files(pid: int) -> set[str]:
    found = set()
    for one in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.add(str(one.readlink()))
        except FileNotFoundError:
            continue
    return found


@pytest.fixture(scope="module")
def several(demo_folder, tmp_path_factory) -> Iterator[Several]:
    up = DemoUp(demo_folder, tmp_path_factory.mktemp("several"), "--web-processes", "2")
    try:
        yield Several(up)
    finally:
        up.process.kill()


def test_connections_that_come_at_once_are_shared_out_evenly(several):
    for connection in several.each_web().values():
        connection.close()
    opened = [several.connect() for _ in range(8)]
    for connection in opened:
        several.get(connection, "/health/live")
    answered = [several.who_answers(connection) for connection in opened]
    for connection in opened:
        connection.close()
    # One that is busy for a moment may be left with fewer.
    assert min(answered.count(pid) for pid in several.each_web()) >= 2


def test_a_stream_of_one_process_tells_what_was_done_in_the_other(several):
    streaming, calling = several.each_web().values()
    with closing(streaming), closing(calling):
        streaming.request(
            "GET", "/api/v1/events", headers={**several.headers, "Accept": "text/event-stream"}
        )
        stream = streaming.getresponse()
        assert stream.readline().startswith(b"retry:")
        thread = json.loads(several.get(calling, "/api/v1/threads?limit=1"))["threads"][0]["id"]
        several.call(calling, "thread_update", {"thread_id": thread, "add_labels": ["Seen"]})
        while not (line := stream.readline()).startswith(b"event: thread"):
            assert line


def test_figures_are_the_same_whichever_process_tells_them(several):
    connections = several.each_web().values()
    for connection in connections:
        for _ in range(3):
            several.get(connection, "/api/tools")

    def counted(connection) -> float:
        lines = several.get(connection, "/metrics").decode().splitlines()
        name = 'chancery_request_seconds_count{status="200",surface="tools"}'
        found = [line.split()[-1] for line in lines if line.startswith(name)]
        return float(found[0]) if found else 0.0

    def alike() -> bool:
        one, other = map(counted, connections)
        return one == other >= 6

    until(alike)
    for connection in connections:
        connection.close()


def test_a_web_process_that_is_killed_comes_back_and_others_answer_meanwhile(several):
    before = several.children
    (killed, lost), (other, kept) = several.each_web().items()
    os.kill(killed, signal.SIGKILL)
    with closing(kept), closing(lost):
        assert several.get(kept, "/api/tools")
        with pytest.raises((http.client.HTTPException, OSError)):
            several.get(lost, "/api/tools")
    until(lambda: "ended (by SIGKILL)" in several.up.output)
    assert f"({killed})" in several.up.output
    until(lambda: len(several.children) == len(before))
    fresh = until(lambda: several.each_web().keys() - {other})
    assert fresh
    assert killed not in fresh


def test_killed_itself_it_leaves_no_process_behind_and_its_port_is_free(several):
    left = several.children
    assert len(left) == 3
    stream = several.connect()
    stream.request(
        "GET", "/api/v1/events", headers={**several.headers, "Accept": "text/event-stream"}
    )
    assert stream.getresponse().readline().startswith(b"retry:")
    several.up.process.kill()
    until(lambda: not any(map(is_alive, left)), 3.0)
    stream.close()
    until(lambda: is_free(several.url.hostname, several.url.port), 3.0)


def test_ctrl_c_of_a_terminal_reaches_all_and_all_end_in_time(demo_folder, tmp_path):
    up = DemoUp(demo_folder, tmp_path, "--web-processes", "2")
    several = Several(up)
    left = several.children
    idle = several.connect()
    several.get(idle, "/health/live")
    for pid in left:
        os.kill(pid, signal.SIGINT)
    assert several.get(idle, "/health/live")
    code, seconds = up.stop(signal.SIGINT)
    assert (code, seconds < 3) == (0, True), up.output
    assert not any(map(is_alive, left))
    assert "Traceback" not in up.output
    assert "ended" not in up.output
    assert "Stopped." in up.output


def test_one_that_dies_early_again_and_again_is_started_more_and_more_seldom():
    part = supervising._Part("web process 1", "", 0, started_at=100.0)
    pauses = []
    for _ in range(9):
        pauses.append(part.note_death(part.started_at + 1))
        part.started_at = part.not_before
    assert pauses[:4] == [0.5, 1, 2, 4]
    assert pauses[-1] == supervising.LONGEST_PAUSE
    assert part.note_death(part.started_at + supervising.SETTLED) == 0
    part.started_at += 20
    assert part.note_death(part.started_at + 1) == 0.5


def test_who_has_more_connections_than_another_that_is_there_leaves_it_the_next(tmp_path):
    loads, others = (Loads(tmp_path / "loads", 3) for _ in range(2))
    loads.note(0, 2)
    loads.note(1, 2)
    loads.note_absent(2)
    assert others.all() == [2, 2, -1]
    assert not others.is_above_another(0, 2)
    assert others.is_above_another(1, 3)
    loads.note(2, 0)
    assert others.is_above_another(0, 2)
    assert not others.is_above_another(2, 0)


@pytest.mark.parametrize(
    ("share", "most"),
    [("100000 100000", 1), ("1 100000", 1), ("max 100000", None), ("none", None)],
)
def test_the_share_of_a_container_counts_as_processors(tmp_path, share, most):
    said = tmp_path / "cpu.max"
    said.write_text(share)
    assert usable_processors(said) == most or most is None
    assert usable_processors(said) <= len(os.sched_getaffinity(0))
    assert usable_processors(tmp_path / "missing") == len(os.sched_getaffinity(0))


def test_the_jobs_of_web_processes_are_begun_at_once(transactional_db, monkeypatch):
    monkeypatch.setattr(jobs, "_HANDLERS", {})
    monkeypatch.setattr(periodic, "_PERIODIC", {})
    # Without being told it would look much later.
    monkeypatch.setattr(worker, "POLL", 2 * LONG)
    ran = threading.Event()
    jobs.handler("note")(lambda payload: ran.set())
    hearing, ringing = os.pipe()
    carrying = worker.Worker()
    carrying.start()
    listening = threading.Thread(target=parts.listen_to_bell, args=(hearing, carrying))
    listening.start()
    time.sleep(0.5)
    Job.objects.create(kind="note", run_at=timezone.now(), pace=Pace.QUICK)
    parts.ring(ringing, timezone.now(), Pace.QUICK)
    assert ran.wait(LONG)
    os.close(ringing)
    listening.join(LONG)
    os.close(hearing)
    assert carrying.stop()
