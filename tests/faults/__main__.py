"""`python -m tests.faults [KILLS [APPROVALS [PLANTED]]]`: disturb, and see every promise hold.

Writes its figures to bench/RESULTS.md, unless FAULTS_KEEP=0. `FAULTS_SEED` chooses what happens,
`FAULTS_PROCESSES` (2) among how many processes, each with a database of its own, it is divided, and
`FAULTS_MINUTES` when it ends at the latest, with what was done until then. With `FAULTS_BROKER`,
`redis` or `rabbitmq` for a server of its own, or the address of one, two Celery workers carry the
approved mail and are killed by turns, most of them in the middle of a send.
So many planted items are attacked at last, see `planted_items`; `python -m tests.faults planted N`
does no more than that. The exit status is 1 where an invariant was broken.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from bench.results import ROOT, Result, keep
from tests.faults import victims
from tests.faults.brokered import run_brokered
from tests.faults.crew import DEATHS
from tests.faults.invariants import check
from tests.faults.kills import run_kills
from tests.faults.planted_items import LEAST, PLANTED, TRIES, run_planted
from tests.faults.random_approvals import run_approvals
from tests.faults.stage import stage
from tests.faults.tally import Tally, say

KILLS, APPROVALS, BROKERED = 2000, 5000, 500
_WANTED = (("killed", KILLS), ("planted", PLANTED), ("Celery", BROKERED), ("", APPROVALS))
# What is told of the ends of runs.
_TOLD = (DEATHS, TRIES, LEAST)


def main() -> int:
    """Run it, or one part of it, or what is planted; return the exit status."""
    if sys.argv[1:2] == ["planted"]:
        numbers = [0, 0, *(int(it) for it in sys.argv[2:3] or [PLANTED])]
    else:
        numbers = [int(it) for it in sys.argv[1:]]
    if len(numbers) == 5:
        return _one_part(*numbers)
    given = [*numbers, *(KILLS, APPROVALS, PLANTED)[len(numbers) :]]
    parts = int(os.environ.get("FAULTS_PROCESSES", "2"))
    load = os.getloadavg()[0]
    tallies = [tally for each in _stages(given) for tally in _in_parts(each, parts)]
    for tally in tallies:
        say(tally.told())
        for words in tally.broken:
            say(f"BROKEN {words}")
    if os.environ.get("FAULTS_KEEP", "1") != "0":
        keep(list(_results(tallies)), load)
    return int(any(tally.broken for tally in tallies))


def _stages(given: list[int]) -> list[list[int]]:
    """Return what is done one after the other: what is planted has a database of its own."""
    kills, approvals, planted = given
    return [each for each in ([kills, approvals, 0], [0, 0, planted]) if any(each)]


def _in_parts(numbers: list[int], parts: int) -> list[Tally]:
    with ThreadPoolExecutor(parts) as pool:
        told = list(pool.map(partial(_start, numbers, parts), range(parts)))
    return [Tally.together(each) for each in zip(*told, strict=True)]


def _start(numbers: list[int], parts: int, part: int) -> list[Tally]:
    """Run one part as a process of its own, telling what it tells; return what it came to."""
    command = [sys.executable, "-m", "tests.faults", *map(str, [*numbers, parts, part])]
    environment = os.environ | {"CHANCERY_VAR": ""}
    del environment["CHANCERY_VAR"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        last = ""
        for line in process.stdout or ():
            if last:
                say(f"{part}: {last}")
            last = line.rstrip()
    if process.returncode:
        raise SystemExit(f"Part {part} ended with {process.returncode}: {last}")
    return [Tally.read(it) for it in json.loads(last)]


def _one_part(kills: int, approvals: int, planted: int, parts: int, part: int) -> int:
    seed = os.environ.get("FAULTS_SEED", "1")
    ends = time.monotonic() + 60 * float(os.environ.get("FAULTS_MINUTES", "1000"))
    tallies = []
    with stage() as built:
        victims.preload()
        if kills:
            # Some of the time is kept for the others.
            kept = (ends - time.monotonic()) / 3 if approvals else 0
            tallies.append(run_kills(built, range(part, kills, parts), seed, ends - kept))
        if approvals:
            numbers = range(part, approvals, parts)
            broker = os.environ.get("FAULTS_BROKER")
            tallies.append(
                run_brokered(built, numbers, seed, ends, broker)
                if broker
                else run_approvals(built, numbers, seed, ends)
            )
        if planted:
            tallies.append(run_planted(built, range(part, planted, parts), seed, ends))
        else:
            tallies[-1].broken += [it for it in check(built) if it not in tallies[-1].broken]
    say(json.dumps([tally.written() for tally in tallies]))
    return 0


def _results(tallies: list[Tally]) -> Iterator[Result]:
    for tally in tallies:
        wanted = next(number for words, number in _WANTED if words in tally.name)
        ends = ", ".join(f"{count} {end}" for end, count in tally.ends.most_common())
        ends = "; ".join([ends, *(f"{tally.notes[it]:,} {it}" for it in _TOLD if tally.notes[it])])
        yield Result(
            name=tally.name, ours=f"{tally.runs} runs in {tally.seconds / 60:.0f} min",
            anchor=ends, ratio=f"{len(tally.broken)} broken", goal=f"≥ {wanted}, none broken",
            met=tally.runs >= wanted and not tally.broken,
        )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
