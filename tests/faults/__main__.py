"""`python -m tests.faults [KILLS [APPROVALS]]`: kill and disturb, and see that every promise holds.

Writes its figures to bench/RESULTS.md, unless FAULTS_KEEP=0. `FAULTS_SEED` chooses what happens.
The exit status is 1 where an invariant was broken.
"""

import os
import sys
from collections.abc import Iterable

from bench.results import Result, keep
from tests.faults import victims
from tests.faults.invariants import check
from tests.faults.kills import run_kills
from tests.faults.random_approvals import run_approvals
from tests.faults.stage import Stage, stage
from tests.faults.tally import Tally, say

KILLS, APPROVALS = 2000, 5000


def main() -> int:
    """Run it; return the exit status."""
    kills, approvals = _asked(sys.argv[1:])
    seed = os.environ.get("FAULTS_SEED", "1")
    load = os.getloadavg()[0]
    with stage() as built:
        victims.preload()
        tallies = _run(built, kills, approvals, seed)
        broken = [*(it for tally in tallies for it in tally.broken), *check(built)]
    for tally in tallies:
        say(tally.told())
    for words in dict.fromkeys(broken):
        say(f"BROKEN {words}")
    if os.environ.get("FAULTS_KEEP", "1") != "0":
        keep(list(_results(tallies, len(dict.fromkeys(broken)))), load)
    return int(bool(broken))


def _asked(arguments: list[str]) -> tuple[int, int]:
    numbers = [int(it) for it in arguments]
    return (*numbers, *(KILLS, APPROVALS)[len(numbers) :])[:2]


def _run(built: Stage, kills: int, approvals: int, seed: str) -> list[Tally]:
    tallies = []
    if kills:
        tallies.append(run_kills(built, kills, seed))
    if approvals:
        tallies.append(run_approvals(built, approvals, seed))
    return tallies


def _results(tallies: Iterable[Tally], broken: int) -> Iterable[Result]:
    for tally in tallies:
        wanted = KILLS if "killed" in tally.name else APPROVALS
        ends = ", ".join(f"{count} {end}" for end, count in tally.ends.most_common())
        yield Result(
            name=tally.name, ours=f"{tally.runs} runs in {tally.seconds / 60:.0f} min",
            anchor=ends, ratio=f"{len(tally.broken)} broken", goal=f"≥ {wanted}, none broken",
            met=tally.runs >= wanted and not tally.broken and not broken,
        )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
