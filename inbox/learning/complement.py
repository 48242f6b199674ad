"""What tells a class by how seldom its words stand in all others (Rennie and others 2003).

Of a class a few dozen texts are known, of all others together many more: how seldom a word stands
there is the surer figure. It is added to the weights of a regression, which knows words by pairs.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

# What every word is counted more than it stands there, so that no few say too much.
_SMOOTH: Final = 0.1
# What says less of a class than that says nothing.
_LEAST: Final = 0.1


def complement_weights(
    texts: Sequence[Mapping[str, float]], labels_of: Sequence[str], labels: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Return for each label how much each feature speaks for it (above 0) or against it.

    `texts` are the values of each text's features. A feature says nothing of most classes: what it
    says of one is told beside what it says of the middle one.
    """
    own: dict[str, dict[str, float]] = {}
    for values, label in zip(texts, labels_of, strict=True):
        for name, value in values.items():
            by_label = own.setdefault(name, {})
            by_label[label] = by_label.get(label, 0.0) + value
    scale = {label: len(texts) / max(1, len(texts) - labels_of.count(label)) for label in labels}
    weights: dict[str, dict[str, float]] = {label: {} for label in labels}
    for name, by_label in own.items():
        total = sum(by_label.values())
        said = [
            -math.log((total - by_label.get(label, 0.0)) * scale[label] + _SMOOTH)
            for label in labels
        ]
        usual = median(said)
        for label, one in zip(labels, said, strict=True):
            if abs(one - usual) >= _LEAST:
                weights[label][name] = one - usual
    return weights
