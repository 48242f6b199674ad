"""Which tests reach which functions: each test is run once with marks in the functions.

What was learnt is kept, and learnt anew for the files of tests that have changed since.
"""

import builtins
import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.faults.tally import say
from tests.mutants import forking
from tests.mutants.guards import ROOT, Place
from tests.mutants.swapping import Live, Marked, marked_codes

_KEPT = ROOT / ".pytest_cache" / "reach.json"
_MARK = "__reached__"


@dataclass
class Reach:
    """What each test reaches, and how long it takes, by its node id; of which state its file is."""

    reached: dict[str, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    # Tests that fail with nothing changed say nothing of a mutant.
    failing: list[str] = field(default_factory=list)

    def tests_of(self, key: str) -> list[str]:
        """Return the node ids of the tests that reach a function.

        One that nothing reaches may have got its name since: then those that reach its file.
        """
        told = {it: keys for it, keys in self.reached.items() if it not in self.failing}
        file = f"{key.partition('::')[0]}::"
        return [it for it, keys in told.items() if key in keys] or [
            it for it, keys in told.items() if any(one.startswith(file) for one in keys)
        ]

    def keep(self) -> None:
        """Write it where the next run finds it."""
        _KEPT.parent.mkdir(exist_ok=True)
        _KEPT.write_text(json.dumps(self.__dict__))


def kept_reach() -> Reach:
    """Return what an earlier run learnt."""
    return Reach(**json.loads(_KEPT.read_text())) if _KEPT.exists() else Reach()


def digest_of(path: str) -> str:
    """Return what a file of tests is known by."""
    return hashlib.sha256((ROOT / path).read_bytes()).hexdigest()


def learn(
    reach: Reach, items: Iterable[pytest.Item], wanted: list[Place], live: Live, database: Path
) -> None:
    """Learn of the tests whose file is new or changed, one file at a time."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    # As they are now: somebody may change one while the others are learnt.
    digests = {path: digest_of(path) for path in files}
    changed = {path for path in files if reach.digests.get(path) != digests[path]}
    marked = list(marked_codes(wanted, _MARK, live)) if changed else []
    if changed and not marked:
        raise RuntimeError("no function of the project could be marked")
    for number, path in enumerate([it for it in files if it in changed], 1):
        learnt = forking.forked(
            lambda folder, its=files[path]: _reached(its, folder, marked), database
        )
        if not isinstance(learnt, dict):
            say(f"{path}: nothing was learnt: {learnt}")
            continue
        _forget(reach, path)
        for nodeid, (keys, seconds, passed) in learnt.items():
            reach.reached[nodeid], reach.seconds[nodeid] = keys, seconds
            if not passed:
                reach.failing.append(nodeid)
                say(f"{nodeid} fails with nothing changed")
        # A file with a test that fails is learnt anew the next time.
        reach.digests[path] = "" if any(not it[2] for it in learnt.values()) else digests[path]
        reach.keep()
        say(f"{number}/{len(changed)} {path}: {len(learnt)} tests")


def _forget(reach: Reach, path: str) -> None:
    for nodeid in [it for it in reach.reached if it.partition("::")[0] == path]:
        del reach.reached[nodeid], reach.seconds[nodeid]
    reach.failing = [it for it in reach.failing if it.partition("::")[0] != path]


def _reached(
    items: list[pytest.Item], folder: Path, marked: list[Marked]
) -> dict[str, tuple[list[str], float, bool]]:
    seen: set[str] = set()
    setattr(builtins, _MARK, seen.add)
    for function, code in marked:
        function.__code__ = code
    learnt = {}
    begun = time.monotonic()
    for item, passed in zip(items, forking.run_tests(items, folder, {}), strict=True):
        learnt[item.nodeid] = (sorted(seen), time.monotonic() - begun, passed)
        seen.clear()
        begun = time.monotonic()
    return learnt
