"""`python -m bench.understanding extraction`: how many values are found, and how many are right.

Options: `--half tuned|aside` (both), `--failures` shows what is wrong in the tuned half,
`--seeds N` documents of each layout and language, `--invoices DIR` a checkout of invoice2data,
`--facturx DIR` a folder of PDFs that hold their invoice as XML, such as github.com/ZUGFeRD/corpus,
`--letters PATH` and `--counted PATH` files of letters (see `written`), of which the second are only
counted, `--none` without our own documents.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bench.understanding.extraction import layouts, layouts_aside
from bench.understanding.extraction.facts import facts_for, packs
from bench.understanding.extraction.letters import Labelled, read
from bench.understanding.extraction.public import read_facturx, read_public
from bench.understanding.extraction.scores import Score, judge
from bench.understanding.extraction.written import read_written

_HALVES = {"tuned": layouts.LAYOUTS, "aside": layouts_aside.LAYOUTS}


def letters_of(half: str, seeds: int) -> Iterator[Labelled]:
    """Yield the letters of a half: those that are made, and those written by hand."""
    for language, pack in packs().items():
        for layout in _HALVES[half] if half in pack else ():
            for seed in range(seeds):
                yield layout(facts_for(language, half, f"{layout.__name__} {seed}"))
    yield from by_hand(half)


def by_hand(half: str) -> Iterator[Labelled]:
    """Yield the letters that were written by hand."""
    for letter in read_written(Path(__file__).parent / "hand.yaml", half):
        yield replace(letter, name=f"hand-{letter.name}")


def count(letters: Iterable[Labelled], *, failures: bool, fields: bool = False) -> dict[str, Score]:
    """Return the scores by layout, with that of all as the last; with `fields` by each as well."""
    scores: dict[str, Score] = {}
    whole = Score()
    found_in = ThreadPoolExecutor(2).map(lambda it: (it, read(it)), letters)
    for letter, found in found_in:
        group, _, language = letter.name.partition(" ")
        names = [group, *([] if fields or group.startswith("hand") else [f"in {language}"])]
        for it in judge(letter, found):
            own = [f"{group}.{it.name}"] if fields else []
            for score in (whole, *(scores.setdefault(name, Score()) for name in (*names, *own))):
                score.add(it)
            if failures and it.verdict != "right":
                print(f"{letter.name}: {it.name} {it.verdict}: {it.given!r}, not {it.wanted!r}")
    return {**dict(sorted(scores.items())), "all": whole}


def main(arguments: list[str]) -> int:
    """Count and print."""
    options = _options().parse_args(arguments)
    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    for name, letters, looked_at in _corpora(options):
        # Of what is only counted nobody looks at single letters.
        shown = options.failures and looked_at
        is_ours = name in _HALVES
        _print(name, count(letters, failures=shown, fields=not is_ours))
    return 0


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.understanding extraction")
    parser.add_argument("--half", choices=("tuned", "aside"))
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--none", action="store_true")
    parser.add_argument("--seeds", type=int, default=2)
    for name in ("--letters", "--counted", "--invoices", "--facturx"):
        parser.add_argument(name, type=Path, action="append", default=[])
    return parser


def _corpora(options: argparse.Namespace) -> Iterator[tuple[str, Iterator[Labelled], bool]]:
    """Yield what is counted, by name, and whether single letters of it are looked at."""
    halves = (options.half,) if options.half else ("tuned", "aside")
    for half in () if options.none else halves:
        yield half, letters_of(half, options.seeds), half == "tuned"
    for path in options.letters:
        yield f"letters, {path}", read_written(path), True
    for path in options.counted:
        yield f"letters, {path}, only counted", read_written(path), False
    for half in halves:
        for path in options.invoices:
            yield f"public invoices, {half}", read_public(path, half), half == "tuned"
        for path in options.facturx:
            yield f"public PDFs with XML, {path}, {half}", read_facturx(path, half), half == "tuned"


def _print(name: str, scores: dict[str, Score]) -> None:
    print(f"\n{name}: fields found of those there, right of those given")
    for group, score in scores.items():
        print(f"  {group:<24} {score}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
