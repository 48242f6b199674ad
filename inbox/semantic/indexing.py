"""Making the indexes of pgvector in the background, for whom comparing in memory takes long.

No migration makes them: a database without the extension is as complete as one with it.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import DatabaseError, connection, transaction
from django.db.models import Count
from django.utils import timezone

from inbox.background.jobs import Payload, enqueue, handler
from inbox.background.periodic import periodic
from inbox.semantic.finding import MESSAGES
from inbox.semantic.loading import is_on
from inbox.semantic.shelf import Shelf
from inbox.semantic.vector_index import (
    FUNCTION,
    find_indexes,
    index_name,
    quoted,
    what_is_indexed,
    which_are_indexed,
)

log = logging.getLogger(__name__)
INDEX: Final = "meanings.index"
# Below so many rows of an owner all are compared as quickly; below half of it an index is dropped.
LEAST_INDEXED: Final = 10_000
# Each is looked at by whatever writes or reads the table.
MOST_INDEXES: Final = 100
# It goes on looking where rows were removed since.
LEAST_VERSION: Final = (0, 8)
_LEASE: Final = timedelta(minutes=20)
# What the making of an index takes in memory, as measured; in kB for a row, and at most.
_KILOBYTES, _MOST_KILOBYTES = 3, 2**20
# With fewer some searches found nothing right where thousands of messages are alike, as those of
# programs are; see bench/RESULTS.md.
_LINKS: Final = "m = 24, ef_construction = 200"
_EXTENSION: Final = """
SELECT a.default_version, coalesce(e.extversion, ''), coalesce(n.nspname, '')
FROM pg_available_extensions a
LEFT JOIN pg_extension e ON e.extname = a.name
LEFT JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE a.name = 'vector'
"""


@dataclass(frozen=True, slots=True)
class Extension:
    """The extension that the server offers; `version` and `schema` are "" where it is not added."""

    offered: str
    version: str
    schema: str

    @property
    def is_new_enough(self) -> bool:
        """Return True if its version, or else that which would be added, can be used."""
        numbers = (self.version or self.offered).split(".")[:2]
        return tuple(int(number) for number in numbers if number.isdigit()) >= LEAST_VERSION


@dataclass(frozen=True, slots=True)
class Wanted:
    """The owners who lack an index, with their rows; and those whose index is to be dropped."""

    lacking: dict[int, int]
    surplus: frozenset[int]


def find_extension() -> Extension | None:
    """Return what the server has of pgvector; None where it has none, or is no PostgreSQL."""
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute(_EXTENSION)
        row = cursor.fetchone()
    return Extension(*row) if row else None


def find_wanted(shelf: Shelf) -> Wanted:
    """Return which indexes there should be and are not, and which should not be; two queries."""
    indexes = find_indexes(shelf)
    vectors: Any = shelf.model._default_manager
    counts = vectors.values_list(shelf.owner).annotate(rows=Count("pk"))
    large: dict[int, int] = dict(
        counts.filter(rows__gte=LEAST_INDEXED // 2).order_by("-rows", shelf.owner)
    )
    kept = indexes.owners & large.keys()
    lacking = [
        each for each, rows in large.items() if rows >= LEAST_INDEXED and each not in kept
    ]  # fmt: skip
    room = max(MOST_INDEXES - len(kept), 0)
    return Wanted(
        {each: large[each] for each in lacking[:room]}, (indexes.owners - kept) | indexes.broken
    )


@periodic(600)
def ask_for_indexes() -> bool:
    """Have indexes made or dropped if any should be; return whether."""
    if not is_on() or find_extension() is None:
        return False
    wanted = find_wanted(MESSAGES)
    if not (wanted.surplus or (wanted.lacking and _add_extension())):
        return False
    enqueue(INDEX, {}, key=f"{INDEX}:{timezone.now():%Y%m%d%H}", slow=True)
    return True


def _add_extension() -> Extension | None:
    """Return the extension, added if it was not; None where it may not be, or is too old."""
    there = find_extension()
    if there is None or not there.is_new_enough:
        return None
    if not there.version:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except DatabaseError as error:
            log.info("the extension vector may not be added: %s", error)
            return None
        there = find_extension()
    return there


@handler(INDEX, lease=_LEASE)
def make_indexes(_: Payload) -> None:
    """Drop the indexes that nobody needs or whose making broke off, and make those that lack.

    Mail goes on being written and searched meanwhile. A hundred thousand rows take minutes.
    """
    if connection.vendor != "postgresql" or _is_at_work(MESSAGES):
        return
    wanted = find_wanted(MESSAGES)
    for owner_id in sorted(wanted.surplus):
        _run(f"DROP INDEX CONCURRENTLY IF EXISTS {quoted(index_name(MESSAGES, owner_id))}")
    extension = _add_extension() if is_on() and wanted.lacking else None
    if extension is None:
        return
    _run(_function(extension.schema))
    for owner_id, rows in wanted.lacking.items():
        with _given_memory(rows):
            _run(_index(MESSAGES, owner_id, extension.schema))
    # Until then it is not known that comparing all would take long.
    _run(f"ANALYZE {quoted(MESSAGES.table)}")


def _is_at_work(shelf: Shelf) -> bool:
    """Return True if an index of the table is just being made."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_stat_progress_create_index "
            "WHERE datname = current_database() AND relid = %s::regclass)",
            [shelf.table],
        )
        return bool(cursor.fetchone()[0])


def _function(schema: str) -> str:
    """Return what makes the function that reads the bytes, each of them signed, as numbers."""
    kind = f"{quoted(schema)}.halfvec"
    return (
        f"CREATE OR REPLACE FUNCTION {FUNCTION}(bytea) RETURNS {kind} "  # noqa: S608
        "LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$ "
        "SELECT ARRAY(SELECT (get_byte($1, place) # 128) - 128 "
        f"FROM generate_series(0, length($1) - 1) place)::{kind} $$"
    )


def _index(shelf: Shelf, owner_id: int, schema: str) -> str:
    return (
        f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {quoted(index_name(shelf, owner_id))} "
        f"ON {quoted(shelf.table)} USING hnsw "
        f"({what_is_indexed(schema)} {quoted(schema)}.halfvec_cosine_ops) WITH ({_LINKS}) "
        f"WHERE {which_are_indexed(shelf, owner_id)}"
    )


@contextmanager
def _given_memory(rows: int) -> Iterator[None]:
    """Give the making of an index the memory that it needs for so many rows, and its time.

    By one process: several share memory of which a container has little.
    """
    wanted = min(rows * _KILOBYTES, _MOST_KILOBYTES)
    _run(
        "SELECT set_config('statement_timeout', '0', false), "
        "set_config('max_parallel_maintenance_workers', '0', false), "
        "set_config('maintenance_work_mem', greatest("
        f"{wanted}, pg_size_bytes(current_setting('maintenance_work_mem')) / 1024) || 'kB', false)"
    )
    try:
        yield
    finally:
        _run(
            "RESET statement_timeout; RESET max_parallel_maintenance_workers; "
            "RESET maintenance_work_mem"
        )


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
