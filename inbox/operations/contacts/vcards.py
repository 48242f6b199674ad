"""People as vCards: written out, and read into an account's address book."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import Prefetch

from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.formats.vcard import Card, Property, TypedValue, Version, read_cards, write_cards
from inbox.models import Account, Person, PersonEmail, PersonPhone, PhoneKind
from inbox.models.people import PersonQuerySet
from inbox.operations.contacts.cards import (
    LONGEST_NOTE,
    MOST_ADDRESSES,
    MOST_PHONES,
    CardChanges,
    CardEmail,
    longest_of,
)
from inbox.operations.contacts.contacts import create_contact, update_contact
from inbox.reasons import of_error
from inbox.reasons import phrase as _
from inbox.rfc5322.addresses.parsing import check_address
from inbox.rfc5322.text.unicode_text import clean, clean_line

# How our columns are called in a card.
_NAMES = {
    "fn": "fn", "family_name": "family", "given_name": "given", "additional_names": "additional",
    "name_prefix": "prefix", "name_suffix": "suffix", "org": "org", "department": "department",
    "title": "title",
}  # fmt: skip
_MOST_KEPT, _LARGEST_KEPT = 100, 256 * 1024


@dataclass(slots=True)
class ImportedCards:
    """What became of the cards of a file: how many were new, and completed somebody known."""

    made: int = 0
    completed: int = 0
    # The place of a card in the file, from 1 on, and why it was left out.
    refused: list[tuple[int, str]] = field(default_factory=list)


def with_card_rows(actor: Actor, rows: PersonQuerySet) -> PersonQuerySet:
    """Return people whom the actor may see with what a card shows, in two queries more."""
    emails = PersonEmail.objects.filter(workspace_id__in=actor.workspace_ids).kept()
    return rows.prefetch_related(
        Prefetch("emails", emails.order_by("position", "pk")),
        Prefetch("phones", PersonPhone.objects.order_by("position", "pk")),
    )


def export_cards(people: Iterable[Person], version: Version = "4.0") -> bytes:
    """Return people that were read `with_card_rows` as one file."""
    return write_cards(map(card_of, people), version)


def card_of(person: Person) -> Card:
    """Return somebody's card."""
    names: dict[str, Any] = {card: getattr(person, row) for row, card in _NAMES.items()}
    return Card(
        **names,
        note=person.note,
        emails=tuple(TypedValue(row.email, row.kind) for row in person.emails.all()),
        phones=tuple(TypedValue(row.number, row.kind) for row in person.phones.all()),
        others=tuple(Property(**each) for each in person.vcard_properties),
    )


def import_cards(*, actor: Actor, account: Account, data: bytes) -> ImportedCards:
    """Read a file of cards into an account's address book; each card by itself.

    Who is known by an address, or else by name and number, keeps what they have and gets what they
    lack. What no card of ours can say is left out. Raises DomainError where the file is none.
    """
    try:
        cards = read_cards(data)
    except ValueError as error:
        accepted = "a vCard file (.vcf)"
        raise DomainError(
            "invalid_input",
            _("The file %(error)s.", error=of_error(error)),
            field="file",
            accepted=accepted,
        ) from error
    result = ImportedCards()
    for place, card in enumerate(cards, start=1):
        changes = changes_of(card)
        try:
            known = _find_known(actor, account, changes)
            if known is None:
                create_contact(actor=actor, account=account, changes=changes)
                result.made += 1
            else:
                update_contact(actor=actor, person=known, changes=_lacking(known, changes))
                result.completed += 1
        except DomainError as error:
            result.refused.append((place, error.message))
    return result


def changes_of(card: Card) -> CardChanges:
    """Return a card that came from outside as one that can be kept: cleaned, cut, bounded."""
    texts = {row: _line(getattr(card, name), row) for row, name in _NAMES.items()}
    phones: dict[str, list[str]] = {}
    for typed in card.phones[:MOST_PHONES]:
        kind = typed.kind if typed.kind in PhoneKind.values else PhoneKind.OTHER
        if number := number_of(typed):
            phones.setdefault(kind, []).append(number)
    if not (texts["given_name"] or texts["family_name"]):
        # A card of which nobody knows the parts of the name is a card all the same.
        texts["given_name"] = texts["fn"]
    return CardChanges(
        **texts,
        note=clean(card.note)[0][:LONGEST_NOTE],
        emails=_addresses(card)[:MOST_ADDRESSES],
        phones=phones,
        vcard_properties=_kept(card.others),
    )


def _line(text: str, column: str) -> str:
    return clean_line(text)[0][: longest_of(column)].strip()


def _addresses(card: Card) -> list[CardEmail]:
    read = ((address_of(typed), typed.kind) for typed in card.emails)
    return [CardEmail(address, kind=kind) for address, kind in read if address]


def number_of(typed: TypedValue) -> str:
    """Return a number as it is kept: without the marks that programs copy along with it."""
    return clean_line(typed.value)[0][:60].strip()


def address_of(typed: TypedValue) -> str:
    """Return an address as it is kept; empty for what mail could not go to."""
    try:
        return check_address(clean_line(typed.value)[0])
    except ValueError:
        return ""


def _kept(others: Sequence[Property]) -> list[dict[str, Any]]:
    """Return the other properties as they are stored, while they are not too large."""
    kept, size = [], 0
    for each in others[:_MOST_KEPT]:
        size += len(each.value)
        if size <= _LARGEST_KEPT:
            kept.append(asdict(each))
    return kept


def _find_known(actor: Actor, account: Account, changes: CardChanges) -> Person | None:
    """Return the contact that the card is of already."""
    people = with_card_rows(actor, Person.objects.visible_to(actor).kept())
    wanted = [one.email.lower() for one in changes.emails or ()]
    rows = PersonEmail.objects.visible_to(actor.within(account.workspace_id)).kept()
    owners = rows.filter(email__in=wanted).values("person")
    owner = people.filter(pk__in=owners).order_by("pk").first() if wanted else None
    if owner is not None:
        return owner if owner.is_contact else None
    if wanted or not changes.fn:
        return None
    numbers = {number for each in changes.phones.values() for number in each}
    namesakes = people.filter(correspondences__account=account, fn=changes.fn)[:20]
    known = ((one, {row.number for row in one.phones.all()}) for one in namesakes)
    return next((one for one, own in known if own & numbers or (not own and not numbers)), None)


def _staying(known: Person, changes: CardChanges) -> list[CardEmail]:
    """Return the addresses on the card; the file vouches for those that it names too."""
    named = {one.email.lower() for one in changes.emails or ()}
    return [
        CardEmail(row.email, row.name, row.kind, stays=row.email not in named)
        for row in known.emails.all()
    ]


def _lacking(known: Person, changes: CardChanges) -> CardChanges:
    """Return the changes that add and take nothing away."""
    texts = {name: text for name, text in changes.texts.items() if not getattr(known, name)}
    own = _staying(known, changes)
    numbers: dict[str, list[str]] = {}
    for row in known.phones.all():
        numbers.setdefault(row.kind, []).append(row.number)
    there = {number for each in numbers.values() for number in each}
    phones = {
        kind: [*numbers.get(kind, []), *(number for number in new if number not in there)]
        for kind, new in changes.phones.items()
    }
    kept = {(each["name"], each["value"]) for each in known.vcard_properties}
    added = [
        each for each in changes.vcard_properties or () if (each["name"], each["value"]) not in kept
    ]
    return CardChanges(
        **texts, emails=[*own, *(changes.emails or ())], phones=phones,
        vcard_properties=[*known.vcard_properties, *added][:_MOST_KEPT],
    )  # fmt: skip
