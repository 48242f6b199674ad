"""Contacts by RFC 9610, whose cards are JSContact (RFC 9553), as vCards and back. Pure.

What a card has beyond names, addresses, numbers, work, notes, days, postal addresses, links and
nicknames stays as it is: only those entries are patched that say something else than before.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inbox.formats.vcard import Card, Property, TypedValue, escape_text, text_of, write_cards
from inbox.providers.change_store import Collection, Put
from inbox.providers.http import json_values
from inbox.providers.http.json_values import object_of, objects_of
from inbox.providers.jmap.contacts.names import name_patch, names_in
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
from inbox.providers.jmap.patches import Call, map_patch, pointed, set_in

_BOOK = "book/"
_CONTEXTS = {"work": "work", "private": "home"}
_ADDRESS = (
    "postOfficeBox", "apartment", "name", "locality", "region", "postcode", "country",
)  # fmt: skip
_DAYS = {"birth": "BDAY", "wedding": "ANNIVERSARY"}


@dataclass(frozen=True, slots=True)
class Cards:
    """The cards of an account's address books."""

    account: str
    name: str = "ContactCard"
    state_properties: None = None
    set_arguments: Json = field(default_factory=dict)
    set_headers: Mapping[str, str] = field(default_factory=dict)

    def is_there(self, collection: Collection) -> Call | None:
        """Return a call for an address book."""
        asked = {"accountId": self.account, "ids": [_book(collection)], "properties": ["id"]}
        return "AddressBook/get", asked, "there"

    def lies_in(self, found: Json, collection: Collection) -> bool:
        """Return True if a card lies in an address book; a group of cards is none of somebody."""
        is_group = _text(found, "kind") == "group"
        return object_of(found, "addressBookIds").get(_book(collection)) is True and not is_group

    def write(self, found: Json) -> bytes:
        """Return a card as a vCard."""
        return write_cards([_card(found)])

    def same_uid(self, uid: str) -> Call:
        """Return a call for the ids of a UID."""
        asked = {"accountId": self.account, "filter": {"uid": uid}, "limit": 1}
        return "ContactCard/query", asked, "same"

    def made(self, change: Put, collection: Collection) -> tuple[str, dict[str, Any]]:
        """Return a UID and a new card."""
        card = read_card(change.raw)
        uid = uid_in(card) or change.name
        made: dict[str, Any] = {"@type": "Card", "version": "1.0", "uid": uid}
        made |= _difference({}, card) | {"addressBookIds": {_book(collection): True}}
        return uid, made

    def patch(self, found: Json, raw: bytes) -> dict[str, Any]:
        """Return what has to change so that a card says what a vCard does."""
        return _difference(found, read_card(raw))

    def taken_out(self, found: Json, collection: Collection) -> dict[str, Any] | None:
        """Return what takes a card out of one of several books; None: it is in no other."""
        books = [one for one, is_in in object_of(found, "addressBookIds").items() if is_in is True]
        return {f"addressBookIds/{pointed(_book(collection))}": None} if len(books) > 1 else None


def id_of(book: str) -> str:
    """Return the id of an address book as a collection: a calendar may have the same one."""
    return f"{_BOOK}{book}"


def _book(collection: Collection) -> str:
    return collection.id.removeprefix(_BOOK)


def _text(found: Json, name: str) -> str:
    return json_values.text_of(found, name).strip()


# -- reading ---------------------------------------------------------------------------------------
def _card(found: Json) -> Card:
    """Return what a card says."""
    names, work = names_in(object_of(found, "name")), _first(found, "organizations")
    unit = next((_text(one, "name") for one in objects_of(work, "units")), "")
    nicks = _nicknames(found)
    org, title = _text(work, "name"), _text(_first(found, "titles"), "name")
    return Card(
        **{**names, "fn": names["fn"] or org or (text_of(nicks[0].key.value) if nicks else "")},
        emails=tuple(one.key for one in _emails(found)),
        phones=tuple(one.key for one in _phones(found)),
        org=org, department=unit, title=title,
        note=_text(_first(found, "notes"), "note"),
        others=(
            Property("UID", escape_text(_text(found, "uid") or _text(found, "id"))),
            *(one.key for of in _OTHERS.values() for one in of(found)),
        ),
    )  # fmt: skip


def _entries(found: Json, name: str) -> list[tuple[str, Json]]:
    """Return the entries of a map, the most preferred first (RFC 9553 1.5.4)."""
    entries = [(key, one) for key, one in object_of(found, name).items() if isinstance(one, dict)]
    return sorted(entries, key=lambda entry: _rank(entry[1]))


