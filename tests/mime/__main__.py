"""`python -m tests.mime [MESSAGES]`: 10,000 messages, each shown as others read it or flagged.

A second reader that is not ours (`fast-mail-parser`, in Rust) reads the same bytes. `MIME_SEED` is
the seed of the first message. `CHANCERY_HOSTILE` may name a folder with `xss.json` and `cases.json`,
whose texts, beside our own, are put into every place of a message. Writes its figures to bench/RESULTS.md,
unless MIME_KEEP=0. The exit status is 1 where a message was shown otherwise in silence.
"""

import json
import logging
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from bench.results import Result, keep  # noqa: E402
from tests.faults.tally import say  # noqa: E402
from tests.hostile import cases  # noqa: E402
from tests.mime.generating import Generator  # noqa: E402
from tests.mime.promise import Tried, try_generated, try_message  # noqa: E402

MESSAGES = 10_000


def main() -> int:
    """Try them; return the exit status."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else MESSAGES
    first, load, began = int(os.environ.get("MIME_SEED", "0")), os.getloadavg()[0], time.monotonic()
    # What cannot be read is logged with a traceback, which here is what was asked for.
    logging.disable(logging.CRITICAL)
    told: Counter[str] = Counter()
    broken: list[str] = []
    with ProcessPoolExecutor(2) as pool:
        hostile = (try_message("hostile", raw) for raw in hostile_messages())
        for name, one in enumerate(
            pool.map(try_generated, range(first, first + count), chunksize=50)
        ):
            broken += _tell(told, one, f"seed {first + name}")
        for name, one in enumerate(hostile):
            broken += _tell(told, one, f"hostile {name}")
    for words, number in sorted(told.items()):
        say(f"{number:6} {words}")
    for words in broken:
        say(f"BROKEN {words}")
    if os.environ.get("MIME_KEEP", "1") != "0":
        keep([_result(told, broken, count, time.monotonic() - began)], load)
    return int(bool(broken))


def _tell(told: Counter[str], one: Tried, name: str) -> list[str]:
    how = "flagged" if one.flags else "not flagged"
    differs = "read differently" if one.differs else "read alike"
    told[f"{one.kind}: {differs}, {how}"] += 1
    told.update(f"reason {reason}" for reason in one.reasons)
    return [f"{name}: {words}" for words in one.broken]


def hostile_messages() -> Iterator[bytes]:
    """Yield messages with each hostile text as subject, name, address, file name, text and page."""
    generator = Generator(0)
    for text in hostile_texts():
        data = text.encode("utf-8", "surrogateescape" if text.isprintable() else "replace")
        head = (b"From: a@lantern.example", b"To: b@brook.example", b"Subject: x")
        for place in range(3):
            lines = [
                *head[:place],
                head[place].partition(b" ")[0] + b" " + data,
                *head[place + 1 :],
            ]
            yield b"\r\n".join([*lines, b"", b"Hello.", b""])
        name = data.replace(b'"', b"")
        for kind in (b"text/plain; charset=utf-8", b"text/html; charset=utf-8",
                     b'application/pdf; name="' + name + b'"', data):  # fmt: skip
            yield b"\r\n".join([*head, b"Content-Type: " + kind, b"", data, b""])
    yield from (generator.broken(generator.built()) for _ in range(1000))


def hostile_texts() -> list[str]:
    """Return texts that mail is attacked with, ours and those of the folder that is named."""
    found, folder = list(cases()), os.environ.get("CHANCERY_HOSTILE")
    path = Path(folder, "cases.json") if folder else None
    waiting: list[Any] = json.loads(path.read_text()) if path and path.exists() else []
    while waiting:
        one = waiting.pop()
        waiting += one if isinstance(one, list) else []
        waiting += list(one.values()) if isinstance(one, dict) else []
        found += [one] if isinstance(one, str) else []
    return found


def _result(told: Counter[str], broken: list[str], count: int, seconds: float) -> Result:
    both = {how: sum(number for words, number in told.items() if words.endswith(how))
            for how in ("differently, flagged", "differently, not flagged", "alike, flagged",
                        "alike, not flagged")}  # fmt: skip
    ends = ", ".join(f"{number} read {how}" for how, number in both.items())
    return Result(
        name="MIME messages, by a second reader", ours=f"{sum(both.values())} in {seconds:.0f} s",
        anchor=ends, ratio=f"{len(broken)} in silence",
        goal=f"≥ {MESSAGES}, none read differently in silence",
        met=count >= MESSAGES and not broken,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
