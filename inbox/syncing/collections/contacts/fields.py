"""The fields of a card, as the server has it and as our rows do: the smallest things that change.

Texts go by the names of their columns. An address is `email/ada@example.org`, a number
`tel/+49 30 1`, each with its kind; `email` names the preferred address. So one that was added there
and another that was added here do not get into each other's way.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inbox.formats.card_editing import CardEditor, new_card
from inbox.formats.vcard import Card, Property, read_cards
from inbox.models import Person, PersonEmail, PersonPhone, SharedAddress
from inbox.operations.contacts.cards import TEXTS
from inbox.operations.contacts.vcards import address_of, changes_of, number_of
from inbox.syncing.collections.keepers import Fields, UnfitItemError

# Where a text stands in its property.
_PARTS = {
    "family_name": ("N", 0), "given_name": ("N", 1), "additional_names": ("N", 2),
    "name_prefix": ("N", 3), "name_suffix": ("N", 4), "org": ("ORG", 0), "department": ("ORG", 1),
}  # fmt: skip
_NAMES = {one for one, (line, _place) in _PARTS.items() if line == "N"}
_LINES = {"fn": "FN", "title": "TITLE", "note": "NOTE"}
_EMAIL, _TEL = "email/", "tel/"
# What says of the card rather than of the person, or is too large to be compared.
_OF_THE_CARD = {
    "UID", "REV", "PRODID", "KIND", "X-ADDRESSBOOKSERVER-KIND", "CLIENTPIDMAP", "X-ABUID",
    "X-EVOLUTION-FILE-AS", "X-RADICALE-NAME",
}  # fmt: skip
_LONGEST_COMPARED = 4_000


@dataclass(frozen=True, slots=True)
class CardRows:
    """Somebody, with the rows that stand on their card, each kind in its order."""

    person: Person
    emails: Sequence[PersonEmail] = ()
    shared: Sequence[SharedAddress] = ()
    phones: Sequence[PersonPhone] = ()

    @property
    def addresses(self) -> list[PersonEmail | SharedAddress]:
        """All addresses, in their order."""
        rows: list[PersonEmail | SharedAddress] = [*self.shared, *self.emails]
        return sorted(rows, key=lambda row: row.position)


def read_fields(raw: bytes) -> dict[str, Any]:
    """Return the fields of a card as it lies at a server.

    Raises UnfitItemError; without words where it is no person's, such as that of a group.
    """
    card = _first_card(raw)
    changes = changes_of(card)
    fields: dict[str, Any] = dict(changes.texts)
    emails = changes.emails or ()
    fields["email"] = emails[0].email.lower() if emails else ""
    for one in emails:
        fields.setdefault(f"{_EMAIL}{one.email.lower()}", one.kind)
    for kind, some in changes.phones.items():
        for number in some:
            fields.setdefault(f"{_TEL}{number}", kind)
    fields["properties"] = compared(changes.vcard_properties or [])
    return fields


def _first_card(raw: bytes) -> Card:
    try:
        CardEditor(raw)
        card = read_cards(raw)[0]
    except ValueError as error:
        raise UnfitItemError(str(error)) from error
    kinds = {"KIND", "X-ADDRESSBOOKSERVER-KIND"}
    if any(each.name in kinds and each.value.strip().lower() == "group" for each in card.others):
        raise UnfitItemError
    return card


def kept_properties(raw: bytes) -> list[dict[str, Any]]:
    """Return what else a card says, as our rows have it."""
    return changes_of(read_cards(raw)[0]).vcard_properties or []


def compared(properties: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return those of the other properties that count as a change of the card."""
    some = [
        dict(each)
        for each in properties
        if each["name"] not in _OF_THE_CARD and len(each["value"]) <= _LONGEST_COMPARED
    ]
    # A label goes with what it labels; those of addresses and numbers are none of ours.
    labeled = {each["group"].lower() for each in some if not _is_label(each)}
    return [each for each in some if not _is_label(each) or each["group"].lower() in labeled]


def _is_label(each: Mapping[str, Any]) -> bool:
    return bool(each["group"]) and str(each["name"]).startswith("X-AB")


