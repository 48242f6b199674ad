"""Lists of threads on several connections at once: how many a second, and the slowest of them.

The anchor of the rate is a view by the same way that reads the same 50 rows with `values()` and
answers them with `JsonResponse`: no token, no contract, no receipt. The slowest are compared with
the median of one connection alone.
"""

import http.client
import time
from concurrent.futures import ThreadPoolExecutor

from agents.operations.agents import create_agent, known_scopes
from bench.in_process.tool_calls import call, serving
from bench.results import Result, hand_over, milliseconds, percentile
from inbox.models import Inbox

CONNECTIONS, ROUNDS, CALLS, WARM_UP = 8, 6, 60, 20
GOAL_RATE, GOAL_SLOWEST = 0.8, 15
VALUES, BARE = "/api/values", "/api/bare"


def measure() -> list[Result]:
    """Call by turns: ours, the plain view and the bare one, alone and eight at once."""
    inbox = Inbox.objects.select_related("workspace").get()
    _, token = create_agent(
        workspace=inbox.workspace, name=f"Lister {time.time_ns()}", scopes=known_scopes(),
        inboxes=[inbox],
    )  # fmt: skip
    ours = "/api/tools/list_threads"
    asked = {"inbox_id": inbox.public_id}
    alone: dict[str, list[float]] = {ours: [], VALUES: [], BARE: []}
    at_once: dict[str, list[float]] = {path: [] for path in alone}
    rates: dict[str, list[float]] = {path: [] for path in alone}
    with serving() as first:
        for path in alone:
            _calls(first, path, asked, token, WARM_UP)
        for _ in range(ROUNDS):
            for path in alone:
                # New ones, for the server closes what is idle meanwhile.
                one, *others = (_connect(first) for _ in range(CONNECTIONS + 1))
                alone[path] += _calls(one, path, asked, token, CALLS)
                seconds, times = _together(others, path, asked, token)
                at_once[path] += times
                rates[path].append(len(times) / seconds)
    best = {path: max(found) for path, found in rates.items()}
    slowest = {path: percentile(at_once[path], 99) / percentile(alone[path], 50) for path in alone}
    rate = best[ours] / best[VALUES]
    return [
        Result(
            f"list_threads, 50 threads, {CONNECTIONS} connections", f"{best[ours]:.0f} a second",
            f"values() and JsonResponse {best[VALUES]:.0f} a second", f"{rate:.2f}",
            f"≥ {GOAL_RATE}", rate >= GOAL_RATE,
        ),
        Result(
            f"list_threads, {CONNECTIONS} connections, p99 against the p50 of one",
            milliseconds(percentile(at_once[ours], 99)),
            f"one {milliseconds(percentile(alone[ours], 50))} (bare view {slowest[BARE]:.1f})",
            f"{slowest[ours]:.1f}", f"≤ {GOAL_SLOWEST}", slowest[ours] <= GOAL_SLOWEST,
        ),
    ]  # fmt: skip


def _connect(first: http.client.HTTPConnection) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(first.host, first.port, timeout=30)


def _calls(
    connection: http.client.HTTPConnection,
    path: str,
    asked: dict[str, object],
    token: str,
    count: int,
) -> list[float]:
    return [call(connection, path, asked, token) for _ in range(count)]


def _together(
    connections: list[http.client.HTTPConnection], path: str, asked: dict[str, object], token: str
) -> tuple[float, list[float]]:
    """Return how long all took, and each call's time."""
    start = time.perf_counter()
    with ThreadPoolExecutor(len(connections)) as threads:
        found = threads.map(lambda it: _calls(it, path, asked, token, CALLS), connections)
        times = [seconds for each in found for seconds in each]
    return time.perf_counter() - start, times


if __name__ == "__main__":
    hand_over(measure())
