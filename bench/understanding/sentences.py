"""How often a sentence is rightly taken to ask or promise something, and how well it is known."""

from collections.abc import Sequence
from pathlib import Path

from bench.understanding.halves import HALVES, half_of
from inbox.classify.decide import probability
from inbox.classify.reading import read_text

_BINS = 10


def measure_sentences(path: Path) -> None:
    """Print F1 and the calibration error of each half of a file of labels, tabs and sentences."""
    lines = [line.partition("\t") for line in path.read_text("utf-8").splitlines()]
    rows = [(label == "Yes", text) for label, _, text in lines if label in ("Yes", "No") and text]
    for half in HALVES:
        ours = [(label, text) for label, text in rows if half_of(text) == half]
        found = [(label, probability(read_text(text).asks)) for label, text in ours]
        print(f"sentences, {half}: {len(ours)}, F1 {f1(found):.3f}, ECE {calibration(found):.3f}")


def f1(found: Sequence[tuple[bool, float]]) -> float:
    """Return the harmonic mean of precision and recall, at one half."""
    right = sum(label and chance >= 0.5 for label, chance in found)
    told = sum(chance >= 0.5 for _, chance in found)
    wanted = sum(label for label, _ in found)
    return 2 * right / (told + wanted) if told + wanted else 0.0


def calibration(found: Sequence[tuple[bool, float]]) -> float:
    """Return the expected calibration error: how far what was said is from what was so, 0 to 1."""
    bins: dict[int, list[tuple[bool, float]]] = {}
    for label, chance in found:
        bins.setdefault(min(int(chance * _BINS), _BINS - 1), []).append((label, chance))
    return sum(
        abs(sum(chance for _, chance in each) - sum(label for label, _ in each))
        for each in bins.values()
    ) / max(len(found), 1)
