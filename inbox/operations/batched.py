"""Lists in pieces that every database takes as parameters of one statement."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Value = TypeVar("Value")

# SQLite takes 32,766 parameters unless it was built otherwise, PostgreSQL 65,535.
CHUNK = 5000


def in_chunks(values: Iterable[Value], size: int = CHUNK) -> Iterator[list[Value]]:
    """Yield the values in lists of at most `size`; nothing where there are none."""
    rest = iter(values)
    while chunk := list(islice(rest, size)):
        yield chunk
