"""Finding messages by what they mean, beside those that were found by their words."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from django.db import connection

from inbox.models import MessageVector
from inbox.semantic.shelf import Shelf
from inbox.semantic.vectors import find_nearest

# So many of the best by words stay before what is near, and so many of the nearest stand before the
# others. Fused by their ranks, in whatever shares, messages went down that words had found.
FIRST: Final = 7
NEXT: Final = 3
# Messages of an inbox that are nearest.
_NEAREST: Final = 100
MESSAGES: Final = Shelf(MessageVector, "message_id", "inbox_id", may_index=True)
_Condition: TypeAlias = Callable[[], tuple[str, list[Any]]]
_Scores: TypeAlias = list[tuple[int, float]]


def near_messages(
    text: str, inbox_ids: Sequence[int], condition: _Condition
) -> dict[int, float]:  # fmt: skip
    """Return the messages nearest to a text by key with their cosines, nearest first.

    None where no model is on. What is near has to hold the SQL condition on the message `m`: one
    query beside those of `find_nearest`.
    """
    near = find_nearest(MESSAGES, inbox_ids, text, _NEAREST)
    there = _holding(list(near), *condition()) if near else set()
    return {key: cosine for key, cosine in near.items() if key in there}


def _holding(keys: Sequence[int], condition: str, values: Sequence[Any]) -> set[int]:
    places = ", ".join("%s" for _ in keys)
    sql = f"SELECT m.id FROM inbox_message m WHERE m.id IN ({places}) AND {condition}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, [*keys, *values])
        return {key for (key,) in cursor.fetchall()}


def place_nearest(
    found: Mapping[int, float], near: Mapping[int, float], ahead: int
) -> list[_Scores]:  # fmt: skip
    """Return what is in either as lists of which each comes before the next, each best first.

    The first `ahead` of those found by words stay first, and `FIRST` of them at least. Then come
    the `NEXT` nearest, the others that were found, and the others that are near.
    """
    kept = list(found)[: max(ahead, FIRST)]
    nearest = [key for key in near if key not in kept]
    then = nearest[:NEXT]
    others = [key for key in found if key not in {*kept, *then}]
    last = [key for key in nearest if key not in {*then, *others}]
    return [_of(found, kept), _of(near, then), _of(found, others), _of(near, last)]


def _of(scores: Mapping[int, float], keys: Iterable[int]) -> _Scores:
    return [(key, scores[key]) for key in keys]