def _rank(one: Json) -> int:
    said = one.get("pref")
    return said if isinstance(said, int) and not isinstance(said, bool) else 101


def _first(found: Json, name: str) -> Json:
    return next((one for _key, one in _entries(found, name)), {})


def _emails(found: Json) -> list[Known[TypedValue]]:
    return [
        Known(TypedValue(_text(one, "address"), _context(one)), key, one)
        for key, one in _entries(found, "emails") if _text(one, "address")
    ]  # fmt: skip


def _phones(found: Json) -> list[Known[TypedValue]]:
    known = []
    for key, one in _entries(found, "phones"):
        number = _text(one, "number")
        if number.lower().startswith("tel:"):
            number = number[4:].partition(";")[0]
        if number:
            known.append(Known(TypedValue(number, _phone_kind(one)), key, one))
    return known


def _context(one: Json) -> str:
    contexts = object_of(one, "contexts")
    return next((own for theirs, own in _CONTEXTS.items() if contexts.get(theirs) is True), "")


def _phone_kind(one: Json) -> str:
    features = object_of(one, "features")
    kind = next((kind for kind in ("fax", "mobile") if features.get(kind) is True), "")
    return kind or {"work": "business", "home": "home"}.get(_context(one), "other")


def _addresses(found: Json) -> list[Known[Property]]:
    known = []
    for key, one in _entries(found, "addresses"):
        parts = _place(one)
        if not any(parts):
            parts[2] = _text(one, "full")
        if any(parts):
            known.append(Known(structured("ADR", parts, _context(one)), key, one))
    return known


def _place(one: Json) -> list[str]:
    """Return an address as a vCard has it, what is said of a street as one line (RFC 9555)."""
    said: dict[str, list[str]] = {}
    for part in objects_of(one, "components"):
        kind = _text(part, "kind")
        own = "street" if kind not in _ADDRESS or kind == "name" else kind
        if kind != "separator" and _text(part, "value"):
            said.setdefault(own, []).append(_text(part, "value"))
    return [" ".join(said.get("street" if kind == "name" else kind, [])) for kind in _ADDRESS]


def _links(found: Json) -> list[Known[Property]]:
    return [
        Known(Property("URL", escape_text(_text(one, "uri")), _types(one)), key, one)
        for key, one in _entries(found, "links")
        if _text(one, "uri") and not _text(one, "kind")
    ]


def _types(one: Json) -> dict[str, list[str]]:
    kind = _context(one)
    return {"TYPE": [kind]} if kind else {}


def _nicknames(found: Json) -> list[Known[Property]]:
    return [
        Known(Property("NICKNAME", escape_text(_text(one, "name"))), key, one)
        for key, one in _entries(found, "nicknames") if _text(one, "name")
    ]  # fmt: skip


def _days(found: Json) -> list[Known[Property]]:
    known = []
    for key, one in _entries(found, "anniversaries"):
        name, date = _DAYS.get(_text(one, "kind"), ""), object_of(one, "date")
        said = [date.get(part) or 0 for part in ("year", "month", "day")]
        if utc := _text(date, "utc"):
            said = list(day_of(Property(name, utc)) or ())
        if name and len(said) == 3 and all(isinstance(it, int) for it in said):
            known += [Known(each, key, one) for each in day_property(name, *said)]
    return known


_OTHERS: Mapping[str, Callable[[Json], list[Known[Property]]]] = {
    "addresses": _addresses, "links": _links, "nicknames": _nicknames, "anniversaries": _days,
}  # fmt: skip
_LINES = {
    "addresses": ("ADR",), "links": ("URL",), "nicknames": ("NICKNAME",),
    "anniversaries": ("BDAY", "ANNIVERSARY"),
}  # fmt: skip


# -- writing ---------------------------------------------------------------------------------------
def _difference(found: Json, after: Card) -> dict[str, Any]:
    """Return the patch after which a card says `after` (RFC 8620 5.3)."""
    before = as_read(_card(found)) if found else Card()
    patch = name_patch(object_of(found, "name"), before, after)
    for name, known, own, make in (
        ("emails", _emails(found), "emails", _email), ("phones", _phones(found), "phones", _phone),
    ):  # fmt: skip
        if getattr(after, own) != getattr(before, own):
            ids = [one.id for one in known]
            ranked = _preferred(ids, rebuilt(known, getattr(after, own), make))
            patch |= map_patch(found, name, ids, ranked)
    for name, of in _OTHERS.items():
        old, new = ([one for line in _LINES[name] for one in named(card, line)]
                    for card in (before, after))  # fmt: skip
        if old != new:
            known_others = _in_lines(name, of(found), old)
            made = rebuilt(known_others, new, _MAKERS[name])
            kept = [(key, one) for key, one in made if one]
            patch |= map_patch(found, name, [one.id for one in known_others], kept)
    return patch | _work(found, before, after)


