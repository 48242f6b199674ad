"""Which rows are nearest in meaning to a text, among those that belong to somebody."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from django.db.models import Model

from inbox.semantic.loading import find_encoder

# One of a smaller cosine has nothing to do with the text.
LEAST_COSINE: Final = 0.25


@dataclass(frozen=True, slots=True)
class Shelf:
    """A model with a `vector` for each row of another, and its columns: of that row, and whose."""

    model: type[Model]
    key: str
    owner: str


def find_nearest(
    shelf: Shelf, owner_ids: Sequence[int], text: str, limit: int
) -> dict[int, float]:  # fmt: skip
    """Return the rows nearest to a text by key with their cosines, nearest first.

    None where no model is on. One query for each owner, two where vectors are in memory.
    """
    encoder = find_encoder()
    if encoder is None or not text.strip():
        return {}
    matrix: Any = import_module("inbox.semantic.matrix")
    vector = encoder.encode([text])[0]
    hits = [hit for each in owner_ids for hit in matrix.nearest(shelf, each, vector, limit)]
    best = sorted(hits, key=lambda hit: -hit[1])[:limit]
    return {key: cosine for key, cosine in best if cosine >= LEAST_COSINE}
