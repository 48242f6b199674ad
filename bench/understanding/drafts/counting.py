"""`python -m bench.understanding drafts [GOALS…]`: how many drafts can be sent, and are false.

Goals are tuned on in one half, by a hash of the domain of whom is answered. With `-v` drafts of
that half are printed; of the other one only the count is told.

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
    parser.add_argument("files", nargs="*", type=Path, default=[GOALS])
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("-k", "--only", default="", metavar="TEXT")
    given = parser.parse_args(arguments)
    tried = [
        try_goal(goal)
        for path in given.files
        for goal in read_goals(path)
        if given.only in f"{goal.on} {goal.text}"
    ]
    for one in tried if given.verbose or given.only else ():
        if one.goal.half == "tuning" and (given.only or not one.is_sendable or one.is_false):
            print(describe(one))
    for half in HALVES:
        for kind in ("English", "other languages", "two languages"):
            those = [it for it in tried if it.goal.half == half and it.goal.kind == kind]
            print(f"{half}, {kind}: {count(those)}")
        print(f"{half}, all: {count([it for it in tried if it.goal.half == half])}")
    return 0


def count(tried: Sequence[Tried]) -> str:
    """Return how many drafts can be sent, are flagged, and are false without a flag."""
    counts = Counter(
        name for it in tried for name, so in (
            ("sendable", it.is_sendable),
            ("flagged", it.is_flagged and not it.is_sendable),
            ("false", it.is_false),
        ) if so
    )  # fmt: skip
    share = f"{counts['sendable'] / len(tried):.0%}" if tried else "-"
    return (
        f"{counts['sendable']} of {len(tried)} sendable ({share}), "
        f"{counts['flagged']} others flagged, {counts['false']} false and not flagged"
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
