"""Google People v1: the contacts of an account, with sync tokens that say what is gone."""

import itertools
from datetime import UTC, datetime
from typing import Any

from tests.machines.google.refusing import Refused
from tests.machines.google.server import Asked, GoogleServer
from tests.machines.google.tokens import Tokens

_SINGLE = ("biographies", "birthdays", "genders", "names")
FIELDS = {
    "addresses", "ageRanges", "biographies", "birthdays", "calendarUrls", "clientData",
    "coverPhotos", "emailAddresses", "events", "externalIds", "genders", "imClients", "interests",
    "locales", "locations", "memberships", "metadata", "miscKeywords", "names", "nicknames",
    "occupations", "organizations", "phoneNumbers", "photos", "relations", "sipAddresses", "skills",
    "urls", "userDefined",
}  # fmt: skip
_WRITTEN = FIELDS - {"ageRanges", "coverPhotos", "metadata", "photos", "skills"}
_OF_NAMES = ("honorificPrefix", "givenName", "middleName", "familyName", "honorificSuffix")


class People:
    """The service: contacts by their resource name, and in which revision each changed."""

    def __init__(self, server: GoogleServer) -> None:
        self.server, self.tokens = server, Tokens()
        self.revisions, self.revision = itertools.count(1), 0
        self.contacts: dict[str, dict[str, Any]] = {}
        self.changed: dict[str, int] = {}
        # Whether the account has contacts at all.
        self.is_there = True
        server.handlers |= {
            "people.people.connections.list": self.list_connections,
            "people.people.getBatchGet": self.batch_get,
            "people.people.get": self.get,
            "people.people.createContact": self.create,
            "people.people.updateContact": self.update,
            "people.people.deleteContact": self.delete,
        }

    def expire(self) -> None:
        """Forget all sync tokens."""
        self.tokens.syncs.clear()

    # -- reading -----------------------------------------------------------------------------------
    def list_connections(self, asked: Asked) -> dict[str, Any]:
        if asked["resourceName"] != "people/me":
            raise Refused(400, "INVALID_ARGUMENT", "Only people/me")
        if not self.is_there:
            raise Refused(404, "NOT_FOUND")
        rest = {k: v for k, v in asked.parameters.items() if k not in ("pageToken", "syncToken")}
        call, most = ("people", repr(sorted(rest.items()))), asked.get("pageSize") or 100
        if not 1 <= most <= 1000:
            raise Refused(400, "INVALID_ARGUMENT", "Page size")
        if asked.get("pageToken"):
            page = self.tokens.next_page(call, asked["pageToken"], most)
        else:
            found = self._found(asked, call)
            wants = asked.get("requestSyncToken", False)
            token = self.tokens.sync(call, self.revision) if wants else ""
            page = self.tokens.page(call, found, token, most)
        page["connections"] = page.pop("items")
        return page if page["connections"] else {k: v for k, v in page.items() if v}

    def _found(self, asked: Asked, call: Any) -> list[dict[str, Any]]:
        since = -1
        if token := asked.get("syncToken"):
            known, since = self.tokens.syncs.get(token, (None, -1))
            if known is None:
                raise Refused(400, "EXPIRED_SYNC_TOKEN", "Sync token is expired.")
            if known != call:
                raise Refused(400, "INVALID_ARGUMENT", "The parameters are others than before")
        fields = _mask(asked)
        return [
            _shown(person, fields)
            for name, person in self.contacts.items()
            if self.changed[name] > since
            and (since >= 0 or not person["metadata"].get("deleted"))
        ]  # fmt: skip

    def get(self, asked: Asked) -> dict[str, Any]:
        return _shown(self._person(asked["resourceName"]), _mask(asked))

    def batch_get(self, asked: Asked) -> dict[str, Any]:
        names, fields = asked.get("resourceNames", []), _mask(asked)
        if not 1 <= len(names) <= 200:
            raise Refused(400, "INVALID_ARGUMENT", "1 to 200")
        return {"responses": [self._response(name, fields) for name in names]}

    def _response(self, name: str, fields: set[str]) -> dict[str, Any]:
        try:
            person = _shown(self._person(name), fields)
        except Refused:
            said = {"code": 5, "message": "not found"}
            return {"httpStatusCode": 404, "requestedResourceName": name, "status": said}
        return {"httpStatusCode": 200, "requestedResourceName": name, "person": person}

    def _person(self, name: str) -> dict[str, Any]:
        found = self.contacts.get(name)
        if found is None or found["metadata"].get("deleted"):
            raise Refused(404, "NOT_FOUND", "Requested entity was not found.")
        return found

    # -- writing -----------------------------------------------------------------------------------
    def create(self, asked: Asked) -> dict[str, Any]:
        body = dict(asked.body)
        if {"resourceName", "etag", "metadata"} & body.keys():
            raise Refused(400, "INVALID_ARGUMENT", "They are the server's to give")
        _check(body)
        name = f"people/c{len(self.contacts) + 4096}"
        return _shown(self._keep(name, body), _mask(asked))

    def update(self, asked: Asked) -> dict[str, Any]:
        person, body = self._person(asked["resourceName"]), asked.body
        fields = set(asked["updatePersonFields"].split(","))
        if not fields <= _WRITTEN:
            raise Refused(400, "INVALID_ARGUMENT", "Invalid updatePersonFields mask")
        named = (body.keys() & FIELDS) - {"metadata"}
        if not named <= fields:
            raise Refused(400, "INVALID_ARGUMENT", f"not in the mask: {sorted(named - fields)}")
        sources = body.get("metadata", {}).get("sources", ())
        etags = [it.get("etag") for it in sources if it.get("type") == "CONTACT"]
        if not etags:
            raise Refused(400, "INVALID_ARGUMENT", "person.metadata.sources is not specified")
        if etags != [it["etag"] for it in person["metadata"]["sources"]]:
            raise Refused(400, "failedPrecondition", "Request person.etag is different")
        _check(body)
        kept = {name: value for name, value in person.items() if name not in fields}
        return _shown(self._keep(asked["resourceName"], kept | {n: body[n] for n in named}),
                      _mask(asked))  # fmt: skip

    def delete(self, asked: Asked) -> dict[str, Any]:
        person = self._person(asked["resourceName"])
        self._keep(asked["resourceName"], person)["metadata"]["deleted"] = True
        return {}

    def _keep(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        self.revision = next(self.revisions)
        source = {
            "type": "CONTACT", "id": name[8:], "etag": f"#{self.revision}",
            "updateTime": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
        }  # fmt: skip
        rest = {key: value for key, value in body.items() if value and key != "metadata"}
        person = {
            **rest, "resourceName": name, "etag": f"%{self.revision}",
            "metadata": {"sources": [source], "objectType": "PERSON"},
        }  # fmt: skip
        for value in person.get("names", ()):
            _spell(value)
        for field in FIELDS & person.keys() - {"metadata"}:
            for number, value in enumerate(person[field]):
                own = {"source": {"type": "CONTACT", "id": name[8:]}}
                value["metadata"] = own | ({"primary": True} if number == 0 else {})
        self.contacts[name], self.changed[name] = person, self.revision
        return person


def _spell(name: dict[str, Any]) -> None:
    """Have a name say how it is shown; one that was written in one piece is taken apart."""
    if not any(name.get(part) for part in _OF_NAMES) and name.get("unstructuredName"):
        given, _, family = name["unstructuredName"].rpartition(" ")
        name |= {"givenName": given, "familyName": family} if given else {"givenName": family}
    shown = " ".join(name[part] for part in _OF_NAMES if name.get(part))
    name |= {"displayName": shown, "unstructuredName": shown}


def _mask(asked: Asked) -> set[str]:
    fields = set(filter(None, asked.get("personFields", "").split(",")))
    if not fields or not fields <= FIELDS:
        raise Refused(400, "INVALID_ARGUMENT", "Invalid personFields mask")
    if asked.get("sources", ["READ_SOURCE_TYPE_CONTACT"]) != ["READ_SOURCE_TYPE_CONTACT"]:
        raise Refused(501, "notImplemented")
    return fields


def _check(body: dict[str, Any]) -> None:
    if any(len(body.get(name, ())) > 1 for name in _SINGLE):
        raise Refused(400, "INVALID_ARGUMENT", "More than one of what there is one of")


def _shown(person: dict[str, Any], fields: set[str]) -> dict[str, Any]:
    always = {"resourceName", "etag"}
    if person["metadata"].get("deleted"):
        return {name: person[name] for name in (*always, "metadata")}
    return {name: value for name, value in person.items() if name in fields | always}
