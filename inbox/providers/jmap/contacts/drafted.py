"""Contacts by the draft that Cyrus 3.6 has (`https://cyrusimap.org/ns/jmap/contacts`). Pure.

A contact's id is its UID. What it is called is made of its names by the server; a middle name is
the rest of the first one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inbox.formats.vcard import Card, Property, TypedValue, escape_text, text_of, write_cards
from inbox.providers.change_store import Collection, Put
from inbox.providers.http import json_values
from inbox.providers.http.json_values import objects_of
from inbox.providers.jmap.contacts.parts import (
    Json,
    Known,
    as_read,
    components,
    day_of,
    day_property,
    kind_of,
    named,
    read_card,
    rebuilt,
    structured,
    uid_in,
)
from inbox.providers.jmap.patches import Call

# The one collection: the address books of an account are not told of.
ALL = "contacts"
_TEXTS = {
    "org": "company", "department": "department", "title": "jobTitle", "note": "notes",
    "prefix": "prefix", "family": "lastName", "suffix": "suffix",
}  # fmt: skip
_EMAILS = {"personal": "home", "work": "work"}
_PHONES = {"home": "home", "work": "business", "mobile": "mobile", "fax": "fax"}
_PLACE = ("street", "locality", "region", "postcode", "country")
# Cyrus takes no earlier year, but for 0, which is none.
_NO_DAY, _FIRST_YEAR = "0000-00-00", 1605


@dataclass(frozen=True, slots=True)
class DraftedContacts:
    """The contacts of an account."""

    account: str
    name: str = "Contact"
    # Which bytes hold it: others, as soon as anything of it is changed.
    state_properties: tuple[str, ...] = ("blobId",)
    set_arguments: Json = field(default_factory=dict)
    set_headers: Mapping[str, str] = field(default_factory=dict)

    def is_there(self, _collection: Collection) -> Call | None:
        """Return none: an account cannot lose them."""
        return None

    def lies_in(self, _found: Json, collection: Collection) -> bool:
        """Return True for all of them."""
        return collection.id == ALL

    def write(self, found: Json) -> bytes:
        """Return a contact as a card."""
        return write_cards([_card(found)], "3.0")

    def same_uid(self, uid: str) -> Call:
        """Return a call for the contact of a UID."""
        asked = {"accountId": self.account, "ids": [uid], "properties": ["id"]}
        return "Contact/get", asked, "same"

    def made(self, change: Put, _collection: Collection) -> tuple[str, dict[str, Any]]:
        """Return a UID and a new contact."""
        card = read_card(change.raw)
        uid = uid_in(card) or change.name
        return uid, {**_difference({}, card), "uid": uid}

    def patch(self, found: Json, raw: bytes) -> dict[str, Any]:
        """Return what has to change so that a contact says what a card does."""
        return _difference(found, read_card(raw))

    def taken_out(self, _found: Json, _collection: Collection) -> dict[str, Any] | None:
        """Return none: it is destroyed."""
        return None


def _text(found: Json, name: str) -> str:
    return json_values.text_of(found, name).strip()


def _card(found: Json) -> Card:
    """Return what a contact says."""
    texts = {own: _text(found, theirs) for own, theirs in _TEXTS.items()}
    given, nick = _text(found, "firstName"), _text(found, "nickname")
    names = (texts["prefix"], given, texts["family"], texts["suffix"])
    return Card(
        fn=" ".join(filter(None, names)) or texts["org"] or nick,
        given=given, **texts,
        emails=tuple(one.key for one in _emails(found)),
        phones=tuple(one.key for one in _phones(found)),
        others=(
            Property("UID", escape_text(_text(found, "uid") or _text(found, "id"))),
            *([Property("NICKNAME", escape_text(nick))] if nick else []),
            *(one.key for one in _addresses(found)), *(one.key for one in _links(found)),
            *_day(found, "birthday", "BDAY"), *_day(found, "anniversary", "ANNIVERSARY"),
        ),
    )  # fmt: skip


def _emails(found: Json) -> list[Known[TypedValue]]:
    return _typed(found, "emails", _EMAILS, "")


def _phones(found: Json) -> list[Known[TypedValue]]:
    return _typed(found, "phones", _PHONES, "other")


def _typed(found: Json, name: str, kinds: Mapping[str, str], other: str) -> list[Known[TypedValue]]:
    ranked = sorted(objects_of(found, name), key=lambda one: one.get("isDefault") is not True)
    return [
        Known(TypedValue(_text(one, "value"), kinds.get(_text(one, "type"), other)), "", one)
        for one in ranked if _text(one, "value")
    ]  # fmt: skip


def _addresses(found: Json) -> list[Known[Property]]:
    made = []
    for one in objects_of(found, "addresses"):
        parts = ["", "", *(_text(one, name) for name in _PLACE)]
        kind = _text(one, "type")
        key = structured("ADR", parts, kind if kind in ("home", "work") else "")
        made += [Known(key, "", one)] if any(parts) else []
    return made


def _links(found: Json) -> list[Known[Property]]:
    return [
        Known(Property("URL", escape_text(_text(one, "value"))), "", one)
        for one in objects_of(found, "online")
        if _text(one, "type") == "uri" and _text(one, "value")
    ]


def _day(found: Json, name: str, as_property: str) -> list[Property]:
    day = day_of(Property(as_property, _text(found, name)))
    return day_property(as_property, *day) if day else []


# -- writing ---------------------------------------------------------------------------------------
def _difference(found: Json, after: Card) -> dict[str, Any]:
    """Return those properties, whole, that have to change so that a contact says `after`."""
    before = as_read(_card(found)) if found else Card()
    patch: dict[str, Any] = {
        theirs: getattr(after, own)
        for own, theirs in _TEXTS.items()
        if getattr(after, own) != getattr(before, own)
    }
    patch |= _names(before, after)
    if after.emails != before.emails:
        patch["emails"] = _in_order(_values(_emails(found), after.emails, _email))
    if after.phones != before.phones:
        patch["phones"] = _values(_phones(found), after.phones, _phone)
    for name, line in (("birthday", "BDAY"), ("anniversary", "ANNIVERSARY")):
        if (wanted := _day_in(after, line)) != _day_in(before, line):
            patch[name] = wanted
    if _line(after, "NICKNAME") != _line(before, "NICKNAME"):
        patch["nickname"] = text_of(_line(after, "NICKNAME"))
    if named(after, "ADR") != (there := named(before, "ADR")):
        known = _known(_addresses(found), there)
        patch["addresses"] = _values(known, named(after, "ADR"), _address)
    if named(after, "URL") != (there := named(before, "URL")):
        others = [dict(one) for one in objects_of(found, "online") if _text(one, "type") != "uri"]
        known = _known(_links(found), there)
        patch["online"] = [*_values(known, named(after, "URL"), _link), *others]
    return patch


def _names(before: Card, after: Card) -> dict[str, str]:
    given = [" ".join(filter(None, (card.given, card.additional))) for card in (before, after)]
    patch = {"firstName": given[1]} if given[0] != given[1] else {}
    is_named = after.family or after.given or after.additional
    if not is_named and after.fn not in ("", before.fn, after.org):
        # There is no other place for what somebody is called.
        patch["lastName"] = after.fn
    return patch


def _known(found: list[Known[Property]], as_read: list[Property]) -> list[Known[Property]]:
    """Return values with what they say as it was read."""
    pairs = zip(found, as_read, strict=False)
    return [Known(read, one.id, one.value) for one, read in pairs]


def _values(
    known: list[Known[Any]], wanted: Any, make: Callable[[Any, Json], dict[str, Any]]
) -> list[dict[str, Any]]:
    return [value for _id, value in rebuilt(known, wanted, make) if value]


def _in_order(emails: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return addresses of which the first is the default one."""
    return [{**one, "isDefault": place == 0} for place, one in enumerate(emails)]


