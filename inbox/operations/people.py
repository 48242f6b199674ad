"""Keeping account of whom we write with."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from inbox.models import Person
from inbox.operations.chunks import in_chunks

_LONGEST_NAME = 300


@dataclass(frozen=True, slots=True)
class Contact:
    """A message between us and somebody: from them, or (`outbound`) to them."""

    email: str
    name: str
    at: datetime
    outbound: bool


def record_contacts(*, workspace_id: int, contacts: Iterable[Contact]) -> None:
    """Count each contact and widen the time of first and last; make the people who are new.

    Call it once for each message, in the transaction that stores it.
    """
    by_email: dict[str, list[Contact]] = {}
    for contact in contacts:
        by_email.setdefault(contact.email.lower(), []).append(contact)
    # A message may name 20,000 recipients.
    for emails in in_chunks(sorted(by_email)):
        _record(workspace_id, {email: by_email[email] for email in emails})


def _record(workspace_id: int, by_email: dict[str, list[Contact]]) -> None:
    """Bring the people of one chunk up to date, with three queries."""
    # Made first with no counts, so that two who meet somebody new at the same time both count.
    Person.objects.bulk_create(
        (_new_person(workspace_id, email, contacts) for email, contacts in by_email.items()),
        ignore_conflicts=True,
    )
    people = Person.objects.filter(workspace_id=workspace_id, email__in=by_email)
    changed = [
        _count(person, by_email[person.email])
        for person in people.select_for_update().order_by("email")
    ]
    Person.objects.bulk_create(
        changed,
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=[
            "fn", "first_contact_at", "last_contact_at", "received_count", "sent_count",
            "contact_count",
        ],
    )  # fmt: skip


def _new_person(workspace_id: int, email: str, contacts: Sequence[Contact]) -> Person:
    return Person(
        workspace_id=workspace_id,
        email=email,
        first_contact_at=contacts[0].at,
        last_contact_at=contacts[0].at,
    )


def _count(person: Person, contacts: Sequence[Contact]) -> Person:
    times = [contact.at for contact in contacts]
    person.first_contact_at = min(person.first_contact_at, *times)
    person.last_contact_at = max(person.last_contact_at, *times)
    sent = sum(contact.outbound for contact in contacts)
    person.sent_count += sent
    person.received_count += len(contacts) - sent
    person.contact_count += len(contacts)
    if not person.fn:
        names = (clean_name(contact.name, contact.email) for contact in contacts)
        person.fn = next(filter(None, names), "")
    return person


def clean_name(name: str, email: str) -> str:
    """Return a display name fit for keeping; "" where it only repeats the address, or another."""
    name = " ".join(name.split()).strip("'\"“”‘’ ,;")
    name = re.sub(r"\s+\((?:via|on behalf of) [^)]{1,80}\)$", "", name)
    if "@" in name or name.lower() == email.partition("@")[0].lower():
        return ""
    return name[:_LONGEST_NAME]
