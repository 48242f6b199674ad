"""Encrypting stored secrets anew, under the newest key, so that older keys can be thrown away."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models import Model

from inbox.accounts.credentials import CredentialError, reencrypt

AT_ONCE = 200
# An app's secret, and what recovery codes are computed from.
_OF_FACTORS = ("secret", "seed")


@dataclass(frozen=True, slots=True)
class RotationResult:
    """How many values were encrypted anew, and which rows have one that no key of ours opens."""

    count: int
    unopened: tuple[Any, ...]


def reencrypt_column(model: type[Model], field: str) -> RotationResult:
    """Encrypt a column anew; what somebody else changes meanwhile is left as they wrote it.

    It can be repeated, and stopped anywhere: every value opens before and after.
    """
    count, unopened = 0, []
    for key, ciphertext in _encrypted_rows(model, field):
        try:
            renewed = reencrypt(ciphertext)
        except CredentialError:
            unopened.append(key)
            continue
        rows = model._default_manager.filter(**{"pk": key, field: ciphertext})
        count += rows.update(**{field: renewed})
    return RotationResult(count, tuple(unopened))


def reencrypt_second_factors() -> RotationResult:
    """Encrypt what second factors are made of anew, each row locked meanwhile."""
    count, unopened = 0, []
    for key in list(Authenticator.objects.order_by("pk").values_list("pk", flat=True)):
        with transaction.atomic():
            row = Authenticator.objects.select_for_update().filter(pk=key).first()
            if row is None:
                continue
            try:
                anew = {
                    name: reencrypt(row.data[name].encode()).decode()
                    for name in _OF_FACTORS
                    if name in row.data
                }
            except CredentialError:
                unopened.append(key)
                continue
            row.data |= anew
            row.save(update_fields=["data"])
            count += len(anew)
    return RotationResult(count, tuple(unopened))


def _encrypted_rows(model: type[Model], field: str) -> Iterator[tuple[Any, bytes]]:
    """Yield the keys and values of the rows that have one, a bounded number at a time."""
    last: Any = 0
    rows = model._default_manager.exclude(**{field: None}).order_by("pk")
    while found := list(rows.filter(pk__gt=last).values_list("pk", field)[:AT_ONCE]):
        for key, ciphertext in found:
            if ciphertext:
                yield key, bytes(ciphertext)
        last = found[-1][0]
