"""The pages of a reviewer with 50 times as much to review: they may not take longer for it.

Two databases, of 1,000 messages with 100 open items and of 100,000 with 5,000, are each served as
in production; a signed-in browser asks both for every tab of the queue and for the pages of items,
by turns. Queries are counted in the process of the database, once for each page.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

from bench.databases import database_of
from bench.imports import environment_of, manage, run_inside
from bench.results import ROOT, Result, milliseconds, percentile, take_over
from tests.up import Up

MESSAGES = int(os.environ.get("BENCH_REVIEW_MESSAGES", "100000"))
OPEN = int(os.environ.get("BENCH_REVIEW_OPEN", "5000"))
TIMES = int(os.environ.get("BENCH_REVIEW_TIMES", "60"))
SMALL = (1000, 100)
# What the processor time of pages was measured with for 0.2.0.
MIDDLE = (3000, 500)
WARM_UP, GOAL = 8, 1.5
OFFICE, REVIEWER, BY_KEYS = "ghent_museum", "bench-reviewer", 60


def measure(folder: Path) -> list[Result]:
    """Furnish both, ask both, and compare the slowest twentieth of their answers."""
    desks = []
    for name, (messages, items) in (("small", SMALL), ("large", (MESSAGES, OPEN))):
        place = folder / name
        place.mkdir(parents=True)
        manage(place, "migrate", "--verbosity=0")
        run_inside(place, "bench.in_process.review_desk", str(messages), str(items))
        desks.append(_Desk(place))
    try:
        return [_compare(page, *desks) for page in desks[0].pages]
    finally:
        for desk in desks:
            desk.end()


def measure_costs(folder: Path) -> list[Result]:
    """Furnish a desk, and measure what its pages cost the processor."""
    folder.mkdir(parents=True)
    manage(folder, "migrate", "--verbosity=0")
    run_inside(folder, "bench.in_process.review_desk", *map(str, MIDDLE))
    return take_over(run_inside(folder, "bench.in_process.page_costs"))


def measure_screens(folder: Path) -> list[Result]:
    """Say what of the letters of an office is on the first screen, and how quick keys are."""
    results = []
    office = str(ROOT / "bench" / "letters" / "offices" / f"{OFFICE}.yaml")
    # Playwright runs an event loop in its thread, under which Django would refuse the database.
    with mock.patch.dict(os.environ, {"DJANGO_ALLOW_ASYNC_UNSAFE": "1"}):
        for name, module, arguments in (
            ("screens", "first_screen", [office]),
            ("keys", "by_keys", [REVIEWER, str(BY_KEYS), f"{OPEN} open items"]),
            ("demo", "by_keys", ["reviewer", str(BY_KEYS), "the demo"]),
        ):  # fmt: skip
            place = folder / name
            place.mkdir(parents=True)
            manage(place, "migrate", "--verbosity=0")
            if name == "keys":
                run_inside(place, "bench.in_process.review_desk", str(MESSAGES // 20), str(OPEN))
            if name == "demo":
                _make_demo(place)
            results += take_over(run_inside(place, f"bench.in_process.{module}", *arguments))
    return results


def _make_demo(place: Path) -> None:
    """Make the demo and let its agent read and propose, over HTTP as anybody's does."""
    up = Up(place, "--demo", DATABASE_URL=database_of(place))
    try:
        subprocess.run(
            [sys.executable, "examples/demo_agent.py", "--url", up.wait_until_ready()], cwd=ROOT,
            env={**os.environ, "CHANCERY_TOKEN": up.secret("token")}, check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
    finally:
        up.stop()


def _compare(page: str, small: "_Desk", large: "_Desk") -> Result:
    times: dict[str, list[float]] = {"small": [], "large": []}
    for turn in range(TIMES + WARM_UP):
        for name, desk in (("small", small), ("large", large)):
            seconds = desk.ask(page)
            if turn >= WARM_UP:
                times[name].append(seconds)
    ours, anchor = percentile(times["large"], 95), percentile(times["small"], 95)
    queries = (small.pages[page], large.pages[page])
    ratio = ours / anchor
    return Result(
        f"{page} with {OPEN} open items and {MESSAGES} messages, p95",
        f"{milliseconds(ours)}, {queries[1]} queries",
        f"with {SMALL[1]} and {SMALL[0]} {milliseconds(anchor)}, {queries[0]} queries",
        f"{ratio:.2f}", f"≤ {GOAL}, as many queries", ratio <= GOAL and queries[1] <= queries[0],
    )  # fmt: skip


class _Desk:
    """A process that serves one of the databases and asks for its pages."""

    def __init__(self, place: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.in_process.review_asking"], cwd=ROOT, text=True,
            env={**os.environ, **environment_of(place)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        # The names of its pages, and how many queries each makes.
        self.pages: dict[str, int] = self._read()

    def ask(self, page: str) -> float:
        """Return how long a page took, in seconds."""
        assert self._process.stdin
        self._process.stdin.write(f"{page}\n")
        self._process.stdin.flush()
        seconds: float = self._read()
        return seconds

    def end(self) -> None:
        """Let it end."""
        self._process.communicate(timeout=60)

    def _read(self) -> Any:
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())
