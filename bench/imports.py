"""Import of a Maildir (read, parse, store, thread, index) against `notmuch new` on it.

Each has the machine to itself while it runs. They take turns, the first of a round by turns too,
after all mail was read once and with nothing left to be written to disk; the best round of each
counts, for whatever else the machine does only ever slows.
"""

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from bench.corpus import count_files
from bench.databases import database_of
from bench.notmuch import Notmuch
from bench.results import ROOT, Result

ADDRESS = "bench@lantern.example"
# Of the whole command, its start among it.
GOAL = 2.0
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "3"))


def measure(maildir: Path, folder: Path) -> list[Result]:
    """Import and index in turn, each time from nothing; leave the last of each in `folder`/last."""
    ours: list[float] = []
    anchor: list[float] = []
    read_all(maildir)
    for turn in range(ROUNDS):
        place = folder / ("last" if turn == ROUNDS - 1 else f"turn{turn}")
        steps = [lambda at=place: ours.append(import_once(maildir, at / "chancery"))]
        if Notmuch.is_installed():
            steps.append(lambda at=place: anchor.append(Notmuch(maildir, at / "notmuch").index()))
        for step in steps if turn % 2 else reversed(steps):
            os.sync()
            step()
    count, threads = count_files(maildir), count_threads(folder / "last" / "chancery")
    speed = count / min(ours)
    if not anchor:
        return [
            Result(
                "import",
                f"{speed:.0f} messages/s",
                "notmuch is not installed",
                "–",
                f"≥ {GOAL}",
                None,
            ),
            Result("threads", str(threads), "notmuch is not installed", "–", "≤ 0.5 % off", None),
        ]
    anchor_speed = count / min(anchor)
    expected = Notmuch(maildir, folder / "last" / "notmuch").count_threads()
    off = abs(threads - expected) / expected * 100
    ratio = speed / anchor_speed
    return [
        Result(
            f"import of {count} messages, best of {ROUNDS}", f"{speed:.0f} messages/s",
            f"notmuch {anchor_speed:.0f} messages/s", f"{ratio:.2f}", f"≥ {GOAL}", ratio >= GOAL,
        ),
        Result(
            "threads found", str(threads), f"notmuch {expected}", f"{off:.2f} % off", "≤ 0.5 % off",
            off <= 0.5,
        ),
    ]  # fmt: skip


def read_all(maildir: Path) -> None:
    """Read every file once, so that the first to be measured does not pay for the disk."""
    for path in maildir.rglob("*"):
        if path.is_file():
            path.read_bytes()


def import_once(maildir: Path, folder: Path) -> float:
    """Import into a new database, by the command that everybody uses; return the seconds."""
    folder.mkdir(parents=True)
    manage(folder, "migrate", "--verbosity=0")
    run_inside(folder, "bench.in_process.account")
    os.sync()
    start = time.perf_counter()
    manage(folder, "import_mail", str(maildir), "--inbox", ADDRESS)
    return time.perf_counter() - start


def manage(folder: Path, *arguments: str) -> str:
    """Run a management command on the data in a folder."""
    return _run(folder, str(ROOT / "manage.py"), *arguments)


def run_inside(folder: Path, module: str, *arguments: str) -> str:
    """Run a module of ours, with Django set up on the data in a folder; return what it printed."""
    return _run(folder, "-m", module, *arguments)


def environment_of(folder: Path) -> dict[str, str]:
    """Return the variables by which a process works on the data in a folder."""
    return {
        "CHANCERY_VAR": str(folder),
        "DATABASE_URL": database_of(folder),
    }


def _run(folder: Path, *arguments: str) -> str:
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment_of(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise SystemExit(run.stderr or f"{arguments} failed")
    return run.stdout


def count_threads(folder: Path) -> int:
    """Return how many threads an import found."""
    with sqlite3.connect(folder / "chancery.sqlite3") as database:
        (count,) = database.execute(
            "SELECT count(*) FROM inbox_thread WHERE merged_into_id IS NULL"
        ).fetchone()
    return int(count)
