"""Work in a child of this process, with a database and folders of its own, and what came of it."""

import json
import os
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from django.db import connection, connections

# A test that takes longer than this, and ten times as long as ever, has got into a loop.
LONGEST_SECONDS = 12.0
HANGS = "hangs"


def forked(work: Callable[[Path], Any], database: Path) -> Any:
    """Return what the work returns, which is given a folder of its own; HANGS where it got stuck.

    What went wrong otherwise is a text, too.
    """
    folder = Path(tempfile.mkdtemp(prefix="chancery-mutant-"))
    child = os.fork()
    if child == 0:
        _be_the_child(work, folder, database)
    try:
        _, status = os.waitpid(child, 0)
        with suppress(FileNotFoundError):
            return json.loads((folder / "said.json").read_text())
        is_alarm = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        return HANGS if is_alarm else f"ended with {status}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _be_the_child(work: Callable[[Path], Any], folder: Path, database: Path) -> None:
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        shutil.copyfile(database, folder / "test.sqlite3")
        for settings in (connection.settings_dict, connections.settings["default"]):
            settings["NAME"] = str(folder / "test.sqlite3")
        said = work(folder)
        (folder / "said.json").write_text(json.dumps(said))
    except BaseException:  # noqa: BLE001
        (folder / "said.json").write_text(json.dumps(f"broke: {traceback.format_exc()}"))
    finally:
        os._exit(0)


def close_databases() -> None:
    """Leave nothing open that a child would share with this process."""
    connections.close_all()


def run_here(item: pytest.Item) -> None:
    """Run a test in this process, whatever comes of it, and leave nothing of it set up."""
    runtestprotocol(item, log=False, nextitem=item)
    item.session._setupstate.teardown_exact(item.session)  # type: ignore[arg-type]


def run_tests(items: list[pytest.Item], folder: Path, usual: dict[str, float]) -> Iterator[bool]:
    """Run the tests in this process, which is a child; yield for each whether it passed."""
    session = items[0].session
    session.config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
    # What hangs is ended by the system: no test can catch that.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    session._setupstate.teardown_exact(items[0])
    for item, following in zip(items, [*items[1:], items[-1]], strict=True):
        signal.alarm(int(LONGEST_SECONDS + 10 * usual.get(item.nodeid, 1.0)))
        reports = runtestprotocol(item, log=False, nextitem=following)
        signal.alarm(0)
        yield not any(report.failed for report in reports)
