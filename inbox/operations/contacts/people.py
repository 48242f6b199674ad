"""Keeping account of whom we write with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from inbox.bulk_insert import insert
from inbox.languages import any_of, lazy
from inbox.models import Correspondence, Person, PersonEmail
from inbox.operations.batched import in_chunks
from inbox.rfc5322.text.names import name_words

_LONGEST_NAME = 300
_ON_BEHALF = lazy(lambda: rf"\s+\({any_of(lambda it: it.mail.on_behalf)} [^)]{{1,80}}\)$")
_COUNTED = [
    "first_contact_at", "last_contact_at", "received_count", "sent_count", "contact_count",
]  # fmt: skip
Counted = TypeVar("Counted", Person, PersonEmail, Correspondence)


@dataclass(frozen=True, slots=True)
class Contact:
    """A message between us and somebody: from them, or (`outbound`) to them."""

    email: str
    name: str
    at: datetime
    outbound: bool


def record_contacts(*, workspace_id: int, account_id: int, contacts: Iterable[Contact]) -> None:
    """Count each contact and widen the time of first and last; make the people who are new.

    Whoever was deleted is known again by mail later than that. Call it once for each message, in
    the transaction that stores it.
    """
    by_email: dict[str, list[Contact]] = {}
    for contact in contacts:
        by_email.setdefault(contact.email.lower(), []).append(contact)
    # A message may name 20,000 recipients.
    for emails in in_chunks(sorted(by_email)):
        chunk = {email: by_email[email] for email in emails}
        by_person = _count_addresses(_know_addresses(workspace_id, chunk), chunk)
        _count_people(by_person)
        _count_correspondence(account_id, by_person)


def _know_addresses(workspace_id: int, chunk: dict[str, list[Contact]]) -> list[int]:
    """Return the key of each address's row, made with a person of its own where there is none."""
    rows = PersonEmail.objects.filter(workspace_id=workspace_id, email__in=chunk)
    found = dict(rows.values_list("email", "pk"))
    new = chunk.keys() - found.keys()
    if not new:
        return list(found.values())
    # Made first with no counts, so that two who meet somebody new at the same time both count.
    insert(
        (Person(workspace_id=workspace_id, email=email) for email in sorted(new)),
        ignore_conflicts=True,
    )
    people = Person.objects.filter(workspace_id=workspace_id, email__in=new)
    insert(
        (
            PersonEmail(workspace_id=workspace_id, person_id=key, email=email)
            for key, email in people.values_list("pk", "email")
        ),
        ignore_conflicts=True,
    )
    return list(rows.values_list("pk", flat=True))


def _count_addresses(
    keys: Sequence[int], chunk: dict[str, list[Contact]]
) -> dict[int, list[Contact]]:
    """Count by address, with two queries; return what there was by each person."""
    by_person: dict[int, list[Contact]] = {}
    locked = PersonEmail.objects.filter(pk__in=keys).select_for_update()
    changed = []
    for row in locked.order_by("pk"):
        met = chunk[row.email]
        by_person.setdefault(row.person_id, []).extend(met)
        if row.removed_at and max(contact.at for contact in met) > row.removed_at:
            row.removed_at = None
        changed.append(_count(row, met))
    insert(
        changed, unique_fields=["id"],
        update_fields=["removed_at", *_COUNTED],
    )  # fmt: skip
    return by_person


def _count_people(by_person: dict[int, list[Contact]]) -> None:
    """Bring the people up to date, with two queries; one more where somebody deleted is back."""
    people = list(Person.objects.filter(pk__in=by_person).select_for_update().order_by("pk"))
    if back := [person.pk for person in people if _is_back(person, by_person[person.pk])]:
        # Their card is there again, but a person had taken it away: it vouches for nobody.
        PersonEmail.objects.filter(person__in=back).update(by_person=False)
    insert(
        [_meet(person, by_person[person.pk]) for person in people],
        unique_fields=["id"],
        update_fields=["fn", "search_extra", "deleted_at", "erased_at", *_COUNTED],
    )


def _is_back(person: Person, contacts: Sequence[Contact]) -> bool:
    deleted_at = person.deleted_at
    return deleted_at is not None and max(contact.at for contact in contacts) > deleted_at


def _meet(person: Person, contacts: Sequence[Contact]) -> Person:
    if _is_back(person, contacts):
        person.deleted_at = person.erased_at = None
    return _name(_count(person, contacts), contacts)


def _count_correspondence(account_id: int, by_person: dict[int, list[Contact]]) -> None:
    """Count the same for the account, with two queries; the people are held by now."""
    rows = Correspondence.objects.filter(account=account_id, person__in=by_person)
    known = {row.person_id: row for row in rows}
    insert(
        (
            _count(known.get(key) or Correspondence(account_id=account_id, person_id=key), met)
            for key, met in by_person.items()
        ),
        unique_fields=["person", "account"],
        update_fields=_COUNTED,
    )


def _count(counted: Counted, contacts: Sequence[Contact]) -> Counted:
    times: list[datetime] = [contact.at for contact in contacts]
    counted.first_contact_at = min([counted.first_contact_at or times[0], *times])
    counted.last_contact_at = max([counted.last_contact_at or times[0], *times])
    sent = sum(contact.outbound for contact in contacts)
    counted.sent_count += sent
    counted.received_count += len(contacts) - sent
    counted.contact_count += len(contacts)
    return counted


def _name(person: Person, contacts: Sequence[Contact]) -> Person:
    if not person.fn and (name := _best_name(contacts)):
        person.fn = name
        # Whom mail brings has one address, which is a column; on a card there is a name.
        person.search_extra = person.search_extra or name_words(name)
    return person


def _best_name(contacts: Sequence[Contact]) -> str:
    """Return the name somebody bears: what they call themselves, else what we do; the newest."""
    newest_first = sorted(contacts, key=lambda contact: contact.at, reverse=True)
    ranked = sorted(newest_first, key=lambda contact: contact.outbound)
    names = (clean_name(contact.name, contact.email) for contact in ranked)
    return next(filter(None, names), "")


def clean_name(name: str, email: str) -> str:
    """Return a display name fit for keeping; "" where it only repeats the address, or another."""
    name = " ".join(name.split()).strip("'\"“”‘’ ,;")
    name = _ON_BEHALF.sub("", name)
    if "@" in name or name.lower() == email.partition("@")[0].lower():
        return ""
    return name[:_LONGEST_NAME]
