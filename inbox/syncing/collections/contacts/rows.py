"""The rows of people that an address book is kept in step with, read and locked."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.db.models import QuerySet

from inbox.models import (
    Person,
    PersonEmail,
    PersonPhone,
    RemoteCollection,
    RemoteItem,
    SharedAddress,
)
from inbox.operations.batched import in_chunks
from inbox.syncing.collections.contacts.fields import CardRows

Row = TypeVar("Row", PersonEmail, PersonPhone, SharedAddress)


def as_keys(keys: Iterable[str]) -> list[int]:
    """Return the keys of rows; what is none is left out."""
    return [int(key) for key in keys if key.isascii() and key.isdecimal()]


def lock_people(collection: RemoteCollection, keys: Iterable[str | int]) -> list[Person]:
    """Return people of the collection's workspace, those that were deleted too, held in order."""
    found: list[Person] = []
    for some in in_chunks(sorted(set(as_keys(map(str, keys))))):
        rows = Person.objects.filter(workspace=collection.workspace_id, pk__in=some)
        found.extend(rows.select_for_update().order_by("pk"))
    return found


def load_cards(people: Sequence[Person]) -> list[CardRows]:
    """Return people with what stands on their cards, in three queries."""
    keys = [one.pk for one in people]
    emails = _by_person(PersonEmail.objects.kept(), keys)
    shared = _by_person(SharedAddress.objects.all(), keys)
    phones = _by_person(PersonPhone.objects.all(), keys)
    return [
        CardRows(one, emails.get(one.pk, []), shared.get(one.pk, []), phones.get(one.pk, []))
        for one in people
    ]


def _by_person(rows: QuerySet[Any], keys: Sequence[int]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for some in in_chunks(keys):
        for row in rows.filter(person__in=some).order_by("person", "position", "pk"):
            found.setdefault(row.person_id, []).append(row)
    return found


def holders(collection: RemoteCollection, emails: Iterable[str]) -> dict[str, PersonEmail]:
    """Return the row of each of these addresses, whoever's it is."""
    found: dict[str, PersonEmail] = {}
    for some in in_chunks(sorted(set(emails))):
        rows = PersonEmail.objects.filter(workspace=collection.workspace_id, email__in=some)
        found |= {row.email: row for row in rows}
    return found


def with_items(collection: RemoteCollection, people: Iterable[int]) -> set[int]:
    """Return those of whom some address book of the workspace has a card."""
    found: set[int] = set()
    for some in in_chunks(sorted(set(people))):
        rows = RemoteItem.objects.filter(
            collection__workspace=collection.workspace_id, collection__kind="contacts",
            key__in=[str(key) for key in some],
        )  # fmt: skip
        found.update(as_keys(rows.values_list("key", flat=True)))
    return found