def fields_of(rows: CardRows) -> dict[str, Any]:
    """Return the fields of somebody here."""
    person = rows.person
    fields: dict[str, Any] = {name: getattr(person, name) for name in TEXTS}
    # One that another has as well goes first where both say so: a page does not show it.
    on_card = rows.addresses
    for row in on_card:
        fields.setdefault(f"{_EMAIL}{row.email}", email_kind(row.kind))
    fields["email"] = on_card[0].email if on_card else ""
    for phone in rows.phones:
        fields.setdefault(f"{_TEL}{phone.number}", phone.kind)
    fields["properties"] = compared(person.vcard_properties)
    return fields


def email_kind(kind: str) -> str:
    """Return the kind of an address as a card can say it."""
    return kind if kind in {"work", "home"} else ""


def addresses(fields: Fields) -> dict[str, str]:
    """Return the addresses with their kinds, the preferred one first."""
    found = _named(fields, _EMAIL)
    first = fields.get("email", "")
    return ({first: found[first]} if first in found else {}) | found


def numbers(fields: Fields) -> dict[str, str]:
    """Return the telephone numbers with their kinds."""
    return _named(fields, _TEL)


def _named(fields: Fields, start: str) -> dict[str, str]:
    return {name[len(start) :]: kind for name, kind in fields.items() if name.startswith(start)}


def write_fields(raw: bytes, fields: Fields, changed: frozenset[str], name: str) -> bytes:
    """Return the card with what changed; of an empty `raw` a new one whose UID is `name`."""
    try:
        card = CardEditor(raw or new_card(name))
    except ValueError as error:
        raise UnfitItemError(str(error)) from error
    before = read_cards(raw)[0] if raw else Card()
    _write_texts(card, fields, changed, before)
    _write_typed(card, fields, changed, before)
    if "properties" in changed:
        others = compared(kept_properties(raw)) if raw else []
        card.set_others(_as_properties(others), _as_properties(fields.get("properties", [])))
    return card.to_bytes()


def _write_texts(card: CardEditor, fields: Fields, changed: frozenset[str], before: Card) -> None:
    parts: dict[str, dict[int, str]] = {}
    is_whole = not (before.given or before.family)
    if changed & _NAMES and is_whole and fields.get("given_name") not in _stand_ins(fields):
        # What we took for a name from the whole one would be lost beside the part that changed.
        changed |= {"given_name"}
    for one, (line, place) in _PARTS.items():
        if one in changed:
            parts.setdefault(line, {})[place] = str(fields.get(one, ""))
    for line, texts in parts.items():
        card.set_parts(line, texts)
    for one in sorted(changed & _LINES.keys()):
        card.set_text(_LINES[one], str(fields.get(one, "")) or _instead(one, fields))


def _write_typed(card: CardEditor, fields: Fields, changed: frozenset[str], before: Card) -> None:
    as_written = _as_written(before)
    # In the order of the fields, for the first address is the preferred one.
    for one in [*(it for it in fields if it in changed), *sorted(changed - fields.keys())]:
        start = next((it for it in (_EMAIL, _TEL) if one.startswith(it)), "")
        if not start:
            continue
        kind = fields.get(one)
        values = as_written.get(one) or [one.removeprefix(start)]
        for value in values if kind is None else values[:1]:
            card.set_typed("EMAIL" if start == _EMAIL else "TEL", value, kind)
    if any(one.startswith("email") for one in changed):
        first = str(fields.get("email", ""))
        card.prefer(next(iter(as_written.get(f"{_EMAIL}{first}", [])), first))


def _as_written(card: Card) -> dict[str, list[str]]:
    """Return how a card writes the addresses and numbers that we keep without blanks and marks."""
    found: dict[str, list[str]] = {}
    for typed in card.emails:
        found.setdefault(f"{_EMAIL}{address_of(typed).lower()}", []).append(typed.value)
    for typed in card.phones:
        found.setdefault(f"{_TEL}{number_of(typed)}", []).append(typed.value)
    return found


def _instead(name: str, fields: Fields) -> str:
    """Return what stands for a text that a card must have."""
    if name != "fn":
        return ""
    return next(filter(None, _stand_ins(fields)))


def _stand_ins(fields: Fields) -> list[str]:
    """Return what a card says in place of a name."""
    return [*addresses(fields), str(fields.get("org", "")), "(no name)"]


def _as_properties(rows: Iterable[Mapping[str, Any]]) -> list[Property]:
    return [Property(**row) for row in rows]
