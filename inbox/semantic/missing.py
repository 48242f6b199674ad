"""Working out what rows mean that have no vector yet: the newest first, some at a time."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Max, Min, QuerySet

from inbox.semantic.loading import Meanings, find_encoder
from inbox.semantic.shelf import Shelf

BATCH: Final = 16


@dataclass(frozen=True, slots=True)
class Missing:
    """The rows of a shelf that have no vector, and what the model is given of each.

    A transaction that writes rows may end after one that wrote later ones: so far back, by key, it
    is looked for what is missing.
    """

    shelf: Shelf
    rows: QuerySet[Any]
    text_of: Callable[[Any], str]
    looked_back: int

    def next(self) -> Sequence[Any]:
        """Return the newest without a vector, then those older than all that have one."""
        rows = self.rows.order_by("-pk")
        vectors: Any = self.shelf.model._default_manager
        known = vectors.aggregate(newest=Max("pk"), oldest=Min("pk"))
        if known["newest"] is None:
            return list(rows[:BATCH])
        newer = list(rows.filter(pk__gt=known["newest"] - self.looked_back)[:BATCH])
        return newer or list(rows.filter(pk__lt=known["oldest"])[:BATCH])

    def embed(self, encoder: Meanings, rows: Sequence[Any]) -> None:
        """Work out what rows mean, and keep it."""
        shelf = self.shelf
        vectors: Any = shelf.model._default_manager
        meanings = encoder.encode([self.text_of(row) for row in rows])
        vectors.bulk_create(
            [
                shelf.model(**{
                    shelf.key: row.pk, shelf.owner: getattr(row, shelf.owner),
                    "vector": meaning.tobytes(),
                })
                for row, meaning in zip(rows, meanings, strict=True)
            ],
            # Another process may have been as quick, and a person may have removed the row.
            ignore_conflicts=True,
        )  # fmt: skip


def embed_missing(missing: Missing, seconds: float) -> int:
    """Work out what is missing, for so long and a batch begun before; return how many rows.

    It goes on where it stopped; nothing is done where no model is on.
    """
    encoder = find_encoder()
    done, until = 0, time.monotonic() + seconds
    while encoder is not None and time.monotonic() < until:
        rows = missing.next()
        if not rows:
            break
        missing.embed(encoder, rows)
        done += len(rows)
    return done
