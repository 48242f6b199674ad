"""The nearest rows by an index of PostgreSQL's extension `vector` (pgvector), where there is one.

Each owner with many rows has an index (HNSW) of their own: whose rows are looked through is part of
the index, so that none is lost for standing among others'. What is kept stays the bytes in the row,
of which the index is made; it follows them in their transaction, and may be dropped at any time.
"""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import DatabaseError, connection, transaction

from inbox.semantic.shelf import Shelf

log = logging.getLogger(__name__)
# Of rows of another length nothing is asked, here as in memory.
DIMENSIONS: Final = 384
# Whole numbers up to 127, as they are kept, are exact in the halves of a float.
FUNCTION: Final = "inbox_meaning_of"
# How many candidates a search keeps, at least as many as it returns; see bench/RESULTS.md.
_CANDIDATES: Final = 200
# What a transaction is told: more is looked through where rows were removed since.
_SETTINGS: Final = (
    f"SELECT set_config('hnsw.ef_search', '{_CANDIDATES}', true), "
    "set_config('hnsw.iterative_scan', 'relaxed_order', true)"
)
_INDEXES: Final = """
SELECT c.relname, n.nspname, i.indisvalid
FROM pg_index i
JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_extension e ON e.extname = 'vector'
JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE i.indrelid = %s::regclass AND starts_with(c.relname, %s)
"""


@dataclass(frozen=True, slots=True)
class Indexes:
    """The owners with an index, those where its making broke off, and the extension's schema."""

    owners: frozenset[int] = frozenset()
    broken: frozenset[int] = frozenset()
    schema: str = ""


def index_name(shelf: Shelf, owner_id: int | str) -> str:
    """Return what the index of an owner is called."""
    return f"{shelf.table}_near{DIMENSIONS}_{owner_id}"


def find_indexes(shelf: Shelf) -> Indexes:
    """Return which owners have an index; one query, none but on PostgreSQL."""
    if connection.vendor != "postgresql" or not shelf.may_index:
        return Indexes()
    prefix = index_name(shelf, "")
    with connection.cursor() as cursor:
        cursor.execute(_INDEXES, [shelf.table, prefix])
        rows = cursor.fetchall()
    owners: dict[bool, set[int]] = {True: set(), False: set()}
    for name, _, is_valid in rows:
        owners[is_valid].add(int(name.removeprefix(prefix)))
    schema = rows[0][1] if rows else ""
    return Indexes(frozenset(owners[True]), frozenset(owners[False]), schema)


def what_is_indexed(schema: str) -> str:
    """Return in SQL what stands in an index: the bytes of `vector` as numbers."""
    return f"({FUNCTION}(vector)::{quoted(schema)}.halfvec({DIMENSIONS}))"


def which_are_indexed(shelf: Shelf, owner_id: int) -> str:
    """Return in SQL which rows stand in the index of an owner."""
    return f"{shelf.owner} = {owner_id:d} AND length(vector) = {DIMENSIONS}"


def quoted(name: str) -> str:
    """Return a name as it stands in SQL."""
    return connection.ops.quote_name(name)


def near_by_index(
    shelf: Shelf, owner_ids: Collection[int], schema: str, vector: Sequence[int], limit: int
) -> list[tuple[int, bytes]] | None:
    """Return the keys and vectors of about the nearest rows of each of these owners, in no order.

    Two queries. None where the database does not answer them, as after the extension was dropped.
    """
    part = (
        "(SELECT {key}, vector FROM {table} WHERE {which} "
        "ORDER BY {what} OPERATOR({schema}.<=>) %s::{schema}.halfvec({dimensions}) LIMIT %s)"
    )
    parts = [
        part.format(
            key=shelf.key, table=quoted(shelf.table), which=which_are_indexed(shelf, owner_id),
            what=what_is_indexed(schema), schema=quoted(schema), dimensions=DIMENSIONS,
        )
        for owner_id in owner_ids
    ]  # fmt: skip
    asked = str([int(number) for number in vector])
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_SETTINGS)
            cursor.execute(" UNION ALL ".join(parts), [asked, limit] * len(parts))
            return [(key, bytes(found)) for key, found in cursor.fetchall()]
    except DatabaseError as error:
        log.warning("vectors are compared in memory, for their index does not answer: %s", error)
        return None
