"""What the pages that people look at most cost the processor, against a bare view behind them.

In one process and by turns: the seconds of the processor for a page, warm, as a multiple of those
of a view that does nothing behind the same middleware and with the same session; and how many
statements a page makes. What the processor cannot keep apart, such as garbage collected in between,
is in both.
"""

import gc
import statistics
import time
from collections.abc import Callable

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings
from django.urls import reverse

from bench.in_process.review_asking import find_pages, sign_in
from bench.results import Result, hand_over, milliseconds

TURNS, WARM_UP = 40, 4
# A bare view is so quick that one alone would be measured badly.
BARE_AT_ONCE = 10
BARE = "/bare"
# By how many times the bare view each page of 0.2.0 was dearer, and may be.
PAGES = {"queue, needs-you": (26.1, 10), "review page": (51.2, 15), "oversight": (39.9, 20)}


@override_settings(ROOT_URLCONF="bench.urls")
def measure() -> list[Result]:
    """Ask for each page in turn, and compare the medians."""
    client, found = sign_in(), {**find_pages(), "oversight": reverse("oversight")}
    pages = {name: found[name] for name in PAGES}
    queries = {name: _warm_up(client, path) for name, path in pages.items()}
    _warm_up(client, BARE)
    # As a process that serves does, once it is loaded (`project/asgi.py`).
    gc.collect()
    gc.freeze()
    times: dict[str, list[float]] = {name: [] for name in (BARE, *pages)}
    for _ in range(TURNS):
        bare = _seconds(lambda: [client.get(BARE) for _ in range(BARE_AT_ONCE)])
        times[BARE].append(bare / BARE_AT_ONCE)
        for name, path in pages.items():
            times[name].append(_seconds(lambda path=path: client.get(path)))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    return [
        _result(name, medians[name], medians[BARE], queries[name], told)
        for name, told in PAGES.items()
    ]


def _result(name: str, ours: float, bare: float, queries: int, told: tuple[float, float]) -> Result:
    ratio, (before, goal) = ours / bare, told
    return Result(
        f"processor time of the page: {name}, median",
        f"{milliseconds(ours)}, {queries} statements", f"bare view {milliseconds(bare)}",
        f"{ratio:.1f}", f"≤ {goal}, 0.2.0: {before}", ratio <= goal,
    )  # fmt: skip


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _warm_up(client: Client, path: str) -> int:
    """Ask for a page until all that is kept is there; return how many statements it makes then."""
    for _ in range(WARM_UP):
        client.get(path)
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(path)
    if answer.status_code != 200:
        raise SystemExit(f"{path} answered {answer.status_code}")
    return len(queries)


if __name__ == "__main__":
    hand_over(measure())
