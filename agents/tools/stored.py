"""Columns of JSON as the database hands them out, read at most once where they are short."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

# As the database hands it out, or read.
Stored: TypeAlias = str | Sequence[Any] | None
# Longer ones are read anew each time: few rows have them.
LONGEST_KEPT = 2000


def stored_list(stored: Stored) -> Sequence[Any]:
    """Return what a column of JSON lists; nothing of null."""
    if isinstance(stored, str):
        return _read(stored) if len(stored) <= LONGEST_KEPT else json.loads(stored)
    return stored or ()


@lru_cache(maxsize=2048)
def _read(stored: str) -> Sequence[Any]:
    return tuple(json.loads(stored) or ())
