"""What a run of the fault suite came to."""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

MOST_SHOWN = 20


def say(words: str) -> None:
    """Tell whoever waits for it."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


@dataclass
class Tally:
    """How many runs there were, what became of the messages, and what did not hold."""

    name: str
    runs: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, broken: Iterable[str]) -> None:
        """Count a run, and say at once what did not hold."""
        self.runs += 1
        for words in broken:
            self.broken.append(words)
            if len(self.broken) <= MOST_SHOWN:
                say(f"  BROKEN {words}")

    def written(self) -> dict[str, Any]:
        """Return it as JSON may hold it."""
        return dict(vars(self))

    @classmethod
    def read(cls, given: dict[str, Any]) -> Self:
        """Return what was written."""
        counters = {name: Counter(given[name]) for name in ("ends", "notes")}
        return cls(**{**given, **counters})

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Return what parts that ran beside each other came to."""
        whole = cls(parts[0].name)
        for part in parts:
            whole.runs += part.runs
            whole.ends += part.ends
            whole.notes += part.notes
            whole.broken += part.broken
            whole.seconds = max(whole.seconds, part.seconds)
        return whole

    def told(self) -> str:
        """Return it in a line."""
        ends = ", ".join(f"{count} {end}" for end, count in self.ends.most_common())
        notes = "; ".join(f"{count} {note}" for note, count in sorted(self.notes.items()))
        return (
            f"{self.name}: {self.runs} runs in {self.seconds:.0f} s, {len(self.broken)} broken; "
            f"{ends}{f' ({notes})' if notes else ''}"
        )
