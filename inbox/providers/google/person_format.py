"""Contacts as Google People has them, as vCards and back. Pure; what comes in is hostile.

Of a person only these are read and written: names, addresses and numbers, work, notes, birthday,
postal addresses, links, nicknames. All else (groups, photographs, own fields) stays as it is.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from inbox.formats.vcard import (
    Card,
    Property,
    TypedValue,
    escape_text,
    read_cards,
    write_cards,
)
from inbox.formats.vcard import (
    text_of as said_by,
)
from inbox.providers.http.json_values import object_of, objects_of, text_of

Person: TypeAlias = Mapping[str, Any]
Body: TypeAlias = dict[str, Any]
Key = TypeVar("Key")
# What is asked for, and nothing else.
FIELDS = (
    "addresses", "biographies", "birthdays", "clientData", "emailAddresses", "metadata", "names",
    "nicknames", "organizations", "phoneNumbers", "urls",
)  # fmt: skip
# Under this key a contact keeps the UID that it was made under.
_UID_KEY = "chancery-uid"
_SERVER = "@contacts.google.com"
_NAMES = {
    "family": "familyName", "given": "givenName", "additional": "middleName",
    "prefix": "honorificPrefix", "suffix": "honorificSuffix",
}  # fmt: skip
_PHONES = {
    "mobile": "mobile", "work": "business", "home": "home", "workFax": "fax", "homeFax": "fax",
    "otherFax": "fax", "workMobile": "mobile",
}  # fmt: skip
_PHONE_TYPES = {"mobile": "mobile", "business": "work", "home": "home", "fax": "workFax"}
_ADDRESS = (
    "poBox", "extendedAddress", "streetAddress", "city", "region", "postalCode", "country",
)  # fmt: skip
_DAY = re.compile(r"(?:(\d{4})-?|--)(\d\d)-?(\d\d)(?:T.*)?", re.ASCII)
_PART = re.compile(r"((?:\\.|[^\\;])*)(?:;|$)", re.DOTALL)
# Of a value only these are the server's to say.
_OF_SERVER = frozenset(
    {"metadata", "formattedType", "displayName", "displayNameLastFirst", "canonicalForm"}
)


def uid_of(person: Person) -> str:
    """Return the UID of a contact: the one that it was made under, or one of its id."""
    own = (it for it in objects_of(person, "clientData") if text_of(it, "key") == _UID_KEY)
    key = text_of(person, "resourceName").removeprefix("people/")
    return next((text_of(it, "value") for it in own), "") or f"{key}{_SERVER}"


def contact_source(person: Person) -> Mapping[str, Any]:
    """Return where the contact itself comes from, with its etag."""
    sources = objects_of(object_of(person, "metadata"), "sources")
    return next((it for it in sources if text_of(it, "type") == "CONTACT"), {})


def write_person(person: Person) -> bytes:
    """Return a contact as a card."""
    return write_cards([card_of(person)])


def card_of(person: Person) -> Card:
    """Return what a contact says."""
    name, work = _first(person, "names"), _first(person, "organizations")
    return Card(
        fn=" ".join((text_of(name, "displayName") or text_of(name, "unstructuredName")).split()),
        **{own: text_of(name, theirs) for own, theirs in _NAMES.items()},
        emails=tuple(key for key, _value in _emails(person)),
        phones=tuple(key for key, _value in _phones(person)),
        org=text_of(work, "name"),
        department=text_of(work, "department"),
        title=text_of(work, "title"),
        note=text_of(_first(person, "biographies"), "value"),
        others=(
            Property("UID", escape_text(uid_of(person))),
            *(key for _name, of in _OTHERS for key, _value in of(person)),
        ),
    )


def _first(person: Person, name: str) -> Mapping[str, Any]:
    return next(iter(objects_of(person, name)), {})


def _emails(person: Person) -> list[tuple[TypedValue, Body]]:
    found = []
    for one in _preferred(objects_of(person, "emailAddresses")):
        kind = text_of(one, "type")
        key = TypedValue(text_of(one, "value").strip(), kind if kind in ("work", "home") else "")
        found += [(key, dict(one))] if key.value else []
    return found


def _phones(person: Person) -> list[tuple[TypedValue, Body]]:
    found = []
    for one in _preferred(objects_of(person, "phoneNumbers")):
        key = TypedValue(text_of(one, "value").strip(), _PHONES.get(text_of(one, "type"), "other"))
        found += [(key, dict(one))] if key.value else []
    return found


def _preferred(values: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(values, key=lambda it: object_of(it, "metadata").get("primary") is not True)


# -- other properties ------------------------------------------------------------------------------
def _addresses(person: Person) -> list[tuple[Property, Body]]:
    found = []
    for one in objects_of(person, "addresses"):
        parts = [text_of(one, name) for name in _ADDRESS]
        if not any(parts):
            parts[2] = text_of(one, "formattedValue")
        key = Property("ADR", ";".join(map(escape_text, parts)), _typed(one))
        found += [(key, dict(one))] if any(parts) else []
    return found


def _urls(person: Person) -> list[tuple[Property, Body]]:
    return [
        (Property("URL", escape_text(text_of(one, "value")), _typed(one)), dict(one))
        for one in objects_of(person, "urls")
        if text_of(one, "value")
    ]


def _nicknames(person: Person) -> list[tuple[Property, Body]]:
    return [
        (Property("NICKNAME", escape_text(text_of(one, "value"))), dict(one))
        for one in objects_of(person, "nicknames")
        if text_of(one, "value")
    ]


def _birthdays(person: Person) -> list[tuple[Property, Body]]:
    found = []
    for one in objects_of(person, "birthdays"):
        day = object_of(one, "date")
        year, month, date = (day.get(name) or 0 for name in ("year", "month", "day"))
        if all(isinstance(it, int) for it in (year, month, date)) and month and date:
            said = f"{year:04}{month:02}{date:02}" if year else f"--{month:02}{date:02}"
            found.append((Property("BDAY", said), dict(one)))
    return found


def _typed(value: Mapping[str, Any]) -> dict[str, list[str]]:
    kind = text_of(value, "type")
    return {"TYPE": [kind]} if kind in ("home", "work") else {}


_OTHERS: tuple[tuple[str, Callable[[Person], list[tuple[Property, Body]]]], ...] = (
    ("addresses", _addresses), ("urls", _urls), ("nicknames", _nicknames),
    ("birthdays", _birthdays),
)  # fmt: skip
_LINES = {"addresses": "ADR", "urls": "URL", "nicknames": "NICKNAME", "birthdays": "BDAY"}


# -- writing ---------------------------------------------------------------------------------------
def read_card(raw: bytes) -> Card:
    """Return what a card says, what it says twice too; raises ValueError where there is none."""
    return read_cards(raw, repeated=True)[0]


def uid_in(card: Card) -> str:
    """Return the UID of a card."""
    return next((said_by(it.value) for it in card.others if it.name == "UID"), "")


def body_of(card: Card) -> Body:
    """Return a new contact, which keeps the UID that it is made under."""
    made = difference({}, card)
    return made | {"clientData": [{"key": _UID_KEY, "value": uid_in(card)}]}


def difference(person: Person, after: Card) -> Body:
    """Return those fields, whole, that have to change so that a contact says `after`."""
    # As it reads once it was written: then the same says the same.
    before = read_card(write_person(person))
    body: Body = {}
    names = [getattr(after, own) for own in _NAMES]
    if names != [getattr(before, own) for own in _NAMES] and any(names):
        body["names"] = [
            _with(_first(person, "names"), dict(zip(_NAMES.values(), names, strict=True)))
        ]
    elif after.fn != before.fn:
        body["names"] = [{"unstructuredName": after.fn}] if after.fn else []
    if after.emails != before.emails:
        body["emailAddresses"] = _rebuilt(_emails(person), after.emails, _email)
    if after.phones != before.phones:
        body["phoneNumbers"] = _rebuilt(_phones(person), after.phones, _phone)
    work = {"name": after.org, "department": after.department, "title": after.title}
    if (after.org, after.department, after.title) != (before.org, before.department, before.title):
        rest = [_own(it) for it in objects_of(person, "organizations")[1:]]
        first = _with(_first(person, "organizations"), work)
        body["organizations"] = [*([first] if first else []), *rest]
    if after.note != before.note:
        note = {"value": after.note, "contentType": "TEXT_PLAIN"}
        body["biographies"] = [note] if after.note else []
    return body | _other_differences(person, before, after)


def _other_differences(person: Person, before: Card, after: Card) -> Body:
    body: Body = {}
    for name, of in _OTHERS:
        old, new = (
            [it for it in card.others if it.name == _LINES[name]] for card in (before, after)
        )
        if old != new:
            known = [(read, value) for read, (_key, value) in zip(old, of(person), strict=False)]
            made = _rebuilt(known, new, _MAKERS[name])
            body[name] = [it for it in made if it][:1] if name == "birthdays" else made
    return body


def _rebuilt(
    known: Sequence[tuple[Key, Body]], wanted: Iterable[Key], make: Callable[[Key, Body], Body]
) -> list[Body]:
    """Return the values of a field: those that say the same stay as they are."""
    rest = list(known)
    made = []
    for key in wanted:
        same = next((pair for pair in rest if pair[0] == key), None)
        like = same or next((pair for pair in rest if _value(pair[0]) == _value(key)), None)
        if like is not None:
            rest.remove(like)
        made.append(_own(like[1]) if like and like is same else make(key, like[1] if like else {}))
    return made


def _value(key: Any) -> str:
    return str(key.value).casefold()


def _with(value: Mapping[str, Any], texts: Mapping[str, str]) -> Body:
    """Return a value that says these texts, with what else it says."""
    kept = {**_own(value), **texts, "unstructuredName": ""}
    return {name: it for name, it in kept.items() if it}


def _own(value: Mapping[str, Any]) -> Body:
    return {name: it for name, it in value.items() if name not in _OF_SERVER}


def _email(key: TypedValue, like: Body) -> Body:
    return _with(like, {"value": key.value, "type": key.kind})


def _phone(key: TypedValue, like: Body) -> Body:
    return _with(like, {"value": key.value, "type": _PHONE_TYPES.get(key.kind, "")})


def _address(key: Property, _like: Body) -> Body:
    parts = [said_by(found[1]) for found in _PART.finditer(key.value)]
    return _with({}, dict(zip(_ADDRESS, parts, strict=False)) | {"type": _type_of(key)})


def _url(key: Property, _like: Body) -> Body:
    return _with({}, {"value": said_by(key.value), "type": _type_of(key)})


def _nickname(key: Property, _like: Body) -> Body:
    return {"value": said_by(key.value)}


def _birthday(key: Property, _like: Body) -> Body:
    found = _DAY.fullmatch(said_by(key.value))
    if found is None:
        return {}
    year, month, day = (int(it or 0) for it in found.groups())
    return {"date": {"month": month, "day": day} | ({"year": year} if year else {})}


def _type_of(key: Property) -> str:
    return next((kind for kind in ("home", "work") if kind in key.types()), "")


_MAKERS: dict[str, Callable[[Property, Body], Body]] = {
    "addresses": _address, "urls": _url, "nicknames": _nickname, "birthdays": _birthday,
}  # fmt: skip
