"""Watching a thousand accounts on loopback, over TLS: `python -m bench.watching`.

`manage.py watch` runs in a process of its own, at a server that is no real one: it tells of mail at
once, and costs nothing that is counted. The anchor is the same command of another version, from a
work tree that `--against` names. The certificates are the system's and one more, as in life.
`--dovecot` has a real server instead; of its users only so many get mail as inotify lets it notice.
"""

import json
import os
import signal
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from bench.imports import environment_of, manage
from bench.results import ROOT, Result, keep, percentile, show
from tests.crowded_imap import crowded_imap
from tests.dovecot import Dovecot, run_dovecot
from tests.servers import make_certificate

# In seconds of the processor, for each account an hour.
GOAL = 0.5
_ALONE = 60
_LETTER = b"From: ada@customer.example\r\nSubject: Lamp oil\r\n\r\nTwo barrels.\r\n"


class Server(Protocol):
    """Where the accounts lie: how many are waited for in IDLE, and how mail comes."""

    def settings(self, user: str) -> dict[str, object]:
        """Return what an account's settings hold of it."""
        ...

    def number_idling(self) -> int:
        """Return how many users are waited for."""
        ...

    def deliver(self, *users: str) -> None:
        """Have a letter come for each."""
        ...


@dataclass
class Measured:
    """What one version took; times in seconds, memory in bytes."""

    until_all: float = 0.0
    starting: float = 0.0
    resting: float = 0.0
    pss: int = 0
    empty: int = 0
    threads: int = 0
    alone: list[float] = field(default_factory=list)
    burst: list[float] = field(default_factory=list)
    asked: int = 0
    news: int = 0


class Crowd:
    """The server that is none, with certificates of its own."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._server = stack.enter_context(crowded_imap(make_certificate(folder / "own.pem")))
        self.ca_file = folder / "all.pem"
        system = ssl.get_default_verify_paths().cafile
        known = Path(system).read_bytes() if system else b""
        self.ca_file.write_bytes(known + (folder / "own.pem").read_bytes())

    def settings(self, user: str) -> dict[str, object]:
        """Return what an account's settings hold of it."""
        return self._server.settings(user, imap_ca_file=str(self.ca_file), imap_timeout=60)

    def number_idling(self) -> int:
        """Return how many users are waited for."""
        return self._server.number_idling

    def deliver(self, *users: str) -> None:
        """Have a letter come for each."""
        self._server.deliver(*users)


class Real:
    """Dovecot, with room for everybody."""

    def __init__(self, stack: ExitStack) -> None:
        self._server: Dovecot = stack.enter_context(run_dovecot(users_at_once=2500))

    def settings(self, user: str) -> dict[str, object]:
        """Return what an account's settings hold of it."""
        return self._server.settings(user, "tls", imap_timeout=60)

    def number_idling(self) -> int:
        """Count its processes that say of themselves that they idle."""
        titles = (path.read_bytes() for path in _command_lines())
        return sum(b"dovecot/imap" in title and b"IDLE" in title for title in titles)

    def deliver(self, *users: str) -> None:
        """Put a letter into the Maildir of each."""
        for user in users:
            new = self._server.maildir(user) / "new"
            (new.parent / "tmp" / "one").write_bytes(_LETTER)
            (new.parent / "tmp" / "one").rename(new / f"{time.time_ns()}.bench.here")


def _command_lines() -> Iterator[Path]:
    for folder in Path("/proc").glob("[0-9]*"):
        path = folder / "cmdline"
        if os.access(path, os.R_OK):
            yield path


# -- one version -----------------------------------------------------------------------------------
def measure(tree: Path, server: Server, users: list[str], folder: Path, rest: float) -> Measured:
    """Watch the accounts of the data in a folder with the version in a tree."""
    found = Measured()
    with _watching(tree, folder, 1) as process:
        time.sleep(8)
        found.empty = _pss(process)
    _calm(folder)
    before = server.number_idling()
    with _watching(tree, folder, len(users) + 10) as process:
        began = time.monotonic()
        _until(lambda: server.number_idling() - before >= len(users), 900)
        found.until_all, found.starting = time.monotonic() - began, _processor(process)
        time.sleep(15)
        used = _processor(process)
        time.sleep(rest)
        found.resting = (_processor(process) - used) / rest * 3600 / len(users)
        _bring_news(server, users, folder, found)
        found.pss, found.threads = _pss(process), _threads(process)
    return found


def _bring_news(server: Server, users: list[str], folder: Path, found: Measured) -> None:
    told: dict[str, float] = {}
    _calm(folder)
    for user in users[:_ALONE]:
        told[user] = time.time()
        server.deliver(user)
        time.sleep(0.2)
    found.alone = _heard(folder, told)
    _calm(folder)
    told = dict.fromkeys(users, time.time())
    server.deliver(*users)
    found.burst = _heard(folder, told)
    found.asked, found.news = len(found.alone) + len(found.burst), len(users[:_ALONE]) + len(users)


