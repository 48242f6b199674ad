"""The vectors of an owner in memory, and which of them are nearest to another."""

import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from inbox.semantic.encoder import DIMENSIONS, Vectors
from inbox.semantic.shelf import Shelf

# So many of the newest of an owner are compared: 40 MB. A process keeps those of a few owners.
MOST: Final = 100_000
_MOST_KEPT: Final = 3 * MOST
# In seconds: then they are all read again, whatever was put between those that are known.
_STALE: Final = 600.0
_COMPARED_AT_ONCE: Final = 8192
_READ_AT_ONCE: Final = 5000


@dataclass(slots=True)
class _Kept:
    """Keys in descending order, and the row of each; when they were read, in monotonic seconds."""

    keys: NDArray[np.int64]
    rows: Vectors
    read_at: float


_KEPT: OrderedDict[tuple[Shelf, int], _Kept] = OrderedDict()
_LOCK = Lock()


def nearest(
    shelf: Shelf, owner_id: int, vector: Vectors, limit: int
) -> list[tuple[int, float]]:  # fmt: skip
    """Return the keys of the owner's nearest rows with their cosines, nearest first."""
    with _LOCK:
        kept = _current(shelf, owner_id)
    if not len(kept.keys):
        return []
    asked = _of_length_one(vector)
    cosines = np.concatenate([
        _cosines(kept.rows[place : place + _COMPARED_AT_ONCE], asked)
        for place in range(0, len(kept.keys), _COMPARED_AT_ONCE)
    ])  # fmt: skip
    best = np.argsort(-cosines, kind="stable")[:limit]
    return [(int(kept.keys[place]), float(cosines[place])) for place in best]


def with_cosines(
    rows: Sequence[tuple[int, bytes]], vector: Vectors
) -> list[tuple[int, float]]:  # fmt: skip
    """Return the keys of rows with their cosines, in the order in which they came."""
    parts = b"".join(content for _, content in rows)
    matrix: Vectors = np.frombuffer(parts, dtype=np.int8).reshape(-1, DIMENSIONS)
    cosines = _cosines(matrix, _of_length_one(vector))
    return [(key, float(cosine)) for (key, _), cosine in zip(rows, cosines, strict=True)]


def _of_length_one(vector: Vectors) -> NDArray[np.float32]:
    asked = vector.astype(np.float32)
    asked /= max(float(np.linalg.norm(asked)), 1e-9)
    return asked


def _cosines(rows: Vectors, asked: NDArray[np.float32]) -> NDArray[np.float32]:
    numbers = rows.astype(np.float32)
    lengths = np.maximum(np.linalg.norm(numbers, axis=1), 1e-9)
    found: NDArray[np.float32] = (numbers @ asked) / lengths
    return found


def forget() -> None:
    """Forget what is in memory."""
    with _LOCK:
        _KEPT.clear()


def _current(shelf: Shelf, owner_id: int) -> _Kept:
    """Return what is known of an owner, with what came since and what is older; keep it."""
    kept = _KEPT.pop((shelf, owner_id), None)
    if kept is None or time.monotonic() - kept.read_at > _STALE:
        kept = _Kept(*_read(shelf, owner_id), read_at=time.monotonic())
    else:
        _catch_up(shelf, owner_id, kept)
    _KEPT[(shelf, owner_id)] = kept
    while len(_KEPT) > 1 and sum(len(one.keys) for one in _KEPT.values()) > _MOST_KEPT:
        _KEPT.popitem(last=False)
    return kept


def _catch_up(shelf: Shelf, owner_id: int, kept: _Kept) -> None:
    if not len(kept.keys):
        kept.keys, kept.rows = _read(shelf, owner_id)
        return
    newer = _read(shelf, owner_id, gt=int(kept.keys[0]))
    room = MOST - len(kept.keys) - len(newer[0])
    older = _read(shelf, owner_id, max(room, 0), lt=int(kept.keys[-1]))
    if len(newer[0]) or len(older[0]):
        parts = (newer, (kept.keys, kept.rows), older)
        kept.keys = np.concatenate([keys for keys, _ in parts])[:MOST]
        kept.rows = np.concatenate([rows for _, rows in parts])[:MOST]


def _read(
    shelf: Shelf, owner_id: int, most: int = MOST, **among: int
) -> tuple[NDArray[np.int64], Vectors]:
    objects: Any = shelf.model._default_manager
    asked = {f"{shelf.key}__{how}": key for how, key in among.items()}
    rows = objects.filter(**{shelf.owner: owner_id}, **asked).order_by(f"-{shelf.key}")
    keys: list[int] = []
    parts = bytearray()
    for key, vector in rows.values_list(shelf.key, "vector")[:most].iterator(_READ_AT_ONCE):
        if len(vector) == DIMENSIONS:
            keys.append(key)
            parts += vector
    matrix: Vectors = np.frombuffer(bytes(parts), dtype=np.int8).reshape(-1, DIMENSIONS)
    return np.array(keys, dtype=np.int64), matrix
