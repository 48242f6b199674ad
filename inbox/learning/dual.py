"""Logistic regression over weighed features, by its dual (Yu, Huang and Lin 2011).

Each class is told from all others. An example pulls at the weights as far as it is not told apart
yet, and by how far is solved for exactly; so few rounds do, and no rate has to be chosen. Of three
classes and more, half of what `complement_weights` says is added.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from inbox.learning.complement import complement_weights
from inbox.learning.linear import Example, Scorer
from inbox.learning.weighing import weigh

# What one decision may pull at most: the higher, the less weights are held back.
_PULL: Final = 2.0
_EPOCHS: Final = 10
# So many additions a training takes at most; more texts or classes have fewer rounds.
_MOST_STEPS: Final = 120_000_000
_START: Final = 0.001
# A pull that changes by less is left as it is.
_STILL: Final = 1e-3
_TRIES: Final = 6
# How much counts what is seldom in all other classes beside the regression.
_COMPLEMENT: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Row:
    """A text: its features by their places, the square of its length, and how far it may pull."""

    at: tuple[int, ...]
    values: tuple[float, ...]
    square: float
    most: float


def train_weighed(
    examples: Sequence[Example], rarity: Mapping[str, float], labels: Sequence[str]
) -> dict[str, Scorer]:
    """Return a scorer of weighed features for each label; equal examples in order, equal scorers.

    Two labels need one scorer, that of the first.
    """
    index = {name: at for at, name in enumerate(rarity)}
    texts = [weigh(one.features, rarity) for one in examples]
    rows = [_row(found, index, one.weight) for found, one in zip(texts, examples, strict=True)]
    needed = labels[:1] if len(labels) == 2 else labels
    steps = max(1, sum(len(row.at) for row in rows) * 2 * len(needed))
    epochs = max(2, min(_EPOCHS, _MOST_STEPS // steps))
    labels_of = [one.label for one in examples]
    seldom = complement_weights(texts, labels_of, labels) if len(labels) > 2 else {}
    scorers = {}
    for label in needed:
        signs = [1.0 if one == label else -1.0 for one in labels_of]
        weights, bias = _train_one(rows, signs, len(index), epochs)
        for name, weight in seldom.get(label, {}).items():
            weights[index[name]] += _COMPLEMENT * weight
        scorers[label] = Scorer(
            {name: weights[at] for name, at in index.items() if abs(weights[at]) > 1e-3}, bias
        )
    return scorers


def _row(found: Mapping[str, float], index: Mapping[str, int], weight: float) -> _Row:
    square = sum([value * value for value in found.values()]) + 1
    return _Row(tuple(index[name] for name in found), tuple(found.values()), square, _PULL * weight)


def _train_one(
    rows: Sequence[_Row], signs: Sequence[float], size: int, epochs: int
) -> tuple[list[float], float]:
    weights, bias = [0.0] * size, 0.0
    pulls = [0.0] * len(rows)
    order = list(range(len(rows)))
    chance = random.Random(0)  # noqa: S311 - an order that is the same each time, no secret
    for _ in range(epochs):
        chance.shuffle(order)
        for number in order:
            row, sign = rows[number], signs[number]
            held = zip(row.at, row.values, strict=True)
            margin = sign * (bias + sum([weights[at] * value for at, value in held]))
            pull = _pull(margin, pulls[number], row)
            if abs(pull - pulls[number]) < _STILL * row.most:
                continue
            by = sign * (pull - pulls[number])
            pulls[number] = pull
            bias += by
            for at, value in zip(row.at, row.values, strict=True):
                weights[at] += by * value
    return weights, bias


def _pull(margin: float, before: float, row: _Row) -> float:
    """Return how far an example should pull, all others as they are.

    It is `most` times the probability that the example is taken for another class after it pulled:
    the root of an increasing function of its log-odds, by Newton's method between bounds.
    """
    most, square = row.most, row.square
    rest = margin - square * before
    low, high = -rest - square * most, -rest
    share = min(max(before / most, _START), 1 - _START)
    odds = min(max(math.log(share / (1 - share)), low), high)
    for _ in range(_TRIES):
        share = _probability(odds)
        off = odds + square * most * share + rest
        low, high = (low, odds) if off > 0 else (odds, high)
        odds -= off / (1 + square * most * share * (1 - share))
        if not low < odds < high:
            odds = (low + high) / 2
    return most * _probability(odds)


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