def _heard(folder: Path, told: dict[str, float]) -> list[float]:
    """Return how long after the news a sync was asked for, of all who were in a minute."""
    query = (
        "SELECT account.address, min(job.run_at)"
        " FROM inbox_job AS job JOIN inbox_account AS account ON account.id = job.account_id"
        " WHERE job.kind = 'account.sync' GROUP BY account.address"
    )
    end = time.monotonic() + 60
    with closing(_database(folder)) as database:
        while True:
            rows = dict(database.execute(query).fetchall())
            if len(rows) >= len(told) or time.monotonic() > end:
                break
            time.sleep(0.5)
    times = {address.partition("@")[0]: _seconds(at) for address, at in rows.items()}
    return [times[user] - at for user, at in told.items() if user in times]


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def _calm(folder: Path) -> None:
    """Have nothing be asked for."""
    with closing(_database(folder)) as database, database:
        database.execute("DELETE FROM inbox_job WHERE kind = 'account.sync'")
        database.execute("UPDATE inbox_syncstate SET next_at = datetime('now', '+1 day')")


def _database(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "chancery.sqlite3", timeout=60)


# -- the process -----------------------------------------------------------------------------------
@contextmanager
def _watching(tree: Path, folder: Path, most: int) -> Iterator[int]:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "watch", "--most", str(most)], cwd=tree,
        env={**os.environ, **environment_of(folder)}, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout
    process.stdout.readline()
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def _processor(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _pss(process: int) -> int:
    return _kilobytes(f"/proc/{process}/smaps_rollup", "Pss:") * 1024


def _threads(process: int) -> int:
    return _kilobytes(f"/proc/{process}/status", "Threads:")


def _kilobytes(path: str, name: str) -> int:
    lines = Path(path).read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def _until(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("Not all accounts were watched in time.")
        time.sleep(0.2)


# -- both ------------------------------------------------------------------------------------------
def compare(number: int, ours: Measured, other: Measured | None) -> list[Result]:
    """Return a line for each thing that was measured."""

    def line(
        name: str, what: Callable[[Measured], float], unit: str, goal: float | None = None
    ) -> Result:
        here, there = what(ours), what(other) if other else None
        return Result(
            f"watching {number:,} accounts: {name}", f"{here:.3g} {unit}",
            f"{there:.3g} {unit}" if there is not None else "–",
            f"{here / there:.2f}" if there else "–", f"≤ {goal} {unit}" if goal else "–",
            here <= goal if goal else None,
        )  # fmt: skip

    mega = 1024 * 1024
    return [
        line("memory (PSS)", lambda it: it.pss / mega, "MB"),
        line("of it for each account", lambda it: (it.pss - it.empty) / number / 1024, "kB"),
        line("threads", lambda it: it.threads, ""),
        line("until all are watched", lambda it: it.until_all, "s"),
        line("processor until then", lambda it: it.starting, "s"),
        line("processor at rest, each account an hour", lambda it: it.resting, "s", GOAL),
        *(
            line(f"{name}, p{percent}", partial(_percentile, of=of, percent=percent), "s")
            for name, of in (
                ("one letter noticed", "alone"),
                ("a letter for each at once noticed", "burst"),
            )
            for percent in (50, 95)
        ),
        line("noticed of all that came", lambda it: it.asked / it.news * 100, "%"),
    ]


def _percentile(found: Measured, of: str, percent: int) -> float:
    return percentile(getattr(found, of), percent)


def main() -> None:
    """Measure by turns, show, and keep."""
    parser = ArgumentParser(description="Measure watching many accounts.")
    parser.add_argument("--accounts", type=int, default=1000)
    parser.add_argument("--rest", type=float, default=240, help="seconds of measuring at rest")
    parser.add_argument("--against", type=Path, help="the work tree of another version")
    parser.add_argument("--dovecot", action="store_true", help="at a real server")
    parser.add_argument("--keep", action="store_true", help="put the table into RESULTS.md")
    given = parser.parse_args()
    load = os.getloadavg()[0]
    users = [f"user{number}" for number in range(given.accounts)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="chancery-bench-")))
        server: Server = Real(stack) if given.dovecot else Crowd(stack, folder)
        manage(folder, "migrate", "--verbosity=0")
        subprocess.run(
            [sys.executable, "-m", "bench.in_process.watched_accounts"], cwd=ROOT, check=True,
            env={**os.environ, **environment_of(folder)}, text=True,
            input=json.dumps([server.settings(user) for user in users]),
        )  # fmt: skip
        other = measure(given.against, server, users, folder, given.rest) if given.against else None
        ours = measure(ROOT, server, users, folder, given.rest)
    results = compare(given.accounts, ours, other)
    for result in results:
        show(result)
    if given.keep:
        keep(results, load)


if __name__ == "__main__":
    main()
