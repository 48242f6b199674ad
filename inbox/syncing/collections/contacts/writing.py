"""The rows of people whose cards were kept, written with one statement for all of a kind."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from inbox.bulk_insert import insert
from inbox.models import Person, PersonEmail, PersonPhone, RemoteCollection, SharedAddress
from inbox.operations.contacts.cards import TEXTS
from inbox.operations.contacts.contacts import take_off
from inbox.syncing.collections.contacts.fields import CardRows, addresses, email_kind, numbers
from inbox.syncing.collections.keepers import Fields


@dataclass(slots=True)
class KeptCard:
    """Somebody with the rows they had, and what their card says from now on."""

    rows: CardRows
    fields: Fields
    # There was a card of theirs here before.
    was_on_card: bool
    is_news: bool = True
    # The addresses that are theirs; of those that the card has besides, somebody else is the owner.
    own: set[str] = field(default_factory=set)

    @property
    def person(self) -> Person:
        """Whose card it is."""
        return self.rows.person

    @property
    def order(self) -> list[str]:
        """The addresses: the preferred one, those that were there as they stood, the new ones."""
        wanted = addresses(self.fields)
        first = [self.fields["email"]] if self.fields.get("email") in wanted else []
        there = [row.email for row in self.rows.addresses if row.email in wanted]
        return list(dict.fromkeys([*first, *there, *wanted]))


def write_addresses(
    collection: RemoteCollection, kept: Sequence[KeptCard], holders: Mapping[str, PersonEmail]
) -> None:
    """Have people hold the addresses of their cards, and no others."""
    take_off([row for one in kept for row in one.rows.emails if row.email not in one.own])
    _release(kept, holders)
    written = [
        _address(collection, one, email, place, holders)
        for one in kept
        for place, email in enumerate(one.order)
        if email in one.own
    ]
    insert(
        written, unique_fields=["workspace", "email"],
        update_fields=["person", "kind", "position", "removed_at", "by_person"],
    )  # fmt: skip
    _write_shared(collection, kept)


def _release(kept: Sequence[KeptCard], holders: Mapping[str, PersonEmail]) -> None:
    """Have the first addresses stand free, for they are of one person only at any time."""
    won = [email for one in kept for email in one.own]
    losing = {holders[email].person_id for email in won if email in holders}
    Person.objects.filter(pk__in=sorted(losing), email__in=won).update(email="")
    for one in kept:
        own = [email for email in one.order if email in one.own]
        one.person.email = own[0] if own else ""


def _address(
    collection: RemoteCollection, one: KeptCard, email: str, place: int,
    holders: Mapping[str, PersonEmail],
) -> PersonEmail:  # fmt: skip
    row = holders.get(email) or PersonEmail(workspace_id=one.person.workspace_id, email=email)
    stood = one.was_on_card and any(it.email == email for it in one.rows.emails)
    if not stood:
        # What a person puts into a book of their own is known; what others do is not.
        row.by_person = collection.is_own
    row.kind = _kind(row.kind, addresses(one.fields)[email])
    row.person, row.position, row.removed_at = one.person, place, None
    return row


def _kind(ours: str, theirs: str) -> str:
    """Return the kind; one that no card can say stays."""
    return ours if email_kind(ours) == theirs else theirs


def _write_shared(collection: RemoteCollection, kept: Sequence[KeptCard]) -> None:
    gone = [row.pk for one in kept for row in one.rows.shared if not _is_shared(one, row.email)]
    if gone:
        SharedAddress.objects.filter(pk__in=gone).delete()
    rows = [
        SharedAddress(
            workspace_id=one.person.workspace_id, person=one.person, email=email, position=place,
            kind=addresses(one.fields)[email], by_person=collection.is_own,
        )
        for one in kept
        for place, email in enumerate(one.order)
        if email not in one.own
    ]  # fmt: skip
    insert(rows, unique_fields=["person", "email"], update_fields=["kind", "position", "by_person"])


def _is_shared(one: KeptCard, email: str) -> bool:
    return email in addresses(one.fields) and email not in one.own


def write_numbers(kept: Iterable[KeptCard]) -> None:
    """Have people's numbers be those of their cards; those that were there keep their order."""
    changed: dict[int, list[PersonPhone]] = {}
    for one in kept:
        there = [(row.number, row.kind) for row in one.rows.phones]
        wanted = _numbers(there, numbers(one.fields))
        one.person.tel = wanted[0][0] if wanted else ""
        if wanted != there:
            changed[one.person.pk] = [
                PersonPhone(person=one.person, number=number, kind=kind, position=place)
                for place, (number, kind) in enumerate(wanted)
            ]
    if changed:
        PersonPhone.objects.filter(person__in=sorted(changed)).delete()
        insert([row for rows in changed.values() for row in rows])


def _numbers(there: list[tuple[str, str]], wanted: Mapping[str, str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    seen: set[str] = set()
    for number, kind in there:
        if number in wanted:
            found.append((number, kind if number in seen else wanted[number]))
            seen.add(number)
    return [*found, *((number, kind) for number, kind in wanted.items() if number not in seen)]


def write_people(kept: Iterable[KeptCard]) -> None:
    """Write what people are called, where they work, and what else their cards say."""
    people = [one.person for one in kept]
    Person.objects.filter(pk__in=[one.pk for one in people]).update(email="")
    insert(
        people, unique_fields=["id"],
        update_fields=[
            *TEXTS, "email", "tel", "vcard_properties", "updated_at", "deleted_at", "erased_at",
        ],
    )  # fmt: skip
