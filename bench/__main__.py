"""`make bench`: run every benchmark, print each ratio, and keep the table in RESULTS.md."""

import os
import sys
import tempfile
from pathlib import Path

from bench import (
    chains,
    fairness,
    first_calendar,
    first_mail,
    first_sync,
    growth,
    imports,
    review_pages,
    starting,
)
from bench.corpus import ARCHIVE, find_corpus
from bench.imports import run_inside
from bench.results import Result, keep, show, take_over


def run_all(folder: Path) -> list[Result]:
    """Run the benchmarks one after the other on the same mail, below a folder."""
    maildir = find_corpus(folder)
    if maildir is None:
        raise SystemExit(
            f"There is no mail to measure with: no {ARCHIVE}. Give MAIL_CORPUS=a Maildir."
        )
    print(f"Measuring with {maildir}", flush=True)
    results = tell(imports.measure(maildir, folder))
    data, notmuch = folder / "last" / "chancery", folder / "last" / "notmuch"
    for module, arguments in (
        ("searches", (str(maildir), str(notmuch))),
        ("rankings", ()),
        ("tool_calls", ()),
        ("mcp_calls", ()),
        ("at_once", ()),
        ("lists", ()),
    ):
        results += tell(take_over(run_inside(data, f"bench.in_process.{module}", *arguments)))
    results += tell(first_sync.measure(maildir, folder))
    results += tell(first_mail.measure(maildir, folder / "first-mail"))
    results += tell(first_calendar.measure(folder / "first-calendar"))
    results += tell(growth.measure(maildir, folder / "growth"))
    results += tell(starting.measure(folder / "starting"))
    results += tell(review_pages.measure(folder / "review"))
    results += tell(review_pages.measure_costs(folder / "costs"))
    results += tell(review_pages.measure_screens(folder / "first"))
    results += tell(fairness.measure(maildir, folder / "fairness"))
    results += tell(chains.measure(folder / "chains"))
    return results


def tell(results: list[Result]) -> list[Result]:
    """Show results as soon as they are there."""
    for result in results:
        show(result)
    return results


def main() -> int:
    """Run, keep, and return 1 where a goal was missed."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="chancery-bench-") as folder:
        results = run_all(Path(folder))
    keep(results, load)
    return int(any(result.met is False for result in results))


if __name__ == "__main__":
    sys.exit(main())
