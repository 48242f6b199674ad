"""A classifier with what it is worth: trained on some decisions, measured on others' senders."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from inbox.learning.calibration import (
    Bin,
    Curve,
    bins_of,
    expected_error,
    fit_curve,
    fit_shares,
    shares,
)
from inbox.learning.dual import train_weighed
from inbox.learning.linear import Example, Scorer, train
from inbox.learning.weighing import LETTERS, rarity_of, weigh

# Parts that senders fall into: one is held back for the figures, the others are cut for the curve.
_PARTS: Final = 5
# Of one sender as many decisions count; what a stranger makes people decide is no more than that.
MOST_OF_A_SENDER: Final = 25
LEAST_OF_A_CLASS: Final = 5
# An answer is sure from where on fewer than this share of all else held back had it as well.
_MOST_FALSE: Final = 0.004
# It is sure no lower than that; and from there on where fewer would have it than tell anything.
_LOWEST_SURE, SURE = 0.65, 0.9
_LEAST_FALSE: Final = 4
# Of what a row keeps.
FORMAT: Final = 3


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody decided of a message: its features, the class, and its sender's domain."""

    features: Sequence[str]
    label: str
    sender: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Classifier:
    """Scorers with the curve that turns their scores into probabilities."""

    labels: tuple[str, ...]
    scorers: dict[str, Scorer]
    curve: Curve
    # From which probability on an answer is sure, by its label.
    sure: dict[str, float] = field(default_factory=dict)
    # How much each feature counts, where features are weighed; empty where all count alike.
    rarity: dict[str, float] = field(default_factory=dict)
    # Whether the slope of the curve is that of `shares`.
    has_shares: bool = False

    def scores(self, features: Sequence[str]) -> dict[str, float]:
        """Return what each scorer says of a message of these features."""
        if not self.rarity:
            return {name: it.score(features) for name, it in self.scorers.items()}
        values = weigh(features, self.rarity)
        return {name: it.score_weighed(values) for name, it in self.scorers.items()}

    def probabilities(self, features: Sequence[str]) -> dict[str, float]:
        """Return how likely each label is, all together 1."""
        return self.of_scores(self.scores(features))

    def of_scores(self, scores: dict[str, float]) -> dict[str, float]:
        """Return how likely each label is by the scores of the scorers."""
        if self.has_shares:
            return shares(scores, self.curve.slope)
        odds = {label: self.curve.of(score) for label, score in scores.items()}
        if len(self.labels) == 2:
            first, second = self.labels
            return {first: odds[first], second: 1 - odds[first]}
        every = sum(odds.values()) or 1.0
        return {label: odds[label] / every for label in self.labels}

    def best(self, features: Sequence[str]) -> tuple[str, float]:
        """Return the likeliest label and its probability (0 to 1)."""
        found = self.probabilities(features)
        label = max(self.labels, key=lambda one: found[one])
        return label, found[label]

    def heaviest(self, features: Sequence[str], label: str) -> list[tuple[str, float]]:
        """Return the features that say most for or against a label, with their weight for it."""
        side = 1 if label in self.scorers else -1
        scorer = self.scorers[label] if label in self.scorers else next(iter(self.scorers.values()))
        if self.rarity:
            # Letters are no reason that anybody can read.
            words = {n: v for n, v in weigh(features, self.rarity).items() if _is_word(n)}
            found = scorer.heaviest_weighed(words)
        else:
            found = scorer.heaviest(features)
        return [(name, side * weight) for name, weight in found]

    def telling(self, most: int = 12) -> dict[str, list[tuple[str, float]]]:
        """Return for each scorer the features that say most for its label, and against it."""
        return {
            label: sorted(
                (one for one in it.weights.items() if not self.rarity or _is_word(one[0])),
                key=lambda one: (-abs(one[1]), one[0]),
            )[:most]
            for label, it in self.scorers.items()
        }

    def as_json(self) -> dict[str, Any]:
        """Return it as a row keeps it."""
        return {
            "format": FORMAT,
            "rarity": self.rarity,
            "labels": list(self.labels),
            "scorers": {label: scorer.as_json() for label, scorer in self.scorers.items()},
            "curve": [self.curve.slope, self.curve.shift],
            "sure": self.sure,
            "shares": self.has_shares,
        }

    @staticmethod
    def from_json(stored: dict[str, Any]) -> "Classifier":
        """Return what a row keeps; one of before features were weighed has no format."""
        if stored.get("format", 1) > FORMAT:
            raise ValueError("This was learned by a newer release: train it again.")
        scorers = {label: Scorer.from_json(one) for label, one in stored["scorers"].items()}
        return Classifier(
            tuple(stored["labels"]), scorers, Curve(*stored["curve"]), stored["sure"],
            stored.get("rarity", {}), stored.get("shares", False),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Worth:
    """What a classifier did on the senders that it was not trained on."""

    trained_on: int
    measured_on: int
    accuracy: float
    calibration_error: float
    bins: tuple[Bin, ...]


def learn(
    decisions: Iterable[Decision], *, weighs: bool = False
) -> tuple[Classifier, Worth] | None:
    """Train on decisions and measure on those of other senders; None where there are too few.

    The figures are those of a classifier that never saw the senders it is measured on; the one
    returned is trained on all decisions, with the curve of what was held back. `weighs`: features
    count by how rare and how often they are, as `counted_words_of` names them, and not alike.
    """
    kept = _bounded(decisions)
    labels = _labels(kept)
    kept = [one for one in kept if one.label in labels]
    if len(labels) < 2:
        return None
    scored = [pair for part in range(_PARTS) for pair in _scored(kept, labels, part, weighs=weighs)]
    whole = _with_curve(_taught(kept, labels, weighs=weighs), scored)
    found = [(decision, whole.of_scores(scores)) for decision, scores in scored]
    sure = {label: _sure_from(label, found) for label in labels}
    return replace(whole, sure=sure), _worth(found, len(kept))


def _with_curve(
    whole: Classifier, scored: Sequence[tuple[Decision, dict[str, float]]]
) -> Classifier:
    """Return a classifier with the curve of what was held back."""
    labels = whole.labels
    if len(labels) == 2:
        curve = fit_curve(
            [it[labels[0]] for _, it in scored], [d.label == labels[0] for d, _ in scored]
        )
        return replace(whole, curve=curve)
    if whole.rarity:
        slope = fit_shares([(it, decision.label) for decision, it in scored])
        return replace(whole, curve=Curve(slope), has_shares=True)
    flat = [(score, d.label == label) for d, it in scored for label, score in it.items()]
    return replace(whole, curve=fit_curve([score for score, _ in flat], [so for _, so in flat]))


def _worth(found: Sequence[tuple[Decision, dict[str, float]]], trained_on: int) -> Worth:
    best = [(one, max(likely, key=lambda label: likely[label]), likely) for one, likely in found]
    right = [label == one.label for one, label, _ in best]
    bins = tuple(bins_of([likely[label] for _, label, likely in best], right))
    accuracy = sum(right) / len(right) if right else 0.0
    return Worth(trained_on, len(right), accuracy, expected_error(bins), bins)


def _sure_from(label: str, found: Sequence[tuple[Decision, dict[str, float]]]) -> float:
    """Return from which probability on a label is sure, by what was held back of all others."""
    others = sorted((it[label] for one, it in found if one.label != label), reverse=True)
    # One more than was seen, so that a few without an error are no proof.
    allowed = int(_MOST_FALSE * (len(others) + 2)) - 1
    if allowed < _LEAST_FALSE:
        return SURE
    return round(min(max(_LOWEST_SURE, others[allowed] + 0.005), 0.99), 3)


def _scored(
    decisions: Sequence[Decision], labels: tuple[str, ...], part: int, *, weighs: bool
) -> list[tuple[Decision, dict[str, float]]]:
    """Return the decisions of a part of the senders, scored by what the others taught."""
    held = [one for one in decisions if part_of(one.sender) == part]
    rest = [one for one in decisions if part_of(one.sender) != part]
    if not held or len({one.label for one in rest}) < len(labels):
        return []
    taught = _taught(rest, labels, weighs=weighs)
    return [(one, taught.scores(one.features)) for one in held]


def _taught(decisions: Sequence[Decision], labels: tuple[str, ...], *, weighs: bool) -> Classifier:
    """Return a classifier without a curve of its own."""
    examples = _examples(decisions)
    if not weighs:
        return Classifier(labels, train(examples, labels), Curve())
    rarity = rarity_of(one.features for one in examples)
    return Classifier(labels, train_weighed(examples, rarity, labels), Curve(), rarity=rarity)


def _is_word(name: str) -> bool:
    return not name.startswith(LETTERS)


def part_of(sender: str) -> int:
    """Return the part that a sender's domain falls into, the same whenever it is asked."""
    return hashlib.sha256(sender.lower().encode()).digest()[0] % _PARTS


def _bounded(decisions: Iterable[Decision]) -> list[Decision]:
    """Return the decisions, of each sender no more than count."""
    times: Counter[tuple[str, str]] = Counter()
    kept = []
    for one in decisions:
        times[one.sender, one.label] += 1
        if times[one.sender, one.label] <= MOST_OF_A_SENDER:
            kept.append(one)
    return kept


def _labels(decisions: Sequence[Decision]) -> tuple[str, ...]:
    counts = Counter(one.label for one in decisions)
    return tuple(sorted(label for label, times in counts.items() if times >= LEAST_OF_A_CLASS))


def _examples(decisions: Sequence[Decision]) -> list[Example]:
    # In an order that no sender chooses, and that is the same each time.
    ordered = sorted(
        enumerate(decisions),
        key=lambda one: hashlib.sha256(f"{one[0]} {one[1].sender}".encode()).digest(),
    )
    return [Example(one.features, one.label, one.weight) for _, one in ordered]
