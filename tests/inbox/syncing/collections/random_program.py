"""A program that changes at random what lies at a server, in a thread of its own."""

import random
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeAlias

WORDS = ("Lamp", "Wick", "Oil", "Keeper", "Tide", "Büro", "Fog, thick", "Harbour; north")
Acts: TypeAlias = Mapping[Callable[[int], None], int]


class RandomProgram(threading.Thread):
    """Does what its chance says; `made` and `removed` name what it made and removed."""

    # Programs that have to know what they sweep away take turns.
    turn: AbstractContextManager[Any] = nullcontext()
    # Whoever counts rounds lets it do so many more; without, it does all of them.
    pace: threading.Semaphore | None = None

    def __init__(self, seed: int, rounds: int) -> None:
        super().__init__(daemon=True)
        self.made: set[Any] = set()
        self.removed: set[Any] = set()
        self._chance, self._rounds, self._name = random.Random(seed), rounds, f"p{seed}"

    def acts(self) -> Acts:
        """Return what it does, and how often; each act is given the number of its round."""
        raise NotImplementedError

    def run(self) -> None:
        acts = self.acts()
        for number in range(self._rounds):
            if self.pace is not None:
                self.pace.acquire()
            [act] = self._chance.choices(list(acts), list(acts.values()))
            with self.turn:
                act(number)
            time.sleep(self._chance.random() / 20)

    def _words(self) -> str:
        return " ".join(self._chance.choices(WORDS, k=2))