def _line(card: Card, name: str) -> str:
    return next((one.value for one in named(card, name)), "")


def _day_in(card: Card, name: str) -> str:
    found = next((day for one in named(card, name) if (day := day_of(one))), None)
    if found is None:
        return _NO_DAY
    year, month, date = found
    return f"{year if year >= _FIRST_YEAR else 0:04}-{month:02}-{date:02}"


def _email(key: TypedValue, like: Json) -> dict[str, Any]:
    return {**like, "value": key.value, "type": _type(key.kind, _EMAILS, like)}


def _phone(key: TypedValue, like: Json) -> dict[str, Any]:
    return {**like, "value": key.value, "type": _type(key.kind, _PHONES, like)}


def _type(kind: str, kinds: Mapping[str, str], like: Json) -> str:
    """Return their name of a kind; the one that was there, where it means the same."""
    there = _text(like, "type")
    if there and kinds.get(there, "other") == (kind or "other"):
        return there
    return next((theirs for theirs, own in kinds.items() if own == kind), "other")


def _address(key: Property, like: Json) -> dict[str, Any]:
    box, extended, street, *rest = [*components(key.value), *[""] * 7][:7]
    parts = (", ".join(filter(None, (box, extended, street))), *rest)
    return {**like, "type": kind_of(key) or "other", **dict(zip(_PLACE, parts, strict=True))}


def _link(key: Property, like: Json) -> dict[str, Any]:
    return {**like, "type": "uri", "value": text_of(key.value)}
