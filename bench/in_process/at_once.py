"""Lists of threads on several connections at once: how many a second, and the slowest of them.

Served as `manage.py up` does, by as many web processes as it starts by itself, and by one. The
anchor of the rate is a view by the same way, of the same processes, that reads the same 50 rows
with `values()` and answers them with `JsonResponse`: no token, no contract, no receipt. The slowest
are compared with the median of one connection alone.
"""

import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from agents.management.commands.up import MOST_BY_DEFAULT
from agents.management.processors import usable_processors
from agents.operations.agents import create_agent, known_scopes
from bench.in_process.tool_calls import call, find_port, wait_for
from bench.results import ROOT, Result, hand_over, milliseconds, percentile
from inbox.background.jobs import run_due
from inbox.models import Inbox

CONNECTIONS, ROUNDS, CALLS, WARM_UP = 8, 6, 60, 20
GOAL_RATE, GOAL_SLOWEST = 0.8, 15
OURS, VALUES, BARE = "/api/tools/list_threads", "/api/values", "/api/bare"
_PATHS = (OURS, VALUES, BARE)


@dataclass
class _Times:
    """What was measured of an address: seconds of calls, and rates by the round."""

    alone: list[float] = field(default_factory=list)
    at_once: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)

    @property
    def slowest(self) -> float:
        return percentile(self.at_once, 99) / percentile(self.alone, 50)


def measure() -> list[Result]:
    """Call by turns: ours, the plain view and the bare one, alone and eight at once."""
    inbox = Inbox.objects.select_related("workspace").get()
    _, token = create_agent(
        workspace=inbox.workspace, name=f"Lister {time.time_ns()}", scopes=known_scopes(),
        inboxes=[inbox],
    )  # fmt: skip
    # Else the process with the jobs would be at work beside what is measured.
    while run_due():
        pass
    many = min(usable_processors(), MOST_BY_DEFAULT)
    numbers = sorted({1, many})
    times = {number: {path: _Times() for path in _PATHS} for number in numbers}
    caller = _Caller({"inbox_id": inbox.public_id}, token)
    with ExitStack() as stack:
        ports = {number: stack.enter_context(_up(number)) for number in numbers}
        for turn in range(ROUNDS + 1):
            # The first warms up; who goes first changes.
            for number in numbers if turn % 2 else numbers[::-1]:
                for path, found in times[number].items():
                    caller.measure(ports[number], path, found if turn else _Times())
    return [*_against_anchor(times[many], many), *_against_one(times, many)]


@dataclass(frozen=True)
class _Caller:
    asked: dict[str, object]
    token: str

    def measure(self, port: int, path: str, times: _Times) -> None:
        """Call on one connection, then on all others, which are new: idle ones are closed."""
        one, *others = [
            http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            for _ in range(CONNECTIONS + 1)
        ]
        self._calls(one, path, WARM_UP)
        times.alone += self._calls(one, path, CALLS)
        start = time.perf_counter()
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            found = threads.map(lambda it: self._calls(it, path, CALLS), others)
            at_once = [seconds for each in found for seconds in each]
        times.rates.append(len(at_once) / (time.perf_counter() - start))
        times.at_once += at_once
        for connection in (one, *others):
            connection.close()

    def _calls(self, connection: http.client.HTTPConnection, path: str, count: int) -> list[float]:
        return [call(connection, path, self.asked, self.token) for _ in range(count)]


def _against_anchor(times: dict[str, _Times], processes: int) -> list[Result]:
    ours, best = times[OURS], {path: max(found.rates) for path, found in times.items()}
    rate = best[OURS] / best[VALUES]
    served = f"{CONNECTIONS} connections, {processes} web processes"
    return [
        Result(
            f"list_threads, 50 threads, {served}", f"{best[OURS]:.0f} a second",
            f"values() and JsonResponse {best[VALUES]:.0f} a second", f"{rate:.2f}",
            f"≥ {GOAL_RATE}", rate >= GOAL_RATE,
        ),
        Result(
            f"list_threads, {served}, p99 against the p50 of one",
            milliseconds(percentile(ours.at_once, 99)),
            f"one {milliseconds(percentile(ours.alone, 50))} (bare view {times[BARE].slowest:.1f}, "
            f"values() {times[VALUES].slowest:.1f})",
            f"{ours.slowest:.1f}", f"≤ {GOAL_SLOWEST}", ours.slowest <= GOAL_SLOWEST,
        ),
    ]  # fmt: skip


def _against_one(times: dict[int, dict[str, _Times]], processes: int) -> list[Result]:
    """Return how many a second they answer against one process; nothing where there is one."""
    if processes == 1:
        return []
    many, one = (
        {path: max(found.rates) for path, found in times[number].items()}
        for number in (processes, 1)
    )
    anchor = many[VALUES] / one[VALUES]
    return [
        Result(
            f"list_threads, {CONNECTIONS} connections, {processes} web processes against one",
            f"{many[OURS]:.0f} a second",
            f"one {one[OURS]:.0f} a second (its p99 {times[1][OURS].slowest:.1f}, "
            f"values() ×{anchor:.2f})",
            f"{many[OURS] / one[OURS]:.2f}", "–", None,
        )
    ]  # fmt: skip


@contextmanager
def _up(processes: int) -> Iterator[int]:
    """Serve by `manage.py up`; yield the port."""
    port = find_port()
    server = subprocess.Popen(
        [
            sys.executable, "manage.py", "up", "--port", str(port),
            "--web-processes", str(processes),
        ],
        cwd=ROOT, env={**os.environ, "DJANGO_SETTINGS_MODULE": "bench.settings"},
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(server, port)
        yield port
    finally:
        server.terminate()
        server.wait(timeout=30)


if __name__ == "__main__":
    hand_over(measure())
