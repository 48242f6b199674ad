"""Cards of people: written by hand or by an agent, completed, merged, deleted and restored.

An address is one person's in a workspace. Whom mail brought has an address and perhaps a name; a
card gives them names of their own, and from then on they are a contact.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.background.periodic import periodic
from inbox.errors import DomainError, not_found
from inbox.models import (
    Account,
    Correspondence,
    Person,
    PersonEmail,
    PersonPhone,
    SharedAddress,
)
from inbox.operations.contacts.cards import TEXTS, CardChanges, CardEmail, check_card
from inbox.operations.contacts.merging import merge_rows
from inbox.operations.contacts.mirrored_cards import check_card_writable
from inbox.operations.contacts.search_words import keep_searched
from inbox.operations.mirror_entries import touched
from inbox.operations.purging import KEPT_FOR, PURGED_AT_ONCE
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

_RESOURCES = ("contact_list", "contact")


def create_contact(*, actor: Actor, account: Account, changes: CardChanges) -> Person:
    """Write a card for somebody in an account's address book; publishes `person.changed`.

    Whom mail brought with one of the addresses gets the card, and so does somebody deleted. Raises
    DomainError: `invalid_input` for what no card can say, `conflict` where an address is on the
    card of somebody else.
    """
    checked = check_card(changes)
    emails = checked.emails or ()
    with transaction.atomic():
        person = _find_owner(actor, account.workspace_id, emails)
        if person is None:
            person = Person.objects.create(workspace_id=account.workspace_id)
        elif person.deleted_at:
            _erase(person)
        Correspondence.objects.get_or_create(person=person, account=account)
        _write(actor, person, checked, keep_addresses=True)
        _tell(account.workspace_id, [person.pk], [account])
    return person


def update_contact(*, actor: Actor, person: Person, changes: CardChanges) -> Person:
    """Change what is given on a card; publishes `person.changed`.

    Raises DomainError as above, and `permission_denied` where the card is only read from a server.
    An address that is taken off stays known as one that we wrote to, where we did. What a person
    puts on a card is known from then on; what an agent puts there is not.
    """
    checked = check_card(changes)
    with transaction.atomic():
        current = _lock(actor, person)
        check_card_writable(current)
        _write(actor, current, checked, keep_addresses=False)
        _tell(current.workspace_id, [current.pk], _accounts_of([current.pk]))
    return current


def delete_contact(*, actor: Actor, person: Person) -> None:
    """Delete somebody, whom a person can bring back for 30 days; publishes `person.deleted`.

    Raises DomainError `permission_denied` where the card is only read from a server.
    Mail from them later makes them known again.
    """
    with transaction.atomic():
        current = _lock(actor, person)
        check_card_writable(current)
        Person.objects.filter(pk=current.pk).update(deleted_at=timezone.now())
        _tell(current.workspace_id, [current.pk], _accounts_of([current.pk]), "person.deleted")


def restore_contact(*, actor: Actor, person: Person) -> None:
    """Bring somebody deleted back, with their card unless that was purged."""
    with transaction.atomic():
        rows = Person.objects.visible_to(actor).filter(pk=person.pk).exclude(deleted_at=None)
        if not rows.update(deleted_at=None, erased_at=None, updated_at=timezone.now()):
            raise not_found("contact", person.public_id)
        _tell(person.workspace_id, [person.pk], _accounts_of([person.pk]))


def merge_people(*, actor: Actor, into: Person, other: Person) -> Person:
    """Make one person of two: what `into` has stays, what it lacks comes from `other`.

    Publishes `person.changed`, and `person.deleted` for the other. Raises DomainError `conflict`
    for one and the same, `permission_denied` where a card is only read from a server.
    """
    if into.pk == other.pk:
        raise DomainError("conflict", _("These are the same contact."))
    with transaction.atomic():
        first, second = sorted((into.pk, other.pk))
        held = {key: _lock(actor, Person(pk=key)) for key in (first, second)}
        for one in held.values():
            check_card_writable(one)
        gone = other.pk
        merge_rows(held[into.pk], held[gone])
        _tell(into.workspace_id, [into.pk], _accounts_of([into.pk]))
        # Whoever keeps the other's card elsewhere takes it away.
        publish("person.deleted", {"person_ids": [gone]}, workspace_id=into.workspace_id)
    return held[into.pk]


@periodic(3600)
def purge_deleted_people(now: datetime | None = None) -> int:
    """Erase the cards that were deleted 30 days ago; return how many. A bounded number at a time.

    Of somebody we had mail with the addresses and counts stay, so that whom we wrote with is known.
    """
    before = (now or timezone.now()) - KEPT_FOR
    due = Person.objects.filter(deleted_at__lt=before, erased_at=None).order_by("deleted_at")
    with transaction.atomic():
        people = list(due.select_for_update()[:PURGED_AT_ONCE])
        gone = [person.pk for person in people if not person.contact_count]
        Person.objects.filter(pk__in=gone).delete()
        kept = [person.pk for person in people if person.contact_count]
        PersonPhone.objects.filter(person__in=kept).delete()
        PersonEmail.objects.filter(person__in=kept).update(name="", kind="", by_person=False)
        SharedAddress.objects.filter(person__in=kept).delete()
        Person.objects.filter(pk__in=kept).update(
            **dict.fromkeys(TEXTS, ""), tel="", vcard_properties=[], erased_at=timezone.now()
        )
        keep_searched(kept)
    return len(people)


# -- writing it down -------------------------------------------------------------------------------
def _lock(actor: Actor, person: Person) -> Person:
    rows = Person.objects.visible_to(actor).kept().filter(pk=person.pk)
    current = rows.select_for_update(of=("self",)).first()
    if current is None:
        raise not_found("contact", person.public_id, "contact_id")
    return current


def _find_owner(actor: Actor, workspace_id: int, emails: Iterable[CardEmail]) -> Person | None:
    """Return whose card the addresses go on, where one of them has an owner."""
    wanted = [one.email for one in emails]
    rows = PersonEmail.objects.filter(workspace_id=workspace_id, email__in=wanted)
    owners = set(rows.kept().values_list("person_id", flat=True))
    if not owners:
        return None
    known = Person.objects.filter(pk__in=owners).select_for_update()
    people = list(known.order_by("pk"))
    seen = set(Person.objects.visible_to(actor).filter(pk__in=owners).values_list("pk", flat=True))
    if all(one.pk in seen and _is_free(one) for one in people):
        # The others, if there are any, join this one with their addresses.
        owner: Person = people[0]
        return owner
    visible = [one.public_id for one in people if one.pk in seen and one.deleted_at is None]
    words = _on_card(", ".join(visible))
    raise DomainError("conflict", words, field="emails", accepted=_("an address no one else has"))


def _on_card(named: str) -> ReasonText:
    if named:
        return _("An address is on %(people)s's contact card.", people=named)
    return _("An address is on someone else's contact card.")


def _is_free(person: Person) -> bool:
    """Return True if a new card may be written for somebody: they have none, or none any longer."""
    return person.deleted_at is not None or not person.is_contact


def _write(actor: Actor, person: Person, changes: CardChanges, *, keep_addresses: bool) -> None:
    composed = _compose_name(person)
    for name, text in changes.texts.items():
        setattr(person, name, text)
    if changes.fn is None and person.fn in {"", composed}:
        person.fn = _compose_name(person)[:300] or person.fn
    if changes.vcard_properties is not None:
        person.vcard_properties = changes.vcard_properties
    if changes.emails is not None:
        _write_emails(actor, person, changes.emails, keep_others=keep_addresses)
    if changes.phones:
        _write_phones(person, changes.phones)
    person.updated_at = timezone.now()
    person.deleted_at = person.erased_at = None
    person.save()


def _compose_name(person: Person) -> str:
    parts = (
        person.name_prefix, person.given_name, person.additional_names, person.family_name,
        person.name_suffix,
    )  # fmt: skip
    return " ".join(part for part in parts if part)


def _write_emails(
    actor: Actor, person: Person, emails: Sequence[CardEmail], *, keep_others: bool
) -> None:
    """Put the addresses on the card, in this order; what is on no card, or mail brought, joins."""
    wanted = {one.email: one for one in emails}
    _claim(actor, person, list(wanted))
    own = {row.email: row for row in PersonEmail.objects.filter(person=person)}
    others = [row for row in own.values() if row.email not in wanted and row.removed_at is None]
    order = [*wanted, *(row.email for row in others)] if keep_others else list(wanted)
    if not keep_others:
        take_off(others)
    written = []
    for position, email in enumerate(order):
        row = own.get(email) or PersonEmail(
            workspace_id=person.workspace_id, person=person, email=email
        )
        if email in wanted:
            row.name, row.kind = wanted[email].name, wanted[email].kind or row.kind
            row.by_person = row.by_person or _vouches(actor, wanted[email])
        row.position, row.removed_at = position, None
        written.append(row)
    PersonEmail.objects.bulk_create(
        written, update_conflicts=True, unique_fields=["workspace", "email"],
        update_fields=["person", "name", "kind", "position", "removed_at", "by_person"],
    )  # fmt: skip
    person.email = order[0] if order else ""


def _vouches(actor: Actor, one: CardEmail) -> bool:
    """Return True if an address is on the card by a person's word: from then on it is known."""
    return actor.kind == "person" and not one.stays


