"""How sure a score is: a curve fitted to what was held back (Platt 1999), and how far it is off."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

BINS: Final = 10
_STEPS: Final = 400
_RATE: Final = 0.1
_SLOPES: Final = (0.02, 20.0)
_CLOSER: Final = 24


@dataclass(frozen=True, slots=True)
class Curve:
    """Turns a score into a probability: 1 / (1 + exp(-(slope * score + shift)))."""

    slope: float = 1.0
    shift: float = 0.0

    def of(self, score: float) -> float:
        """Return the probability (0 to 1) of a score."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.slope * score + self.shift))))


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of like confidence: how many, how sure they were, and which share was right."""

    count: int
    said: float
    was: float


def fit_curve(scores: Sequence[float], outcomes: Sequence[bool]) -> Curve:
    """Return the curve that fits the outcomes best; a flat start where there are too few.

    The aims are drawn in a little, as Platt does, so that a part without errors is no proof.
    """
    yes, no = sum(outcomes), len(outcomes) - sum(outcomes)
    if not yes or not no:
        return Curve()
    high, low = (yes + 1) / (yes + 2), 1 / (no + 2)
    size = max(1.0, *(abs(score) for score in scores))
    slope, shift = 1.0 * size, 0.0
    slope_square = shift_square = 1e-6
    pairs = [
        (score / size, high if is_so else low)
        for score, is_so in zip(scores, outcomes, strict=True)
    ]
    for _ in range(_STEPS):
        errors = [(Curve(slope, shift).of(score) - aim, score) for score, aim in pairs]
        by_slope = sum(error * score for error, score in errors) / len(pairs)
        by_shift = sum(error for error, _ in errors) / len(pairs)
        slope_square += by_slope * by_slope
        shift_square += by_shift * by_shift
        slope = max(0.0, slope - _RATE * 5 * by_slope / math.sqrt(slope_square))
        shift -= _RATE * 5 * by_shift / math.sqrt(shift_square)
    return Curve(slope / size, shift)


def shares(scores: Mapping[str, float], slope: float) -> dict[str, float]:
    """Return how likely each of several answers is by its score, all together 1 (a softmax)."""
    most = max(scores.values(), default=0.0)
    odds = {name: math.exp(slope * (score - most)) for name, score in scores.items()}
    every = sum(odds.values())
    return {name: one / every for name, one in odds.items()}


def fit_shares(scored: Sequence[tuple[Mapping[str, float], str]]) -> float:
    """Return the slope by which `shares` make the right answers likeliest (Guo and others 2017).

    What is lost is a convex function of the slope, so that the best one is closed in from both
    sides.
    """

    def lost(slope: float) -> float:
        return -sum(math.log(max(shares(them, slope)[right], 1e-12)) for them, right in scored)

    low, high = _SLOPES
    for _ in range(_CLOSER if scored else 0):
        third = (high - low) / 3
        if lost(low + third) < lost(high - third):
            high -= third
        else:
            low += third
    return round((low + high) / 2, 4) if scored else 1.0


def bins_of(confidences: Sequence[float], right: Sequence[bool]) -> list[Bin]:
    """Return the answers in ten bins of equal width by their confidence, empty ones left out."""
    found: dict[int, list[tuple[float, bool]]] = {}
    for confidence, is_right in zip(confidences, right, strict=True):
        found.setdefault(min(int(confidence * BINS), BINS - 1), []).append((confidence, is_right))
    return [
        Bin(len(some), sum(c for c, _ in some) / len(some), sum(r for _, r in some) / len(some))
        for _, some in sorted(found.items())
    ]


def expected_error(bins: Sequence[Bin]) -> float:
    """Return the expected calibration error: how far what was said lies from what was (0 to 1)."""
    every = sum(one.count for one in bins)
    return sum(one.count * abs(one.said - one.was) for one in bins) / every if every else 0.0
