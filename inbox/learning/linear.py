"""Logistic regression over named features, by how one-sided each is (Wang and Manning 2012).

Each class is told from all others. A feature counts by the logarithm of how much more often it
stands in the class, and a message by its length, so that a long one says no more than a short one.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

# A feature has to stand in as many messages to count.
_LEAST: Final = 2
_SMOOTH: Final = 0.5
_RATE: Final = 0.5
_DECAY: Final = 1e-4
_EPOCHS: Final = 12
# So many additions a training takes at most; more messages or classes have fewer rounds.
MOST_STEPS: Final = 60_000_000
# As many weights of a class are kept, the heaviest; lighter ones decide nothing.
MOST_WEIGHTS: Final = 8_000


@dataclass(frozen=True, slots=True)
class Example:
    """What a message has, which class it is of, and how much it counts (1 is one decision)."""

    features: Sequence[str]
    label: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Scorer:
    """What tells one class from all others: a weight for each feature, and a bias."""

    weights: dict[str, float]
    bias: float

    def score(self, features: Sequence[str]) -> float:
        """Return the log-odds that a message of these features is of the class, not calibrated."""
        found = [self.weights[name] for name in features if name in self.weights]
        return self.bias + sum(found) / math.sqrt(len(found)) if found else self.bias

    def score_weighed(self, values: Mapping[str, float]) -> float:
        """Return the same of features that have values."""
        held = self.weights
        return self.bias + sum([held[name] * values[name] for name in values if name in held])

    def heaviest_weighed(
        self, values: Mapping[str, float], most: int = 8
    ) -> list[tuple[str, float]]:
        """Return the features that say most for or against the class, with what they said."""
        held = self.weights
        found = [(name, held[name] * values[name]) for name in values if name in held]
        return sorted(found, key=lambda one: (-abs(one[1]), one[0]))[:most]

    def heaviest(self, features: Sequence[str], most: int = 8) -> list[tuple[str, float]]:
        """Return the features that say most for or against the class, with their weights."""
        found = [(name, self.weights[name]) for name in features if name in self.weights]
        return sorted(found, key=lambda one: (-abs(one[1]), one[0]))[:most]

    def as_json(self) -> dict[str, Any]:
        """Return it as a row keeps it."""
        kept = sorted(self.weights.items(), key=lambda one: (-abs(one[1]), one[0]))[:MOST_WEIGHTS]
        return {"bias": round(self.bias, 5), "weights": {n: round(w, 4) for n, w in kept}}

    @staticmethod
    def from_json(stored: dict[str, Any]) -> "Scorer":
        """Return what a row keeps."""
        return Scorer(stored["weights"], stored["bias"])


def train(examples: Sequence[Example], labels: Sequence[str]) -> dict[str, Scorer]:
    """Return a scorer for each label; the same examples in the same order give the same.

    Two labels need one scorer, that of the first.
    """
    counts = Counter(name for one in examples for name in set(one.features))
    vocabulary = [name for name, times in counts.items() if times >= _LEAST]
    index = {name: at for at, name in enumerate(vocabulary)}
    rows = [[index[name] for name in one.features if name in index] for one in examples]
    needed = labels[:1] if len(labels) == 2 else labels
    steps = max(1, sum(map(len, rows)) * 2 * len(needed))
    epochs = max(2, min(_EPOCHS, MOST_STEPS // steps))
    return {label: _train_one(examples, rows, vocabulary, label, epochs=epochs) for label in needed}


def _train_one(
    examples: Sequence[Example],
    rows: Sequence[Sequence[int]],
    vocabulary: Sequence[str],
    label: str,
    *,
    epochs: int,
) -> Scorer:
    ours = [one.label == label for one in examples]
    ratios = _ratios(examples, rows, ours, len(vocabulary))
    weights, squares, bias, bias_square = [1.0] * len(ratios), [1e-3] * len(ratios), 0.0, 1e-3
    for _ in range(epochs):
        for row, is_ours, example in zip(rows, ours, examples, strict=True):
            scale = 1 / math.sqrt(len(row)) if row else 0.0
            score = bias + scale * sum([weights[at] * ratios[at] for at in row])
            error = example.weight * (_probability(score) - is_ours)
            bias_square += error * error
            bias -= _RATE * error / math.sqrt(bias_square)
            for at in row:
                slope = error * scale * ratios[at] + _DECAY * (weights[at] - 1.0)
                squares[at] += slope * slope
                weights[at] -= _RATE * 0.2 * slope / math.sqrt(squares[at])
    found = {
        name: weights[at] * ratios[at]
        for at, name in enumerate(vocabulary)
        if abs(weights[at] * ratios[at]) > 1e-3
    }
    return Scorer(found, bias)


def _ratios(
    examples: Sequence[Example], rows: Sequence[Sequence[int]], ours: Sequence[bool], size: int
) -> list[float]:
    """Return for each feature how much more often it stands in the class, as a logarithm."""
    inside, outside = [_SMOOTH] * size, [_SMOOTH] * size
    for row, is_ours, example in zip(rows, ours, examples, strict=True):
        counts = inside if is_ours else outside
        for at in row:
            counts[at] += example.weight
    all_inside = sum(one.weight for one, is_ours in zip(examples, ours, strict=True) if is_ours) + 1
    all_outside = sum(one.weight for one in examples) - all_inside + 2
    return [
        math.log((a / all_inside) / (b / all_outside)) for a, b in zip(inside, outside, strict=True)
    ]


def _probability(score: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
