"""Memories that were saved one after the other: what was said just before an answer, and after."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable

from agents.models import Memory
from inbox.actor import Actor

# By how many places a memory was saved after one that answers (or before it), and what share of
# that one's score counts for it. Measured on conversations of which each turn was saved: a turn
# that answers often has no telling word of the question, and the one before it has.
SHARES: Mapping[int, float] = {1: 0.5, 2: 0.3, -1: 0.3, -2: 0.2}
# What was saved longer apart belongs to something else.
_TOGETHER = timedelta(minutes=30)
# So many keys before and after one the agent's own are looked for; other agents' are among them.
_NEAR = 200


def find_beside(actor: Actor, keys: Sequence[int]) -> dict[int, tuple[int | None, ...]]:
    """Return for each memory the keys of the agent's at the places of `SHARES`, None where none is.

    One query, whose ranges of the index are bounded.
    """
    columns = {f"place_{number}": _at(actor, place) for number, place in enumerate(SHARES)}
    rows = Memory.objects.visible_to(actor).filter(pk__in=keys).annotate(**columns)
    return {key: tuple(others) for key, *others in rows.values_list("pk", *columns)}


def _at(actor: Actor, place: int) -> Subquery:
    here: Combinable = OuterRef("pk")
    mine: QuerySet[Memory] = Memory.objects.visible_to(actor)
    if place > 0:
        near = mine.filter(pk__gt=here, pk__lte=here + _NEAR).order_by("pk")
    else:
        near = mine.filter(pk__lt=here, pk__gte=here - _NEAR).order_by("-pk")
    return Subquery(near.values("pk")[abs(place) - 1 : abs(place)])


def add_from_beside(
    scores: Mapping[int, float],
    beside: Mapping[int, Sequence[int | None]],
    saved: Mapping[int, datetime],
) -> dict[int, float]:
    """Return the scores, those of what was saved beside something that answers raised towards 1.

    `scores` has what has a word of the question; what has none stays out. `saved` is when each was.
    """
    shares: dict[int, float] = {}
    for key, others in beside.items():
        for other, share in zip(others, SHARES.values(), strict=True):
            if other is None or other not in scores:
                continue
            if abs(saved[other] - saved[key]) <= _TOGETHER:
                shares[other] = shares.get(other, 0.0) + share * scores[key]
    rest = {key: max(1 - score, 0.0) for key, score in scores.items()}
    return {
        key: score + rest[key] * min(shares.get(key, 0.0), 1.0) for key, score in scores.items()
    }
