"""`python -m bench.understanding extraction`: how many values are found, and how many are right.

Options: `--half tuned|aside` (both), `--failures` shows what is wrong in the tuned half,
`--seeds N` documents of each layout and language, `--invoices DIR` a checkout of invoice2data,
`--facturx DIR` a folder of PDFs that hold their invoice as XML, such as github.com/ZUGFeRD/corpus.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from bench.understanding.extraction import layouts, layouts_aside
from bench.understanding.extraction.facts import facts_for, packs
from bench.understanding.extraction.letters import Labelled, mail, read
from bench.understanding.extraction.public import read_facturx, read_public
from bench.understanding.extraction.schemas import default
from bench.understanding.extraction.scores import Score, judge

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
    path = Path(__file__).parent / "hand.yaml"
    for number, one in enumerate(yaml.safe_load(path.read_text(encoding="utf-8"))[half]):
        sender = (one.get("from", ""), one.get("email", "someone@supplier.example"))
        raw = mail(one.get("subject", "Hello"), one["text"], sender=sender)
        truth = {name: _plain(value) for name, value in one["find"].items()}
        also = one.get("also", {})
        also = {name: tuple(_plain(it) for it in values) for name, values in also.items()}
        yield Labelled(f"hand-{one['schema']} {number}", default(one["schema"]), raw, truth, also)


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def count(letters: Iterable[Labelled], *, failures: bool) -> dict[str, Score]:
    """Return the scores by layout, with that of all as the last."""
    scores: dict[str, Score] = {}
    whole = Score()
    found_in = ThreadPoolExecutor(2).map(lambda it: (it, read(it)), letters)
    for letter, found in found_in:
        group, _, language = letter.name.partition(" ")
        verdicts = judge(letter, found.data)
        names = [group] if group.startswith("hand") else [group, f"in {language}"]
        for score in (whole, *(scores.setdefault(name, Score()) for name in names)):
            score.add(verdicts)
        for it in verdicts if failures else ():
            if it.verdict != "right":
                print(f"{letter.name}: {it.name} {it.verdict}: {it.given!r}, not {it.wanted!r}")
    return {**dict(sorted(scores.items())), "all": whole}


def main(arguments: list[str]) -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.understanding extraction")
    parser.add_argument("--half", choices=("tuned", "aside"))
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--invoices", type=Path)
    parser.add_argument("--facturx", type=Path)
    options = parser.parse_args(arguments)
    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")
    for half in (options.half,) if options.half else ("tuned", "aside"):
        # Of the half that is aside nobody looks at single letters.
        shown = options.failures and half == "tuned"
        _print(half, count(letters_of(half, options.seeds), failures=shown))
    if options.invoices:
        _print("public invoices", count(read_public(options.invoices), failures=False))
    for half in ("tuned", "aside") if options.facturx else ():
        shown = options.failures and half == "tuned"
        letters = read_facturx(options.facturx, half)
        _print(f"public PDFs with XML, {half}", count(letters, failures=shown))
    return 0


def _print(name: str, scores: dict[str, Score]) -> None:
    print(f"\n{name}: fields found of those there, right of those given")
    for group, score in scores.items():
        print(f"  {group:<16} {score}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
