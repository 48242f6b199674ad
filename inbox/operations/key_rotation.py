"""Encrypting what is sealed anew, under the newest key, so that older keys can be thrown away."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from inbox.credentials import CredentialError, reseal

AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Resealed:
    """How many values were encrypted anew, and which rows have one that no key of ours opens."""

    count: int
    unopened: tuple[Any, ...]


def reseal_column(model: type[Model], field: str) -> Resealed:
    """Encrypt a column anew; what somebody else changes meanwhile is left as they wrote it.

    It can be repeated, and stopped anywhere: every value opens before and after.
    """
    count, unopened = 0, []
    for key, sealed in _sealed(model, field):
        try:
            renewed = reseal(sealed)
        except CredentialError:
            unopened.append(key)
            continue
        rows = model._default_manager.filter(**{"pk": key, field: sealed})
        count += rows.update(**{field: renewed})
    return Resealed(count, tuple(unopened))


def _sealed(model: type[Model], field: str) -> Iterator[tuple[Any, bytes]]:
    """Yield the keys and values of the rows that have one, a bounded number at a time."""
    last: Any = 0
    rows = model._default_manager.exclude(**{field: None}).order_by("pk")
    while found := list(rows.filter(pk__gt=last).values_list("pk", field)[:AT_ONCE]):
        for key, sealed in found:
            if sealed:
                yield key, bytes(sealed)
        last = found[-1][0]
