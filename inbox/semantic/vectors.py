"""Which rows are nearest in meaning to a text, among those that belong to somebody."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from inbox.semantic.loading import find_encoder
from inbox.semantic.shelf import Shelf
from inbox.semantic.vector_index import find_indexes, near_by_index

# One of a smaller cosine has nothing to do with the text.
LEAST_COSINE: Final = 0.25


def find_nearest(
    shelf: Shelf, owner_ids: Sequence[int], text: str, limit: int
) -> dict[int, float]:  # fmt: skip
    """Return the rows nearest to a text by key with their cosines, nearest first.

    None where no model is on. Of owners who have an index of pgvector about the nearest, in three
    queries; of the others exactly the nearest, in one query for each, two where vectors are in
    memory.
    """
    encoder = find_encoder()
    if encoder is None or not text.strip():
        return {}
    matrix: Any = import_module("inbox.semantic.matrix")
    vector = encoder.encode([text])[0]
    indexes = find_indexes(shelf)
    indexed = [each for each in owner_ids if each in indexes.owners]
    rows = near_by_index(shelf, indexed, indexes.schema, vector, limit) if indexed else []
    hits = matrix.with_cosines(rows or [], vector)
    compared = [each for each in owner_ids if rows is None or each not in indexed]
    hits += [hit for each in compared for hit in matrix.nearest(shelf, each, vector, limit)]
    # Of equals the newest first, whichever found them; sums of floats differ in their last digits.
    best = sorted(hits, key=lambda hit: (-round(hit[1], 6), -hit[0]))[:limit]
    return {key: cosine for key, cosine in best if cosine >= LEAST_COSINE}