def _in_lines(
    name: str, known: list[Known[Property]], said: list[Property]
) -> list[Known[Property]]:
    """Return values with what they say as it was read, in the order of their lines."""
    ordered = [one for line in _LINES[name] for one in known if one.key.name == line]
    pairs = zip(ordered, said, strict=False)
    return [Known(as_said, one.id, one.value) for one, as_said in pairs]


def _preferred(
    ids: list[str], made: list[tuple[str, dict[str, Any]]]
) -> list[tuple[str, dict[str, Any]]]:
    """Return values so that they are read in this order; `ids` are those that were there."""
    place = {key: at for at, key in enumerate(ids)}
    read = sorted(made, key=lambda entry: (_rank(entry[1]), place.get(entry[0], len(ids))))
    if [key for key, _one in read] == [key for key, _one in made]:
        return made
    return [(key, {**one, "pref": min(rank, 100)}) for rank, (key, one) in enumerate(made, 1)]


def _work(found: Json, before: Card, after: Card) -> dict[str, Any]:
    """Return what has to change of the first organisation, title and note."""
    patch: dict[str, Any] = {}
    if (after.org, after.department) != (before.org, before.department):
        work = dict(_first(found, "organizations"))
        units = [*objects_of(work, "units")]
        if after.department != before.department:
            units = [*([{"name": after.department}] if after.department else []), *units[1:]]
        said = {**work, "name": after.org, "units": units}
        patch |= _patch_first(found, "organizations", {key: it for key, it in said.items() if it})
    for name, part, own in (("titles", "name", "title"), ("notes", "note", "note")):
        if (wanted := getattr(after, own)) != getattr(before, own):
            there = dict(_first(found, name))
            patch |= _patch_first(found, name, {**there, part: wanted} if wanted else {})
    return patch


def _patch_first(found: Json, name: str, value: dict[str, Any]) -> dict[str, Any]:
    key = next((key for key, _one in _entries(found, name)), "")
    is_said = value and not (name == "organizations" and not {"name", "units"} & value.keys())
    return map_patch(found, name, [key] if key else [], [(key, value)] if is_said else [])


def _email(key: TypedValue, like: Json) -> dict[str, Any]:
    return _in_context({**like, "address": key.value}, key.kind)


def _phone(key: TypedValue, like: Json) -> dict[str, Any]:
    said = {**like, "number": key.value}
    if _phone_kind(like) == key.kind:
        return said
    features = {name: it for name, it in object_of(like, "features").items()
                if name not in ("fax", "mobile")}  # fmt: skip
    if key.kind in ("fax", "mobile"):
        features[key.kind] = True
        return set_in(said, "features", features)
    said = set_in(said, "features", features)
    return _in_context(said, {"business": "work", "home": "home"}.get(key.kind, ""))


def _in_context(said: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return a value that is of work, of home, or of neither."""
    if _context(said) == kind:
        return said
    kept = {name: it for name, it in object_of(said, "contexts").items() if name not in _CONTEXTS}
    kept |= {theirs: True for theirs, own in _CONTEXTS.items() if own == kind}
    return set_in(said, "contexts", kept)


def _address(key: Property, like: Json) -> dict[str, Any]:
    parts = [*components(key.value), *[""] * 7][:7]
    said = [
        {"kind": kind, "value": value} for kind, value in zip(_ADDRESS, parts, strict=True) if value
    ]
    kept = {name: it for name, it in like.items()
            if name not in ("components", "full", "isOrdered", "defaultSeparator")}  # fmt: skip
    return _in_context({**kept, "components": said}, kind_of(key))


def _link(key: Property, like: Json) -> dict[str, Any]:
    return _in_context({**like, "uri": text_of(key.value)}, kind_of(key))


def _nickname(key: Property, like: Json) -> dict[str, Any]:
    return {**like, "name": text_of(key.value)}


def _anniversary(key: Property, like: Json) -> dict[str, Any]:
    """Return a day; nothing where it is none."""
    if (said := day_of(key)) is None:
        return {}
    kind = next(theirs for theirs, own in _DAYS.items() if own == key.name)
    pairs = zip(("year", "month", "day"), said, strict=True)
    return {**like, "kind": kind, "date": {name: it for name, it in pairs if it}}


_MAKERS: Mapping[str, Callable[[Property, Json], dict[str, Any]]] = {
    "addresses": _address, "links": _link, "nicknames": _nickname, "anniversaries": _anniversary,
}  # fmt: skip
