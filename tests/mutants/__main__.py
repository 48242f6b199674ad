"""`python -m tests.mutants [PATH …]`: change the code that guards, and see that a test notices.

Each mutant is a function with one thing changed. It is tried in a child of this process, which has
Django, the tests and a database ready, by the tests that reach the function, until one fails. Two
kinds are tried: `guards`, every change to the functions of the files in tests/mutants/guards.py, and
`owners`, each ownership filter of all product code left out. Those in tests/mutants/equivalent.txt,
which change nothing that can be seen, are not tried.

Which tests reach which functions is learnt once and kept in .pytest_cache, and learnt anew for files of
tests that have changed. The exit status is 1 where fewer than nine of ten are killed.
"""

import argparse
import gc
import os
import sys
import time
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from bench.results import Result, keep
from tests.faults.tally import say
from tests.mutants import guards
from tests.mutants.equivalents import equivalents
from tests.mutants.operators import Mutant, mutants, mutations, without_owner
from tests.mutants.reach import kept_reach, learn
from tests.mutants.swapping import live_functions, places
from tests.mutants.trials import Outcome, Trials, sampled
from tests.mutants.warm import Warm
from tests.quick import module_of

TESTS = ("tests/agents", "tests/calendar_app", "tests/inbox", "tests/project")
GOAL = 90
KINDS = {"guards": mutations, "owners": without_owner}
_FILES = {"guards": guards.guarded_files, "owners": guards.product_files}
Candidate = tuple[guards.Place, Mutant]


def asked() -> argparse.Namespace:
    """Return what was asked for at the shell."""
    parser = argparse.ArgumentParser(prog="make mutants ARGS=", description=__doc__)
    parser.add_argument("paths", nargs="*", help="files; without any, all of the kind")
    parser.add_argument("--only", choices=KINDS, help="this kind alone")
    parser.add_argument("--share", type=float, default=1.0, help="of the mutants, between 0 and 1")
    parser.add_argument("--seed", default="1", help="which ones these are")
    parser.add_argument(
        "--seconds", type=float, default=20, help="of the processor, for one mutant"
    )
    parser.add_argument("--tests", nargs="+", default=TESTS, help="folders or files to try with")
    parser.add_argument("--match", default="", help="only mutants whose line has this text")
    parser.add_argument("--lines", type=Path, help="only the mutants that stand in this file")
    parser.add_argument("--list", action="store_true", help="name them, and try none")
    parser.add_argument("--keep", action="store_true", help="put a table into bench/RESULTS.md")
    return parser.parse_args()


def candidates(kind: str, paths: list[str]) -> list[Candidate]:
    """Return every mutant of a kind in these files."""
    return [
        (place, mutant)
        for path in paths
        for place, node in places(path).values()
        for mutant in mutants(node, KINDS[kind])
    ]


def chosen(kind: str, options: argparse.Namespace) -> list[Candidate]:
    """Return the mutants to try: none that is equivalent, and of the others the share asked for."""
    found = candidates(kind, options.paths or _FILES[kind]())
    left_out = equivalents()
    named = options.lines and set(options.lines.read_text().splitlines())
    wanted = [
        it for it in found
        if options.match in line_of(it) and line_of(it) not in left_out
        and (not named or line_of(it) in named)
    ]  # fmt: skip
    return sampled(wanted, options.share, options.seed)


def line_of(candidate: Candidate) -> str:
    """Return how a mutant stands in lists, whatever line of its file it is in."""
    place, mutant = candidate
    return f"{place.key}: {mutant.words}"


def work(options: argparse.Namespace, items: dict[str, pytest.Item], database: Path) -> int:
    """Learn what is to be learnt, try the mutants, and tell; return the exit status."""
    load = os.getloadavg()[0]
    every = [it for kind in KINDS for it in candidates(kind, _FILES[kind]())]
    wanted = {place.key: place for place, _ in every}
    reach = kept_reach()
    # What only a command imports is to be seen, too.
    for path in sorted({place.path for place in wanted.values()}):
        import_module(module_of(path))
    live = live_functions()
    gc.freeze()
    learn(reach, items.values(), [wanted[key] for key in sorted(wanted)], live, database)
    trials = Trials(items, reach, database, options.seconds)
    asked_for = {
        kind: chosen(kind, options) for kind in ([options.only] if options.only else KINDS)
    }
    trials.warm_up({place for its in asked_for.values() for place, _ in its})
    results = [
        result for kind, its in asked_for.items()
        for result in tallied(kind, options, tried(its, trials))
    ]  # fmt: skip
    if options.keep:
        keep(results, load)
    return 0 if all(it.met for it in results) else 1


def tried(wanted: list[Candidate], trials: Trials) -> list[Outcome]:
    """Try each mutant, and say what became of it."""
    outcomes, begun = [], time.monotonic()
    for number, (place, mutant) in enumerate(wanted, 1):
        outcome = trials.try_one(place, mutant)
        outcomes.append(outcome)
        told = f"killed by {outcome.killed_by}" if outcome.killed_by else f"SURVIVED {outcome.why}"
        say(f"{number}/{len(wanted)} {time.monotonic() - begun:.0f} s  {outcome.line}: {told}")
    return outcomes


def tallied(kind: str, options: argparse.Namespace, outcomes: list[Outcome]) -> list[Result]:
    """Return a line for each file, or for all ownership filters together; name the survivors."""
    several = {True: "ownership filters left out", False: "mutants of {}"}[kind == "owners"]
    every = Counter(several.format(place.path) for place, _ in candidates(
        kind, options.paths or _FILES[kind]()))  # fmt: skip
    done: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        done.setdefault(several.format(outcome.place.path), []).append(outcome)
    results = []
    for name, its in done.items():
        killed = sum(bool(it.killed_by) for it in its)
        share = 100 * killed // len(its)
        results.append(Result(
            name, f"{killed} of {len(its)} tried killed", f"{every[name]} in all", f"{share} %",
            f"≥ {GOAL} %", share >= GOAL,
        ))  # fmt: skip
        say(f"{name}: {killed} of {len(its)} killed")
    for outcome in outcomes:
        if not outcome.killed_by:
            say(f"survived: {outcome.line} ({outcome.why})")
    return results


def main() -> int:
    """Run it; return the exit status."""
    options = asked()
    if options.list:
        for kind in [options.only] if options.only else KINDS:
            for candidate in chosen(kind, options):
                say(line_of(candidate))
        return 0
    return Warm(lambda items, database: work(options, items, database)).run(options.tests)


if __name__ == "__main__":
    sys.exit(main())
