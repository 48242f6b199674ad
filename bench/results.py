"""What a benchmark found, and how it is shown and kept."""

import json
import os
import platform
import sqlite3
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).with_name("RESULTS.md")
_HEAD = """# Results

Each run of `make bench` puts its table here, newest first. A ratio compares with the anchor, which
was measured in the same run, turn by turn; that of speeds should be high, that of times low. The
load is that of the minute before the run: over 0.5, something else was at work as well.
"""


@dataclass(frozen=True)
class Result:
    """One line: what was measured, ours and the anchor's, their ratio, the goal, and if it is met.

    `met` is None where the anchor is missing and nothing can be said.
    """

    name: str
    ours: str
    anchor: str
    ratio: str
    goal: str
    met: bool | None

    @property
    def verdict(self) -> str:
        """Whether the goal was met, as a word."""
        return {True: "yes", False: "NO", None: "not measured"}[self.met]


def hand_over(results: Iterable[Result]) -> None:
    """Print results as JSON, for the process that started this one."""
    print(json.dumps([asdict(result) for result in results]))


def take_over(output: str) -> list[Result]:
    """Return the results that a benchmark's process printed last."""
    return [Result(**fields) for fields in json.loads(output.splitlines()[-1])]


def percentile(times: Sequence[float], percent: int) -> float:
    """Return the smallest time that `percent` of the times do not exceed."""
    return sorted(times)[max(0, -(-len(times) * percent // 100) - 1)]


def milliseconds(seconds: float) -> str:
    """Return a time as text."""
    return f"{seconds * 1000:.1f} ms"


def show(result: Result) -> None:
    """Print a line for a person."""
    print(f"  {result.name}: {result.ours} against {result.anchor}")
    print(f"    ratio {result.ratio}, goal {result.goal}: {result.verdict}", flush=True)


def keep(results: Sequence[Result], load: float) -> None:
    """Put a table of this run at the top of RESULTS.md; `load` is the load average before it."""
    rows = [
        f"| {r.name} | {r.ours} | {r.anchor} | {r.ratio} | {r.goal} | {r.verdict} |"
        for r in results
    ]
    table = [
        f"## {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {_commit()}",
        "",
        f"{os.cpu_count()} processors, Python {platform.python_version()}, SQLite "
        f"{sqlite3.sqlite_version}, {platform.system()} {platform.machine()}, load {load:.1f}",
        "",
        "| what | ours | anchor | ratio | goal | met |",
        "|---|---|---|---|---|---|",
        *rows,
    ]
    before = RESULTS.read_text().removeprefix(_HEAD) if RESULTS.exists() else ""
    RESULTS.write_text("\n".join([_HEAD, *table, ""]) + before)


def _commit() -> str:
    def git(*arguments: str) -> str:
        run = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return run.stdout.strip()

    commit = git("rev-parse", "--short", "HEAD") or "no commit"
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "*.py")
    return f"{commit} with changes" if changed else commit
