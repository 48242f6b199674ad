"""Trying mutants: each in a child of its own, against the tests that reach its function."""

import gc
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from tests.mutants import forking
from tests.mutants.guards import ROOT, Place
from tests.mutants.operators import Mutant
from tests.mutants.reach import Reach
from tests.mutants.swapping import Cached, Live, caches, live_functions, swap
from tests.quick import imported_by, module_of


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: killed by a test, or by hanging; or it survived, and how many tests."""

    place: Place
    words: str
    killed_by: str
    tests: int
    ran_out: bool = False

    @property
    def why(self) -> str:
        """What a survivor was tried with."""
        if not self.tests:
            return "as no test reaches it"
        return f"after {self.tests} tests{', and then its time was over' if self.ran_out else ''}"

    @property
    def line(self) -> str:
        """How it stands in a list, whatever line of its file it is in."""
        return f"{self.place.key}: {self.words}"


@dataclass
class Trials:
    """The tests that there are, in the order in which they are likely to kill."""

    items: dict[str, pytest.Item]
    reach: Reach
    database: Path
    seconds: float
    live: Live = field(default_factory=dict)
    caches: dict[str, list[Cached]] = field(default_factory=dict)
    killers: dict[str, list[str]] = field(default_factory=dict)
    orders: dict[str, list[str]] = field(default_factory=dict)

    def warm_up(self, places: Iterable[Place]) -> None:
        """Run here what the children would begin with, so that not each of them loads what it needs."""
        orders = [order for place in places if (order := self._in_order(place))]
        firsts = {order[0].partition("::")[0]: order[0] for order in orders}
        for nodeid in firsts.values():
            forking.run_here(self.items[nodeid])
        forking.close_databases()
        self.live, self.caches = live_functions(), caches()
        gc.freeze()

    def try_one(self, place: Place, mutant: Mutant) -> Outcome:
        """Return what became of one mutant."""
        tests = self._in_order(place)
        if not tests:
            return Outcome(place, mutant.words, "", 0)
        said = forking.forked(
            lambda folder: self._killer(place, mutant, tests, folder), self.database
        )
        if said == forking.HANGS:
            return Outcome(place, mutant.words, "hanging", len(tests))
        if isinstance(said, str):
            raise RuntimeError(f"{place.key}: {mutant.words}: {said}")  # noqa: TRY004
        killer, ran = said
        if killer:
            for where in (place.key, place.path):
                known = self.killers.setdefault(where, [])
                known[:] = [killer, *(it for it in known if it != killer)][:5]
        return Outcome(place, mutant.words, killer, ran, not killer and ran < len(tests))

    def _killer(
        self, place: Place, mutant: Mutant, tests: list[str], folder: Path
    ) -> tuple[str, int]:
        swap(place, mutant.function, self.live)
        for kept in self.caches.get(place.path, []):
            kept.cache_clear()
        items, end = [self.items[it] for it in tests], time.process_time() + self.seconds
        ran = 0
        for item, passed in zip(
            items, forking.run_tests(items, folder, self.reach.seconds), strict=True
        ):
            ran += 1
            if not passed:
                return item.nodeid, ran
            if time.process_time() > end:
                break
        return "", ran

    def _in_order(self, place: Place) -> list[str]:
        """What killed in this function before, and in this file, and then the others."""
        if place.key not in self.orders:
            self.orders[place.key] = self._near_first(place)
        tests = self.orders[place.key]
        before = [*self.killers.get(place.key, []), *self.killers.get(place.path, [])]
        return list(dict.fromkeys([*(it for it in before if it in tests), *tests]))

    def _near_first(self, place: Place) -> list[str]:
        """The tests named after its file, those of its room, those that import its module, the rest.

        Of each of these first whoever reaches little besides: it is about this very function.
        """
        room, module = f"tests/{place.path.rpartition('/')[0]}/", module_of(place.path)
        name = f"/test_{Path(place.path).name}"

        def distance(test: str) -> tuple[bool, bool, bool, int, float]:
            path = test.partition("::")[0]
            return (
                not path.endswith(name), not path.startswith(room),
                module not in imported_by(ROOT / path),
                len(self.reach.reached[test]), self.reach.seconds[test],
            )  # fmt: skip

        return sorted(
            (it for it in self.reach.tests_of(place.key) if it in self.items), key=distance
        )


def sampled(
    mutants: Iterable[tuple[Place, Mutant]], share: float, seed: str
) -> list[tuple[Place, Mutant]]:
    """Return that share of the mutants, the same for the same seed."""
    return [
        (place, mutant) for place, mutant in mutants
        if Random(f"{seed} {place.key} {mutant.words}").random() < share
    ]  # fmt: skip
