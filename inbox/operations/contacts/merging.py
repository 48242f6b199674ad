"""Making one person of two."""

from collections.abc import Callable
from datetime import datetime

from inbox.models import (
    Activity,
    Correspondence,
    Person,
    PersonEmail,
    PersonPhone,
    SharedAddress,
)
from inbox.operations.contacts.cards import MOST_ADDRESSES, TEXTS

_COUNTS = ("received_count", "sent_count", "contact_count")
_MOST_PROPERTIES = 200


def merge_rows(into: Person, other: Person) -> None:
    """Move what hangs on one person to another, sum the counts, and remove the empty row.

    In the caller's transaction, which holds both rows.
    """
    for name in (*TEXTS, "tel"):
        if not getattr(into, name):
            setattr(into, name, getattr(other, name))
    into.vcard_properties = [*into.vcard_properties, *other.vcard_properties][:_MOST_PROPERTIES]
    for name in _COUNTS:
        setattr(into, name, getattr(into, name) + getattr(other, name))
    into.first_contact_at = _pick(min, into.first_contact_at, other.first_contact_at)
    into.last_contact_at = _pick(max, into.last_contact_at, other.last_contact_at)
    if not into.email:
        into.email = other.email
    behind = MOST_ADDRESSES + PersonEmail.objects.filter(person=into).count()
    PersonEmail.objects.filter(person=other).update(person=into, position=behind)
    PersonPhone.objects.filter(person=other).update(person=into, position=behind)
    named = [
        *PersonEmail.objects.filter(person=into).values_list("email", flat=True),
        *SharedAddress.objects.filter(person=into).values_list("email", flat=True),
    ]
    # Those that the two share are the one's that is left.
    rest = SharedAddress.objects.filter(person=other).exclude(email__in=named)
    rest.update(person=into)
    Activity.objects.filter(person=other).update(person=into)
    _merge_correspondence(into, other)
    # First, for an address is the first of one person only.
    other.delete()
    into.save()


def _merge_correspondence(into: Person, other: Person) -> None:
    own = {row.account_id: row for row in Correspondence.objects.filter(person=into)}
    merged = []
    for row in Correspondence.objects.filter(person=other):
        known = own.get(row.account_id) or Correspondence(person=into, account_id=row.account_id)
        for name in _COUNTS:
            setattr(known, name, getattr(known, name) + getattr(row, name))
        known.first_contact_at = _pick(min, known.first_contact_at, row.first_contact_at)
        known.last_contact_at = _pick(max, known.last_contact_at, row.last_contact_at)
        merged.append(known)
    Correspondence.objects.bulk_create(
        merged, update_conflicts=True, unique_fields=["person", "account"],
        update_fields=[*_COUNTS, "first_contact_at", "last_contact_at"],
    )  # fmt: skip


def _pick(
    choose: Callable[[datetime, datetime], datetime], one: datetime | None, other: datetime | None
) -> datetime | None:
    return choose(one, other) if one and other else one or other
