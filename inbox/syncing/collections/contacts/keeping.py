"""Cards of a server, kept as people: whose each is, and whose each of its addresses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone

from inbox.background.jobs import publish
from inbox.bulk_insert import insert
from inbox.models import Correspondence, Person, PersonEmail, RemoteCollection
from inbox.operations.contacts.cards import TEXTS
from inbox.operations.contacts.merging import merge_rows
from inbox.operations.contacts.search_words import keep_searched
from inbox.operations.mirror_entries import touched
from inbox.syncing.collections.contacts.fields import (
    CardRows,
    addresses,
    compared,
    fields_of,
    kept_properties,
)
from inbox.syncing.collections.contacts.rows import (
    as_keys,
    holders,
    load_cards,
    lock_people,
    with_items,
)
from inbox.syncing.collections.contacts.writing import (
    KeptCard,
    write_addresses,
    write_numbers,
    write_people,
)
from inbox.syncing.collections.keepers import Fields, Incoming

_RESOURCES = ("contact_list", "contact")


@dataclass(slots=True)
class _Batch:
    """What a batch of cards may meet here; all people in it are held."""

    collection: RemoteCollection
    holders: dict[str, PersonEmail]
    people: dict[int, Person]
    # Those who have a card in an address book already, and those that this account has met.
    mirrored: set[int]
    met: set[int]
    # Whose card of this batch somebody, or an address, is by now.
    taken: set[int] = field(default_factory=set)
    claimed: dict[str, int] = field(default_factory=dict)

    def may_join(self, key: int) -> bool:
        """Return True if a new card may be this person's: they have none, or one of ours alone."""
        person = self.people.get(key)
        if person is None or key in self.mirrored or key in self.taken:
            return False
        return not person.is_contact or person.deleted_at is not None or key in self.met


def keep_people(collection: RemoteCollection, items: Sequence[Incoming]) -> list[str]:
    """Make people say what their cards do; return their keys. In a transaction.

    A new card is that of whom mail brought with one of its addresses, or of a contact of this
    account that lies in no address book; else somebody new. An address of somebody else stays
    theirs. In a book of a person's own, what is put there is their word.
    """
    batch = _load(collection, items)
    owners = [_find_person(batch, one) for one in items]
    cards = {rows.person.pk: rows for rows in load_cards([one for one in owners if one.pk])}
    now = timezone.now()
    kept = [
        _settle(cards.get(person.pk) or CardRows(person), one, now)
        for person, one in zip(owners, items, strict=True)
    ]
    news = [one for one in kept if one.is_news]
    insert([one.person for one in kept if one.person.pk is None])
    for place, one in enumerate(kept):
        _share_out(batch, one, place)
    write_addresses(collection, kept, batch.holders)
    write_numbers(kept)
    write_people(kept)
    # Those who lost an address to one of these are held too.
    keep_searched({*batch.people, *(one.person.pk for one in kept)})
    account = collection.source.account
    insert(
        [Correspondence(person=one.person, account=account) for one in kept], ignore_conflicts=True
    )
    if news:
        touched(account=account, resources=_RESOURCES)
        keys = [one.person.pk for one in news]
        publish("person.changed", {"person_ids": keys}, workspace_id=collection.workspace_id)
    return [str(one.person.pk) for one in kept]


def _load(collection: RemoteCollection, items: Iterable[Incoming]) -> _Batch:
    emails = {email for one in items for email in addresses(one.fields)}
    there = holders(collection, emails)
    own = as_keys(one.key for one in items)
    owners = {row.person_id for row in there.values()}
    people = {one.pk: one for one in lock_people(collection, [*own, *owners])}
    met = Correspondence.objects.filter(
        account=collection.source.account_id, person__in=sorted(owners)
    )
    return _Batch(
        collection, there, people, with_items(collection, owners),
        set(met.values_list("person_id", flat=True)), taken=set(own),
    )  # fmt: skip


def _find_person(batch: _Batch, item: Incoming) -> Person:
    """Return whose card it is; a row that is not there yet for somebody new."""
    for key in as_keys([item.key]):
        if key in batch.people:
            return batch.people[key]
    for email in addresses(item.fields):
        holder = batch.holders.get(email)
        if holder is not None and batch.may_join(holder.person_id):
            batch.taken.add(holder.person_id)
            return batch.people[holder.person_id]
    return Person(workspace_id=batch.collection.workspace_id)


def _settle(rows: CardRows, item: Incoming, now: datetime) -> KeptCard:
    """Have somebody say what the card does, and return what is to be written of it."""
    person = rows.person
    was_on_card = person.is_contact and person.deleted_at is None
    before = fields_of(rows) if person.pk else {}
    wanted: Fields = item.fields
    if not item.key and was_on_card:
        wanted = _completed(before, wanted)
    kept = KeptCard(rows, wanted, was_on_card=was_on_card)
    kept.is_news = before != dict(wanted) or person.deleted_at is not None
    for name in TEXTS:
        setattr(person, name, wanted.get(name, ""))
    person.vcard_properties = _properties(person, item.raw, wanted)
    person.deleted_at = person.erased_at = None
    if kept.is_news:
        person.updated_at = now
    return kept


def _completed(ours: Fields, theirs: Fields) -> dict[str, Any]:
    """Return what two cards of one person come to: the server's, with what only ours says."""
    lacking = {name: value for name, value in ours.items() if not theirs.get(name)}
    noted = str(theirs.get("note", ""))
    if ours["note"] and ours["note"] not in noted:
        lacking["note"] = f"{noted}\n\n{ours['note']}".strip()
    properties = list(theirs.get("properties", []))
    lacking["properties"] = [
        *properties, *(each for each in ours["properties"] if each not in properties),
    ]  # fmt: skip
    return {**theirs, **lacking}


def _properties(person: Person, raw: bytes, wanted: Fields) -> list[dict[str, Any]]:
    """Return what else the card says: what is compared, and what only the server's card has."""
    there = kept_properties(raw) if raw else person.vcard_properties
    counted = compared(there)
    return [
        *(each for each in there if each not in counted), *wanted.get("properties", []),
    ]  # fmt: skip


def _share_out(batch: _Batch, kept: KeptCard, place: int) -> None:
    """Say which addresses of a card are its person's, and which are somebody else's."""
    merged: dict[int, Person] = {}
    for email in addresses(kept.fields):
        holder = batch.holders.get(email)
        owner = batch.people.get(holder.person_id) if holder is not None else None
        is_free = owner is None or owner is kept.person or _is_off_card(holder, owner)
        is_of_mail = not is_free and owner is not None and not owner.is_contact
        if batch.claimed.setdefault(email, place) != place:
            continue
        if is_of_mail and owner is not None and batch.may_join(owner.pk):
            merged[owner.pk] = owner
        elif not is_free:
            del batch.claimed[email]
            continue
        kept.own.add(email)
    for key, other in merged.items():
        batch.taken.add(key)
        merge_rows(kept.person, other)
    if merged:
        for name in TEXTS:
            setattr(kept.person, name, kept.fields.get(name, ""))


def _is_off_card(holder: PersonEmail | None, owner: Person) -> bool:
    return owner.deleted_at is not None or (holder is not None and holder.removed_at is not None)
