"""Ten times as much: neither bringing mail in nor reading may take longer for what lies behind it.

The import is of the same number of messages into nothing and into nine times as many. The pages of
lists are those of two databases, alike but for their size, which answer by turns in processes of
their own.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.corpus import multiply
from bench.imports import ADDRESS, environment_of, manage, run_inside
from bench.results import ROOT, Result, milliseconds, percentile, take_over

# How many messages the larger one has; 100,000 is what the goal is about.
MESSAGES = int(os.environ.get("BENCH_MESSAGES", "100000"))
TIMES, GOAL = 40, 1.5
# What `furnish` calls its size: 1 is 100,000 messages.
SIZES = (MESSAGES / 1_000_000, MESSAGES / 100_000)
# Filters that nothing meets look through all rows of their kind, and are left out here.
_PAGES = " by "
# The lists of mail that people and agents look at most.
_MAIL = ("list_threads", "email_list inbox", "/threads by -updated_at", "/messages by -created_at")


def measure(maildir: Path, folder: Path) -> list[Result]:
    """Measure the import, then furnish two databases, ask both, and the larger one over HTTP."""
    results = [_import(maildir, folder / "import")]
    places = [folder / f"size-{size}" for size in SIZES]
    for place, size in zip(places, SIZES, strict=True):
        place.mkdir(parents=True)
        manage(place, "migrate", "--verbosity=0")
        run_inside(place, "bench.in_process.furnish", str(size))
    results += _compare(places)
    for asked in ("operations", "proposing"):
        results += take_over(run_inside(places[-1], f"bench.in_process.{asked}"))
    return results


# -- bringing in -----------------------------------------------------------------------------------
def _import(maildir: Path, folder: Path) -> Result:
    """Compare the rate of the first tenth with that of the last, each a run of its own."""
    folder.mkdir(parents=True)
    manage(folder, "migrate", "--verbosity=0")
    run_inside(folder, "bench.in_process.account")
    tenth = MESSAGES // 10
    first, _, last = (
        _import_some(maildir, folder, numbers)
        for numbers in (range(tenth), range(tenth, 9 * tenth), range(9 * tenth, 10 * tenth))
    )
    ratio = first / last
    shutil.rmtree(folder)
    return Result(
        f"import of {tenth} messages where {9 * tenth} are already", f"{last:.0f} messages/s",
        f"into nothing {first:.0f} messages/s", f"{ratio:.2f}", f"≤ {GOAL}", ratio <= GOAL,
    )  # fmt: skip


def _import_some(maildir: Path, folder: Path, numbers: range) -> float:
    source = multiply(maildir, folder / "mail", numbers)
    os.sync()
    start = time.perf_counter()
    manage(folder, "import_mail", str(source), "--inbox", ADDRESS)
    seconds = time.perf_counter() - start
    shutil.rmtree(source)
    return len(numbers) / seconds


# -- reading ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Pair:
    """The times of one page, in seconds: at a tenth of the rows, and at all."""

    name: str
    small: list[float]
    large: list[float]

    def growth(self, percent: int) -> float:
        """Return how many times as long the larger one takes."""
        return percentile(self.large, percent) / percentile(self.small, percent)


def _compare(places: list[Path]) -> list[Result]:
    pairs = list(_ask_both(places))
    lists = [pair for pair in pairs if _PAGES in pair.name]
    results = [_in_the_middle(lists, percent) for percent in (50, 95)]
    results.append(_slowest(lists))
    return results + [_one(pair) for pair in pairs if pair.name in _MAIL]


def _in_the_middle(pairs: list[_Pair], percent: int) -> Result:
    ours = statistics.median(percentile(pair.large, percent) for pair in pairs)
    anchor = statistics.median(percentile(pair.small, percent) for pair in pairs)
    growth = statistics.median(pair.growth(percent) for pair in pairs)
    return Result(
        f"{len(pairs)} pages of lists with ten times the rows, p{percent}", milliseconds(ours),
        f"a tenth of the rows {milliseconds(anchor)}", f"{growth:.2f}", f"≤ {GOAL}", growth <= GOAL,
    )  # fmt: skip


def _slowest(pairs: list[_Pair]) -> Result:
    slow = [pair for pair in pairs if pair.growth(50) > GOAL]
    return Result(
        f"of {len(pairs)} pages, those that grow more than {GOAL} times, p50", str(len(slow)), "–",
        ", ".join(f"{pair.name} {pair.growth(50):.2f}" for pair in slow) or "–", "none", not slow,
    )  # fmt: skip


def _one(pair: _Pair) -> Result:
    growth = pair.growth(95)
    return Result(
        f"{pair.name.removeprefix('/')} at {MESSAGES} messages, p95",
        milliseconds(percentile(pair.large, 95)),
        f"at {MESSAGES // 10} {milliseconds(percentile(pair.small, 95))}", f"{growth:.2f}",
        f"≤ {GOAL}", growth <= GOAL,
    )  # fmt: skip


def _ask_both(places: list[Path]) -> Iterator[_Pair]:
    names = run_inside(places[-1], "bench.in_process.readings", "--list").splitlines()
    small, large = (_Asked(place) for place in places)
    try:
        for name in names:
            if name in _MAIL or (name.startswith("/") and _PAGES in name):
                pair = _Pair(name, small.ask(name), large.ask(name))
                if pair.small and pair.large:
                    yield pair
    finally:
        small.end()
        large.end()


class _Asked:
    """A process that makes calls on one of the databases."""

    def __init__(self, place: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.in_process.readings"], cwd=ROOT, text=True,
            env={**os.environ, **environment_of(place)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def ask(self, name: str) -> list[float]:
        """Return the times of a call, in seconds; none where there is no such call."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{name}\t{TIMES}\n")
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        seconds: list[float] = found.get("seconds", [])
        return seconds

    def end(self) -> None:
        """Let it end."""
        self._process.communicate(timeout=30)
