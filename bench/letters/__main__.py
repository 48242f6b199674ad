"""`python -m bench.letters [FILE...] [-v] [-k ID] [--model]`: how many letters get marks of doubt.

Each file is an office with its mail, files, calendar, cards, rules and letters; without one those
of `offices` beside this are tried. With `-v` what was missed and what was marked wrongly is
printed, letter by letter; `-k` tries one letter alone. With `--model` the language model that
CHANCERY_MODEL names reads each letter as well, one question a letter, whatever that costs.
"""

import argparse
import io
import os
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

# A database of its own, which goes with the process.
os.environ.pop("CHANCERY_VAR", None)
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.db import connection  # noqa: E402

from bench.letters.corpus import read_corpus  # noqa: E402
from bench.letters.trying import Tried, try_letters  # noqa: E402

OFFICES = Path(__file__).with_name("offices")


def main(arguments: Sequence[str]) -> int:
    """Try the letters of each file, and print what came of it."""
    parser = argparse.ArgumentParser(prog="bench.letters", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(OFFICES.glob("*.yaml")))
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("-k", "--letter", default="", metavar="ID")
    parser.add_argument("--model", action="store_true")
    given = parser.parse_args(arguments)
    with redirect_stdout(io.StringIO()):
        connection.creation.create_test_db(verbosity=0)
    for path in given.files:
        began = time.process_time()
        tried = try_letters(read_corpus(path), given.letter, with_model=given.model)
        for one in tried if given.verbose else ():
            if one.is_marked == one.letter.is_good or given.letter:
                print(describe(one))
        print(f"{path.stem}: {count(tried)}, {time.process_time() - began:.0f} s", flush=True)
    return 0


def count(tried: Sequence[Tried]) -> str:
    """Return how many letters of either sort are marked."""
    good, bad = ([it for it in tried if it.letter.is_good is sort] for sort in (True, False))
    marked = [sum(it.is_marked for it in those) for those in (bad, good)]
    return f"bad marked {marked[0]}/{len(bad)}, good marked {marked[1]}/{len(good)}"


def describe(one: Tried) -> str:
    """Return what a letter is, and its marks."""
    letter = one.letter
    lines = [f"{letter.id} {letter.kind}"]
    if not letter.is_good:
        lines += [f"    wrong: {letter.wrong}", f"    why: {letter.why}"]
    for mark in [*one.doubts, *one.at_wrong_words([it for it in one.marks if it.state == "found"])]:
        cited = mark.sources[0].excerpt if mark.sources else ""
        lines.append(
            f"    {mark.kind} {mark.state} {mark.part} {mark.excerpt!r} for {mark.expected!r}"
            f" ({mark.sources[0].type if mark.sources else 'nothing'}: {cited!r})"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
