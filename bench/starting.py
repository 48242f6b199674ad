"""What a start costs the processor, until the first answers: `manage.py mcp`, and Django alone.

The anchor sets up Django with the same apps but for ours. All by turns, each in a process of its
own; the best of each counts, for whatever else the machine does only ever slows.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bench.imports import environment_of, manage, run_inside
from bench.results import ROOT, Result, milliseconds

TIMES = int(os.environ.get("BENCH_STARTS", "5"))
# In seconds of the processor.
GOAL = 1.0
# The agent that `furnish` makes.
READER = "Reader"
_SETUP = "import django; django.setup()"


def measure(folder: Path) -> list[Result]:
    """Start everything by turns, on a workspace with an agent."""
    folder.mkdir(parents=True)
    manage(folder, "migrate", "--verbosity=0")
    run_inside(folder, "bench.in_process.review_desk", "100", "5")
    # What was said before is there from the second start on.
    first = _ask(folder)
    anchor = _best(lambda: _set_up(folder, "bench.settings_of_others"))
    whole = _best(lambda: _set_up(folder, "project.settings"))
    ours = _best(lambda: _ask(folder))
    return [
        _result("start of mcp, initialize and tools/list, processor time", ours, anchor, GOAL),
        _result("the same, the first time after an update", first, anchor, None),
        _result("start of any other command, processor time", whole, anchor, None),
    ]


def _result(name: str, ours: float, anchor: float, goal: float | None) -> Result:
    return Result(
        name, milliseconds(ours), f"Django with the same apps but ours {milliseconds(anchor)}",
        f"{ours / anchor:.2f}", f"≤ {goal:.0f} s" if goal else "–",
        ours <= goal if goal else None,
    )  # fmt: skip


def _best(start: Callable[[], float]) -> float:
    return min(start() for _ in range(TIMES))


def _set_up(folder: Path, settings: str) -> float:
    before = os.times()
    environment = {**os.environ, **environment_of(folder), "DJANGO_SETTINGS_MODULE": settings}
    subprocess.run([sys.executable, "-c", _SETUP], cwd=ROOT, env=environment, check=True)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def _ask(folder: Path) -> float:
    """Return what the processor had done for it when the tools were told, in seconds."""
    server = subprocess.Popen(
        [sys.executable, "manage.py", "mcp", "--agent", READER], cwd=ROOT,
        env={**os.environ, **environment_of(folder)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert server.stdin
    assert server.stdout
    hello = {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }  # fmt: skip
    for message in (
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/list"},
    ):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    server.stdin.flush()
    told = [json.loads(server.stdout.readline()) for _ in range(2)]
    seconds = _seconds_of(server.pid)
    server.communicate(timeout=60)
    assert told[1]["result"]["tools"]
    return seconds


def _seconds_of(process: int) -> float:
    """Return what the processor did for a process, as Linux tells it (proc(5))."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