def take_off(rows: Iterable[PersonEmail]) -> None:
    """Take addresses off their card; those that there was mail with stay behind it."""
    keys = [row.pk for row in rows]
    gone = PersonEmail.objects.filter(pk__in=keys)
    gone.filter(contact_count=0).delete()
    gone.update(removed_at=timezone.now(), by_person=False)


def _claim(actor: Actor, person: Person, emails: Sequence[str]) -> None:
    """Have addresses that others hold join this person, or raise DomainError `conflict`."""
    rows = PersonEmail.objects.filter(workspace_id=person.workspace_id, email__in=emails)
    foreign = rows.exclude(person=person).select_related("person").order_by("person_id")
    owners = {row.person_id: row.person for row in foreign if row.removed_at is None}
    seen = set(Person.objects.visible_to(actor).filter(pk__in=owners).values_list("pk", flat=True))
    for key, owner in owners.items():
        if key not in seen or not _is_free(owner):
            words = _on_card(owner.public_id if key in seen else "")
            accepted = _("an address no one else has")
            raise DomainError("conflict", words, field="emails", accepted=accepted)
        merge_rows(person, owner)
    # What was taken off a card is on this one now.
    rows.exclude(person=person).update(person=person)


def _write_phones(person: Person, phones: Mapping[str, Sequence[str]]) -> None:
    PersonPhone.objects.filter(person=person, kind__in=phones).delete()
    PersonPhone.objects.bulk_create(
        PersonPhone(person=person, kind=kind, number=number, position=position)
        for kind, numbers in phones.items()
        for position, number in enumerate(numbers)
    )
    first = PersonPhone.objects.filter(person=person).order_by("position", "pk").first()
    person.tel = first.number if first else ""


def _erase(person: Person) -> None:
    """Forget what the card of somebody deleted said; a new one is about to be written."""
    for name in TEXTS:
        setattr(person, name, "")
    person.vcard_properties = []
    person.tel = ""
    PersonPhone.objects.filter(person=person).delete()
    PersonEmail.objects.filter(person=person).update(by_person=False)
    SharedAddress.objects.filter(person=person).delete()


def _accounts_of(people: Sequence[int]) -> list[Account]:
    return list(Account.objects.filter(pk__in=_account_keys(people)))


def _account_keys(people: Sequence[int]) -> Any:
    return Correspondence.objects.filter(person__in=people).values("account")


def _tell(
    workspace_id: int,
    people: Sequence[int],
    accounts: Iterable[Account],
    fact: str = "person.changed",
) -> None:
    keep_searched(people)
    for account in accounts:
        touched(account=account, resources=_RESOURCES)
    publish(fact, {"person_ids": list(people)}, workspace_id=workspace_id)
