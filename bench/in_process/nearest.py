"""The nearest of many vectors by pgvector's index, against comparing all of them in memory.

`python -m bench.in_process.nearest VECTORS.npy COUNT` in an empty database of a PostgreSQL that has
pgvector, with an account of `bench.in_process.account`. The vectors are what the model makes of
passages of mail (`bench.in_process.passages`), and as many more as are wanted, each between two of
them and a little off. The first ones are asked for. What is counted is the processor's time of this
process and of the database's that serves it.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from django.db import connection

from bench.results import Result, hand_over
from inbox.models import Inbox
from inbox.semantic import indexing, matrix
from inbox.semantic.encoder import DIMENSIONS, Vectors
from inbox.semantic.finding import MESSAGES
from inbox.semantic.vector_index import find_indexes, near_by_index

ASKED, SOUGHT, SEED = 200, 100, 4
_TICKS = os.sysconf("SC_CLK_TCK")


def multiply(passages: Vectors, count: int) -> Vectors:
    """Return so many vectors: these, and others between them."""
    chance = np.random.default_rng(SEED)
    one, other = chance.integers(0, len(passages), (2, max(count - len(passages), 0)))
    share = chance.uniform(0.2, 0.8, (len(one), 1))
    between = passages[one] * share + passages[other] * (1 - share)
    between += chance.normal(size=between.shape) * 8
    between *= 127 / np.abs(between).max(axis=1, keepdims=True)
    return np.concatenate([passages, np.round(between).astype(np.int8)])[:count]


def fill(inbox: Inbox, rows: Vectors) -> None:
    """Keep the vectors of messages, numbered from 1, of which there is nothing else."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        statement = f"COPY {MESSAGES.table} (message_id, inbox_id, vector) FROM STDIN"
        with cursor.copy(statement) as copy:
            for key, row in enumerate(rows, 1):
                copy.write_row((key, inbox.pk, row.tobytes()))
        cursor.execute("SET session_replication_role = DEFAULT")


def seconds_of_both(backend: int) -> float:
    """Return the processor's time that this process and the database's have taken."""
    fields = Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()
    return time.process_time() + (int(fields[11]) + int(fields[12])) / _TICKS


def timed(
    find: Callable[[Vectors], list[tuple[int, float]]], asked: Vectors, backend: int
) -> tuple[float, list[list[int]]]:
    """Return the seconds of a search, after one that counts for nothing, and what is found."""
    find(asked[0])
    start = seconds_of_both(backend)
    found = [[key for key, _ in find(vector)] for vector in asked]
    return (seconds_of_both(backend) - start) / len(asked), found


def by_index(inbox: Inbox, vector: Vectors) -> list[tuple[int, float]]:
    """Find as a search does."""
    schema = find_indexes(MESSAGES).schema
    rows = near_by_index(MESSAGES, [inbox.pk], schema, vector.tolist(), SOUGHT) or []
    return sorted(matrix.with_cosines(rows, vector), key=lambda hit: -hit[1])


def measure(passages: Vectors, count: int) -> list[Result]:
    """Find the same by both, by turns."""
    inbox = Inbox.objects.get()
    asked, rows = passages[:ASKED], multiply(passages[ASKED:], count)
    fill(inbox, rows)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = int(cursor.fetchone()[0])
    start = seconds_of_both(backend)
    indexing.make_indexes({})
    made = seconds_of_both(backend) - start
    compare = partial(matrix.nearest, MESSAGES, inbox.pk, limit=SOUGHT)
    start = seconds_of_both(backend)
    compare(asked[0])
    read = seconds_of_both(backend) - start
    times: dict[str, list[float]] = {"ours": [], "index": []}
    for _ in range(3):
        ours, exact = timed(compare, asked, backend)
        index, near = timed(partial(by_index, inbox), asked, backend)
        times["ours"].append(ours)
        times["index"].append(index)
    return tell(times, exact, near, made, read)


def tell(
    times: dict[str, list[float]], exact: list[list[int]], near: list[list[int]],
    made: float, read: float,
) -> list[Result]:  # fmt: skip
    """Put into words what was measured."""
    pairs = list(zip(exact, near, strict=True))
    shares = [len({*one} & {*other}) / SOUGHT for one, other in pairs]
    ranks = [1 / (other.index(one[0]) + 1) if one[0] in other else 0.0 for one, other in pairs]
    ours, index = (statistics.median(times[name]) * 1000 for name in ("ours", "index"))
    extension = indexing.find_extension()
    version = f"pgvector {extension.version if extension else ''}"
    return [
        Result("nearest 100, processor", f"{index:.1f} ms", f"comparing {ours:.1f} ms",
               f"{index / ours:.2f}", "≤ 0.5", index / ours <= 0.5),
        Result("of the nearest 100, found", f"{statistics.mean(shares):.4f}",
               f"least {min(shares):.2f}", "–", "≥ 0.99", statistics.mean(shares) >= 0.99),
        Result("the nearest, mean reciprocal rank", f"{statistics.mean(ranks):.4f}", "comparing 1",
               "–", "≥ 0.99", statistics.mean(ranks) >= 0.99),
        Result("the index is made", f"{made:.0f} s", f"reading into memory {read:.1f} s", "–", "–",
               None),
        Result("size of the index", _size(), version, "–", "–", None),
    ]  # fmt: skip


def _size() -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_size_pretty(sum(pg_relation_size(indexrelid))) FROM pg_index "
            "WHERE indrelid = %s::regclass AND indexrelid::regclass::text LIKE %s",
            [MESSAGES.table, "%_near%"],
        )
        return str(cursor.fetchone()[0])


if __name__ == "__main__":
    loaded: Vectors = np.load(sys.argv[1])
    assert loaded.shape[1] == DIMENSIONS
    hand_over(measure(loaded, int(sys.argv[2])))
