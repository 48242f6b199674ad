"""How often what an agent saved is found again: conversations of LoCoMo, each turn a memory.

    python -m bench.understanding recall FILE [--postgresql]

FILE is `locomo10.json` of snap-research/locomo, or a folder with one such conversation a file. The
figure is the share of questions of which at least one turn that answers them is among the first
ten found. Every second conversation is what the search may be tuned on. The anchor is Okapi BM25
over the same stems without the words that say little, each conversation by itself.
"""

import argparse
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bench.databases import in_postgresql
from bench.imports import manage, run_inside


def main(arguments: Sequence[str]) -> int:
    """Ask everything of a new database, and print a line for each half and form."""
    parser = argparse.ArgumentParser(prog="python -m bench.understanding recall")
    parser.add_argument("file", type=Path)
    parser.add_argument("--postgresql", action="store_true", help="not in SQLite")
    parser.add_argument("--every", type=int, default=1, help="of so many questions ask one")
    options = parser.parse_args(arguments)
    with ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="chancery-recall-")))
        if options.postgresql and not held.enter_context(in_postgresql(folder)):
            raise SystemExit("No PostgreSQL lets us in on loopback.")
        manage(folder, "migrate", "--verbosity=0")
        asked = (str(options.file.resolve()), str(options.every))
        print(run_inside(folder, "bench.in_process.recalling", *asked), end="")
    return 0
