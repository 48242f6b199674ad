"""Contacts of an account, in its own folder and in others."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.machines.api_server import Call, Reply
from tests.machines.graph.changes import Log, answer_delta
from tests.machines.graph.checking import check_answer, check_body, refuse
from tests.machines.graph.events import new_id, write_extended
from tests.machines.graph.mailbox import Served, body_of, check_match
from tests.machines.graph.queries import Asked, named_property, read_query, select
from tests.machines.graph.times import stamp

DEFAULT = ""
# How many of a kind Outlook has room for.
_MOST = {"emailAddresses": 3, "businessPhones": 2, "homePhones": 2}
_PLAIN: dict[str, Any] = {
    "displayName": "", "surname": None, "givenName": None, "middleName": None, "title": None,
    "generation": None, "nickName": None, "companyName": None, "department": None,
    "jobTitle": None, "personalNotes": "", "businessHomePage": None, "birthday": None,
    "emailAddresses": [], "businessPhones": [], "homePhones": [], "mobilePhone": None,
    "homeAddress": {}, "businessAddress": {}, "otherAddress": {}, "categories": [],
    "imAddresses": [], "children": [], "spouseName": None, "fileAs": "", "initials": None,
}  # fmt: skip


@dataclass
class Contact:
    """Somebody."""

    fields: dict[str, Any]
    created: datetime
    modified: datetime
    id: str = field(default_factory=new_id)
    extended: dict[str, str] = field(default_factory=dict)
    change: str = ""

    @property
    def etag(self) -> str:
        return f'W/"{self.change}"'


@dataclass
class Folder:
    """A folder of contacts; the account's own one has no id."""

    name: str
    id: str = field(default_factory=new_id)
    contacts: dict[str, Contact] = field(default_factory=dict)
    log: Log = field(default_factory=Log)


def list_folders(served: Served, call: Call) -> Reply:
    asked = read_query(call, "contactFolder", {"$select", "$top"})
    found = [
        select(asked, {"id": one.id, "displayName": one.name, "parentFolderId": "root"})
        for one in served.box.folders.values()
        if one.id != DEFAULT
    ]
    return served.page(call, "contactFolder", found, asked)


def list_contacts(served: Served, call: Call, id: str = DEFAULT) -> Reply:  # noqa: A002
    asked = read_query(call, "contact", {"$select", "$top", "$filter"})
    found = list(_folder(served, id).contacts.values())
    if asked.filter:
        name, value = named_property(asked.filter)
        found = [one for one in found if one.extended.get(name) == value]
    return served.page(call, "contact", [_answer(served, call, asked, it) for it in found], asked)


def delta(served: Served, call: Call, id: str = DEFAULT) -> Reply:  # noqa: A002
    folder = _folder(served, id)

    def show(one: str) -> dict[str, Any]:
        return _answer(served, call, Asked(), folder.contacts[one])

    return answer_delta(served, call, "contact", folder.log, show)


def get_contact(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "contact", {"$select", "$expand"})
    full = _answer(served, call, asked, _find(served, id)[1])
    check_answer("contact", full)
    return Reply(body=full)


def create_contact(served: Served, call: Call, id: str = DEFAULT) -> Reply:  # noqa: A002
    asked = read_query(call, "contact", set())
    folder, moment = _folder(served, id), served.now()
    made = Contact(dict(_PLAIN), moment, moment)
    _write(made, body_of(call), moment)
    folder.contacts[made.id] = made
    folder.log.touch(made.id)
    return Reply(201, _answer(served, call, asked, made))


def update_contact(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "contact", set())
    folder, found = _find(served, id)
    check_match(call, found.etag)
    _write(found, body_of(call), served.now())
    folder.log.touch(found.id)
    return Reply(body=_answer(served, call, asked, found))


def delete_contact(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    read_query(call, "contact", set())
    folder, found = _find(served, id)
    check_match(call, found.etag)
    del folder.contacts[found.id]
    folder.log.drop(found.id)
    return Reply(204)


def _write(contact: Contact, body: dict[str, Any], moment: datetime) -> None:
    check_body("contact", body)
    for name, most in _MOST.items():
        if len(body.get(name) or ()) > most:
            raise refuse(f"{name} has room for {most}", "ErrorInvalidProperty")
    for each in body.get("emailAddresses") or ():
        if "@" not in (each.get("address") or ""):
            raise refuse("an address is none", "ErrorInvalidProperty")
    kept = {name: value for name, value in body.items() if name != "singleValueExtendedProperties"}
    if unknown := kept.keys() - _PLAIN.keys():
        raise refuse(f"the stand-in does not keep {sorted(unknown)}")
    contact.fields |= kept
    write_extended(contact.extended, body)
    contact.modified, contact.change = moment, secrets.token_urlsafe(18)


def _answer(served: Served, call: Call, asked: Asked, contact: Contact) -> dict[str, Any]:
    full = {
        **contact.fields, "id": contact.id, "changeKey": contact.change,
        "createdDateTime": stamp(contact.created), "parentFolderId": "folder",
        "lastModifiedDateTime": stamp(contact.modified),
    }  # fmt: skip
    found = select(asked, full) | {"@odata.etag": contact.etag}
    if (wanted := asked.expand.get("singleValueExtendedProperties")) is not None:
        names = wanted & contact.extended.keys()
        if kept := [{"id": name, "value": contact.extended[name]} for name in sorted(names)]:
            found["singleValueExtendedProperties"] = kept
    return served.with_ids(call, found, ("id",))


def _folder(served: Served, id: str) -> Folder:  # noqa: A002
    found = served.box.folders.get(id)
    if found is None:
        raise refuse("The specified folder could not be found.", "ErrorItemNotFound", 404)
    return found


def _find(served: Served, id: str) -> tuple[Folder, Contact]:  # noqa: A002
    for folder in served.box.folders.values():
        if id in folder.contacts:
            return folder, folder.contacts[id]
    raise refuse("The specified object was not found in the store.", "ErrorItemNotFound", 404)


def everybody(folder: Folder) -> Iterator[dict[str, Any]]:
    """Yield what is said of each contact, for tests."""
    return (one.fields for one in folder.contacts.values())
