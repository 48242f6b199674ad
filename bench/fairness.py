"""How much later a send of one account leaves while another account brings in very much mail.

Jobs are carried as `manage.py up` does, in the process that is asked to approve; the other
account's mail is imported by the command, and what follows from it (classifying, invitations) waits
for the same worker.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.corpus import multiply
from bench.databases import in_postgresql
from bench.growth import MESSAGES
from bench.imports import ADDRESS, environment_of, manage, run_inside
from bench.results import ROOT, Result, milliseconds, percentile

# How many times as long as alone a send may take.
GOAL = 2.0


def measure(maildir: Path, folder: Path) -> list[Result]:
    """Send without and with the import of another account at work, on each database."""
    folder.mkdir(parents=True)
    source = multiply(maildir, folder / "mail", range(MESSAGES))
    results = _measure("SQLite", source, folder / "sqlite")
    with in_postgresql(folder / "postgresql") as is_there:
        if is_there:
            results += _measure("PostgreSQL", source, folder / "postgresql")
    return results


def _measure(database: str, source: Path, folder: Path) -> list[Result]:
    folder.mkdir(parents=True, exist_ok=True)
    manage(folder, "migrate", "--verbosity=0")
    run_inside(folder, "bench.in_process.account")
    quiet = _send(folder)
    with _importing(source, folder) as command:
        busy = _send(folder)
        still = command.poll() is None
    return [_compare(database, quiet, busy, percent, whole=still) for percent in (50, 95)]


def _send(folder: Path) -> list[float]:
    """Return how long each send took from the release to the final dot, in seconds."""
    printed = run_inside(folder, "bench.in_process.sends").splitlines()[-1]
    return [float(each) for each in printed.split()]


@contextmanager
def _importing(source: Path, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = subprocess.Popen(
        [sys.executable, "manage.py", "import_mail", str(source), "--inbox", ADDRESS], cwd=ROOT,
        env={**os.environ, **environment_of(folder)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield command
    finally:
        command.terminate()
        command.wait(60)


def _compare(
    database: str, quiet: list[float], busy: list[float], percent: int, *, whole: bool
) -> Result:
    """`whole`: the import went on until the last send, or else nothing can be said."""
    ours, anchor = percentile(busy, percent), percentile(quiet, percent)
    ratio = ours / anchor
    return Result(
        f"a send while another account brings in {MESSAGES} messages, {database}, p{percent}",
        milliseconds(ours), f"alone {milliseconds(anchor)}", f"{ratio:.2f}", f"≤ {GOAL}",
        ratio <= GOAL if whole else None,
    )  # fmt: skip
