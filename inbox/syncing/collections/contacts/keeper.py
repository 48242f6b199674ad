"""What keeps people in step with an address book."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from inbox.background.jobs import publish
from inbox.models import Person, RemoteCollection, RemoteItem
from inbox.operations.batched import in_chunks
from inbox.syncing.collections.contacts.fields import fields_of, read_fields, write_fields
from inbox.syncing.collections.contacts.keeping import keep_people
from inbox.syncing.collections.contacts.rows import load_cards, lock_people
from inbox.syncing.collections.keepers import Fields, Incoming


class ContactKeeper:
    """People; a key is that of somebody's row. Whom mail brought is theirs who has a card."""

    keeps_raw = True

    def open(self, collection: RemoteCollection) -> None:
        """Do nothing: people stand in no book here but are their accounts'."""

    def is_open(self, collection: RemoteCollection) -> bool:  # noqa: ARG002 (a protocol's)
        """Return True: there is nothing that could be closed."""
        return True

    def close(self, collection: RemoteCollection) -> None:
        """Delete, softly, all people who have a card in the book."""
        rows = RemoteItem.objects.filter(collection=collection).exclude(key="")
        self.remove(collection, list(rows.values_list("key", flat=True)))

    def read(self, raw: bytes, path: str = "") -> Fields:  # noqa: ARG002 (of files alone)
        """Return the fields of a card."""
        return read_fields(raw)

    def find(self, collection: RemoteCollection, keys: Sequence[str]) -> dict[str, Fields]:
        """Return the fields of those who were not deleted."""
        people = [one for one in lock_people(collection, keys) if one.deleted_at is None]
        return {str(rows.person.pk): fields_of(rows) for rows in load_cards(people)}

    def keep(self, collection: RemoteCollection, items: Sequence[Incoming]) -> list[str]:
        """Make people say what their cards do; return their keys."""
        return keep_people(collection, items)

    def noticed(self, lost: Fields) -> Fields:
        """Return all of it."""
        return lost

    def remove(self, collection: RemoteCollection, keys: Sequence[str]) -> None:
        """Delete people whose cards are gone; for 30 days a person can bring them back."""
        people = lock_people(collection, keys)
        gone = [one.pk for one in people if one.deleted_at is None]
        for some in in_chunks(gone):
            Person.objects.filter(pk__in=some).update(deleted_at=timezone.now())
        if gone:
            publish("person.deleted", {"person_ids": gone}, workspace_id=collection.workspace_id)

    def new_name(self, key: str) -> str:  # noqa: ARG002 (a protocol's)
        """Return nothing: any UID will do for a new card."""
        return ""

    def write(self, raw: bytes, fields: Fields, changed: frozenset[str], name: str = "") -> bytes:
        """Return the card with what changed here."""
        return write_fields(raw, fields, changed, name)

    def title(self, fields: Fields) -> str:
        """Return somebody's name, else an address."""
        named: Any = fields.get("fn") or fields.get("email") or ""
        return str(named)
