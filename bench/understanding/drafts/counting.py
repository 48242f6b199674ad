"""`python -m bench.understanding drafts [GOALS…]`: how many drafts can be sent, and are false.

Goals are tuned on in one half, by a hash of the domain of whom is answered. With `-v` drafts of
that half are printed; of the other one only the count is told. Goals that others wrote, with the
letters, come in folders: those behind `--open` are tuned on, all of them, and those behind
`--counted` are never printed.

- sendable: every point of the goal is said, with nothing that is neither in goal nor thread, and
  no word of the instruction;
- false: a wrong fact, a word of the instruction, or a point that is left out, and no
  `low_confidence` says so.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.understanding.drafts.goals import Goal, read_goals
from bench.understanding.drafts.trying import Tried, try_goal
from bench.understanding.halves import HALVES

GOALS = Path(__file__).with_name("goals.yaml")


def main(arguments: Sequence[str]) -> int:
    """Try the goals of each file, and print what came of it."""
    parser = argparse.ArgumentParser(prog="bench.understanding drafts", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--open", nargs="+", type=Path, default=[], metavar="DIR")
    parser.add_argument("--counted", nargs="+", type=Path, default=[], metavar="DIR")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("-k", "--only", default="", metavar="TEXT")
    given = parser.parse_args(arguments)
    folders = given.open or given.counted
    for path in given.files or ([] if folders else [GOALS]):
        tried = _tried(path, given.only)
        for half in HALVES:
            those = [it for it in tried if it.goal.half == half]
            _print(half, those, given, is_open=half == "tuning")
    for path in given.open:
        _print(str(path), _tried(path, given.only), given, is_open=True)
    for path in given.counted:
        _print(str(path), _tried(path, ""), given, is_open=False)
    return 0


def _tried(path: Path, only: str) -> list[Tried]:
    return [try_goal(goal) for goal in read_goals(path) if only in f"{goal.on} {goal.text}"]


def _print(name: str, tried: Sequence[Tried], given: argparse.Namespace, *, is_open: bool) -> None:
    """Print the drafts that may be read and are wanted, and how many there are of each kind."""
    for one in tried if is_open and (given.verbose or given.only) else ():
        if given.only or not one.is_sendable or one.is_false:
            print(describe(one))
    for kind in dict.fromkeys(it.goal.kind for it in tried):
        print(f"{name}, {kind}: {count([it for it in tried if it.goal.kind == kind])}")
    print(f"{name}, all: {count(tried)}")


def count(tried: Sequence[Tried]) -> str:
    """Return how many drafts can be sent, are flagged, and are false without a flag."""
    counts = Counter(
        name for it in tried for name, so in (
            ("sendable", it.is_sendable),
            ("sendable, flagged", it.is_sendable and it.is_flagged),
            ("of others", it.is_of_others and not it.is_flagged),
            ("flagged", it.is_flagged and not it.is_sendable),
            ("false", it.is_false),
        ) if so
    )  # fmt: skip
    share = f"{counts['sendable'] / len(tried):.0%}" if tried else "-"
    return (
        f"{counts['sendable']} of {len(tried)} sendable ({share}), "
        f"{counts['sendable, flagged']} of them flagged, "
        f"{counts['flagged']} others flagged, {counts['false']} false and not flagged"
        + (
            f", {counts['of others']} of these for a third person alone"
            if counts["of others"]
            else ""
        )
    )


def describe(one: Tried) -> str:
    """Return a goal, its draft, and what is wrong about it."""
    goal: Goal = one.goal
    return "\n".join(
        [
            f"== {'FALSE' if one.is_false else 'flagged' if one.is_flagged else 'ok'}"
            f" [{goal.on}, {goal.kind}] {goal.text}",
            *(f"   | {line}" for line in one.body.split("\n") if line),
            *(f"   - {it}" for it in (*one.wrong, *one.reasons)),
        ]
    )
