"""Receipts a second on PostgreSQL: of one workspace, whose chain all share, and of a chain each."""

import sys
import tempfile
from pathlib import Path

from bench.databases import in_postgresql
from bench.imports import manage, run_inside
from bench.results import Result, show, take_over


def measure(folder: Path) -> list[Result]:
    """Write receipts on a database of its own; nothing is measured without PostgreSQL."""
    with in_postgresql(folder) as is_there:
        if not is_there:
            name = "receipts of one workspace, PostgreSQL"
            return [Result(name, "–", "there is no PostgreSQL", "–", "–", None)]
        manage(folder, "migrate", "--verbosity=0")
        return take_over(run_inside(folder, "bench.in_process.receipt_chains"))


def main() -> int:
    """Measure this alone; return 1 where the goal was missed."""
    with tempfile.TemporaryDirectory(prefix="chancery-chains-") as place:
        results = measure(Path(place))
    for result in results:
        show(result)
    return int(any(result.met is False for result in results))


if __name__ == "__main__":
    sys.exit(main())
