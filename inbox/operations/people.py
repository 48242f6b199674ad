"""Keeping account of whom we write with."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from inbox.models import Correspondence, Person
from inbox.operations.chunks import in_chunks

_LONGEST_NAME = 300
_COUNTED = [
    "first_contact_at", "last_contact_at", "received_count", "sent_count", "contact_count",
]  # fmt: skip
Counted = TypeVar("Counted", Person, Correspondence)


@dataclass(frozen=True, slots=True)
class Contact:
    """A message between us and somebody: from them, or (`outbound`) to them."""

    email: str
    name: str
    at: datetime
    outbound: bool


def record_contacts(*, workspace_id: int, account_id: int, contacts: Iterable[Contact]) -> None:
    """Count each contact and widen the time of first and last; make the people who are new.

    Call it once for each message, in the transaction that stores it.
    """
    by_email: dict[str, list[Contact]] = {}
    for contact in contacts:
        by_email.setdefault(contact.email.lower(), []).append(contact)
    # A message may name 20,000 recipients.
    for emails in in_chunks(sorted(by_email)):
        chunk = {email: by_email[email] for email in emails}
        _record_correspondence(account_id, _record(workspace_id, chunk), chunk)


def _record(workspace_id: int, by_email: dict[str, list[Contact]]) -> list[Person]:
    """Bring the people of one chunk up to date, with three queries."""
    # Made first with no counts, so that two who meet somebody new at the same time both count.
    Person.objects.bulk_create(
        (_new_person(workspace_id, email, contacts) for email, contacts in by_email.items()),
        ignore_conflicts=True,
    )
    people = Person.objects.filter(workspace_id=workspace_id, email__in=by_email)
    changed = [
        _name(_count(person, by_email[person.email]), by_email[person.email])
        for person in people.select_for_update().order_by("email")
    ]
    Person.objects.bulk_create(
        changed,
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["fn", *_COUNTED],
    )
    return changed


def _record_correspondence(
    account_id: int, people: Sequence[Person], by_email: dict[str, list[Contact]]
) -> None:
    """Count the same for the account, with two queries; the people are held by now."""
    rows = Correspondence.objects.filter(account=account_id, person__in=people)
    known = {row.person_id: row for row in rows}
    Correspondence.objects.bulk_create(
        (
            _count(known.get(person.pk) or _new_correspondence(account_id, person, met), met)
            for person in people
            for met in [by_email[person.email]]
        ),
        update_conflicts=True,
        unique_fields=["person", "account"],
        update_fields=_COUNTED,
    )


def _new_correspondence(
    account_id: int, person: Person, contacts: Sequence[Contact]
) -> Correspondence:
    return Correspondence(
        account_id=account_id,
        person=person,
        first_contact_at=contacts[0].at,
        last_contact_at=contacts[0].at,
    )


def _new_person(workspace_id: int, email: str, contacts: Sequence[Contact]) -> Person:
    return Person(
        workspace_id=workspace_id,
        email=email,
        first_contact_at=contacts[0].at,
        last_contact_at=contacts[0].at,
    )


def _count(person: Counted, contacts: Sequence[Contact]) -> Counted:
    times = [contact.at for contact in contacts]
    person.first_contact_at = min(person.first_contact_at, *times)
    person.last_contact_at = max(person.last_contact_at, *times)
    sent = sum(contact.outbound for contact in contacts)
    person.sent_count += sent
    person.received_count += len(contacts) - sent
    person.contact_count += len(contacts)
    return person


def _name(person: Person, contacts: Sequence[Contact]) -> Person:
    if not person.fn:
        person.fn = _best_name(contacts)
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
    name = re.sub(r"\s+\((?:via|on behalf of) [^)]{1,80}\)$", "", name)
    if "@" in name or name.lower() == email.partition("@")[0].lower():
        return ""
    return name[:_LONGEST_NAME]
