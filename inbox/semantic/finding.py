"""Finding messages by what they mean, beside those that were found by their words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from django.db import connection

from inbox.models import MessageVector
from inbox.semantic.vectors import Shelf, find_nearest

# Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): a place counts 1 / (K + place), one by
# the meaning this share of it. With their 60, and with equal shares, the right one went down where
# its words are known; so, the first by words stays the first unless it is near as well.
K: Final = 5
SHARE: Final = 0.3
# Messages of an inbox that are nearest.
_NEAREST: Final = 100
MESSAGES: Final = Shelf(MessageVector, "message_id", "inbox_id")
_Condition: TypeAlias = Callable[[], tuple[str, list[Any]]]


def add_nearest(
    found: Mapping[int, float], query: str, inbox_ids: Sequence[int], condition: _Condition
) -> dict[int, float]:
    """Return messages by key with their scores, best first: found by words, or near in meaning.

    `found` is in order, best first; where no model is on, it comes back as it is. What is near has
    to hold the SQL condition on the message `m`: one query beside those of `find_nearest`.
    """
    near = _near_messages(query, inbox_ids, condition)
    return fuse(found, list(near)) if near else dict(found)


def _near_messages(
    text: str, inbox_ids: Sequence[int], condition: _Condition
) -> dict[int, float]:  # fmt: skip
    """Return the messages nearest to a text by key with their cosines; those that hold."""
    near = find_nearest(MESSAGES, inbox_ids, text, _NEAREST)
    there = _holding(list(near), *condition()) if near else set()
    return {key: cosine for key, cosine in near.items() if key in there}


def _holding(keys: Sequence[int], condition: str, values: Sequence[Any]) -> set[int]:
    places = ", ".join("%s" for _ in keys)
    sql = f"SELECT m.id FROM inbox_message m WHERE m.id IN ({places}) AND {condition}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, [*keys, *values])
        return {key for (key,) in cursor.fetchall()}


def fuse(found: Mapping[int, float], near: Sequence[int]) -> dict[int, float]:
    """Return what is in either list, by reciprocal rank fusion, best first; the best has 1."""
    scores = {key: 1 / (K + place) for place, key in enumerate(found, 1)}
    for place, key in enumerate(near, 1):
        scores[key] = scores.get(key, 0.0) + SHARE / (K + place)
    best = max(scores.values(), default=1.0)
    ordered = sorted(scores, key=lambda key: (scores[key], key), reverse=True)
    return {key: round(scores[key] / best, 9) for key in ordered}
