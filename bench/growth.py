"""Readings of ten times as much: what a page takes must not grow with what lies behind it.

Two databases, alike but for their size, answer by turns in processes of their own.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.imports import environment_of, manage, run_inside
from bench.results import ROOT, Result, milliseconds, percentile, take_over

SIZES, TIMES, GOAL = (0.02, 0.2), 15, 1.5
# Filters that nothing meets look through all rows of their kind, and are left out here.
_PAGES = " by "


def measure(folder: Path) -> list[Result]:
    """Furnish both, ask both, and measure the operations of the larger one over HTTP."""
    places = [folder / f"size-{size}" for size in SIZES]
    for place, size in zip(places, SIZES, strict=True):
        place.mkdir(parents=True)
        manage(place, "migrate", "--verbosity=0")
        run_inside(place, "bench.in_process.furnish", str(size))
    results = take_over(run_inside(places[-1], "bench.in_process.operations"))
    return [*results, _compare(places)]


def _compare(places: list[Path]) -> Result:
    names = run_inside(places[-1], "bench.in_process.readings", "--list").splitlines()
    small, large = (_Asked(place) for place in places)
    growths: dict[str, float] = {}
    times: list[tuple[float, float]] = []
    for name in names:
        if not name.startswith("/") or _PAGES not in name:
            continue
        before, after = small.ask(name), large.ask(name)
        if before and after:
            growths[name] = after / before
            times.append((after, before))
    small.end()
    large.end()
    ours, anchor = (statistics.median(column) for column in zip(*times, strict=True))
    typical = statistics.median(growths.values())
    worst = max(growths, key=lambda name: growths[name])
    return Result(
        f"{len(growths)} pages of lists with ten times the rows, p50", milliseconds(ours),
        f"a tenth of the rows {milliseconds(anchor)}",
        f"{typical:.2f} (at most {growths[worst]:.2f}, {worst[1:]})", f"≤ {GOAL}", typical <= GOAL,
    )  # fmt: skip


class _Asked:
    """A process that makes calls on one of the databases."""

    def __init__(self, place: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.in_process.readings"], cwd=ROOT, text=True,
            env={**os.environ, **environment_of(place)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def ask(self, name: str) -> float:
        """Return what a call takes in the middle, in seconds; 0 where there is no such call."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{name}\t{TIMES}\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return percentile(found["seconds"], 50) if "seconds" in found else 0.0

    def end(self) -> None:
        """Let it end."""
        self._process.communicate(timeout=30)
