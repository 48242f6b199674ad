"""A text as numbers: words and letters each of length one by themselves, the rare ones heavier.

Of letters there are many more than of words. Were both one family, the letters of a long text would
drown its words; so each family is brought to length one before they stand beside each other.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

# So many features count at most, the commonest.
MOST_NAMES: Final = 40_000
LETTERS: Final = "c/"


def rarity_of(texts: Iterable[Sequence[str]]) -> dict[str, float]:
    """Return how much each feature counts: the more, the fewer texts have it."""
    counts: Counter[str] = Counter()
    size = 0
    for names in texts:
        counts.update(set(names))
        size += 1
    common = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_NAMES]
    return {name: round(math.log((1 + size) / (1 + counts[name])) + 1, 4) for name in common}


def weigh(names: Iterable[str], rarity: Mapping[str, float]) -> dict[str, float]:
    """Return the values of a text's features, each family of them of length one.

    What stands there more often counts more, by the logarithm; what has no rarity does not count.
    """
    families: tuple[dict[str, float], dict[str, float]] = {}, {}
    for name, times in Counter(names).items():
        if name in rarity:
            value = (1 + math.log(times)) * rarity[name]
            families[name.startswith(LETTERS)][name] = value
    found: dict[str, float] = {}
    for family in families:
        length = math.sqrt(sum([value * value for value in family.values()])) or 1.0
        for name, value in family.items():
            found[name] = value / length
    return found
