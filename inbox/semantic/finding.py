"""Finding messages by what they mean, beside those that were found by their words."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from django.db import connection

from inbox.semantic.loading import find_encoder

# Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): a place counts 1 / (K + place), one by
# the meaning this share of it. With their 60, and with equal shares, the right one went down where
# its words are known; so, the first by words stays the first unless it is near as well.
K: Final = 5
SHARE: Final = 0.3
# Messages of an inbox that are nearest; one of a smaller cosine has nothing to do with the query.
_NEAREST: Final = 100
LEAST_COSINE: Final = 0.25


def add_nearest(
    found: Mapping[int, float],
    query: str,
    inbox_ids: Sequence[int],
    condition: Callable[[], tuple[str, list[Any]]],
) -> dict[int, float]:
    """Return messages by key with their scores, best first: found by words, or near in meaning.

    `found` is in order, best first; where no model is on, it comes back as it is. What is near has
    to hold the SQL condition on the message `m`. One query for each inbox and one more, two for
    each where vectors are in memory.
    """
    encoder = find_encoder()
    if encoder is None:
        return dict(found)
    near = _nearest(encoder.encode([query])[0], inbox_ids)
    there = _holding(near, *condition()) if near else set()
    return fuse(found, [key for key in near if key in there])


def _holding(keys: Sequence[int], condition: str, values: Sequence[Any]) -> set[int]:
    places = ", ".join("%s" for _ in keys)
    sql = f"SELECT m.id FROM inbox_message m WHERE m.id IN ({places}) AND {condition}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, [*keys, *values])
        return {key for (key,) in cursor.fetchall()}


def _nearest(vector: Any, inbox_ids: Sequence[int]) -> list[int]:
    matrix: Any = import_module("inbox.semantic.matrix")
    hits = [hit for each in inbox_ids for hit in matrix.nearest(each, vector, _NEAREST)]
    best = sorted(hits, key=lambda hit: -hit[1])[:_NEAREST]
    return [key for key, cosine in best if cosine >= LEAST_COSINE]


def fuse(found: Mapping[int, float], near: Sequence[int]) -> dict[int, float]:
    """Return what is in either list, by reciprocal rank fusion, best first; the best has 1."""
    scores = {key: 1 / (K + place) for place, key in enumerate(found, 1)}
    for place, key in enumerate(near, 1):
        scores[key] = scores.get(key, 0.0) + SHARE / (K + place)
    best = max(scores.values(), default=1.0)
    ordered = sorted(scores, key=lambda key: (scores[key], key), reverse=True)
    return {key: round(scores[key] / best, 9) for key in ordered}
