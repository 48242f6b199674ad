"""Programs that change contacts and to-dos at random: by DAV, at Google and at Microsoft.

What each makes has a mark that nobody changes: an address of a contact, the text of a to-do.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from tests.dav_servers import PASSWORD
from tests.inbox.providers.dav.stages import DavStage
from tests.inbox.providers.google import stages as at_google
from tests.inbox.providers.graph import stages as at_graph
from tests.inbox.syncing.collections.random_jmap import cards_at_stand_in, contacts_at_cyrus
from tests.inbox.syncing.collections.random_program import Acts, RandomProgram
from tests.machines.google.everything import google_server
from tests.machines.graph.server import graph_server

MARK = re.compile(r"[a-z0-9]+-\d+@random\.example")
# What we do not know of an item, and leave as it is.
_UNKNOWN = "as it is"


class RandomItems(RandomProgram):
    """Makes, changes and removes items, whose mark names them."""

    def __init__(self, kind: str, client: httpx.Client, seed: int, rounds: int) -> None:
        super().__init__(seed, rounds)
        self._kind, self._client = kind, client

    def acts(self) -> Acts:
        return {self._make: 3, self._change: 6, self._remove: 2}

    def _make(self, number: int) -> None:
        mark = f"{self._name}-{number}@random.example"
        if self.create(mark, self._words()).is_success:
            self.made.add(mark)

    def _change(self, _number: int) -> None:
        if found := self.items():
            self.change(self._chance.choice(found), self._words())

    def _remove(self, _number: int) -> None:
        if found := self.items():
            item = self._chance.choice(found)
            if self.remove(item).is_success:
                self.removed.add(MARK.search(json.dumps(item))[0])

    def create(self, mark: str, words: str) -> httpx.Response:
        raise NotImplementedError

    def items(self) -> list[dict[str, Any]]:
        raise NotImplementedError

    def change(self, item: dict[str, Any], words: str) -> None:
        raise NotImplementedError

    def remove(self, item: dict[str, Any]) -> httpx.Response:
        raise NotImplementedError


# -- by DAV ----------------------------------------------------------------------------------------
_NEW = {
    "contacts": "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{mark}\r\nFN:{words}\r\nN:{words};;;;\r\n"
    "EMAIL:{mark}\r\nX-RANDOM:as it is\r\nEND:VCARD\r\n",
    "todos": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Random//Program//EN\r\nBEGIN:VTODO\r\n"
    "UID:{mark}\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:{words}\r\nDESCRIPTION:{mark}\r\n"
    "X-RANDOM:as it is\r\nEND:VTODO\r\nEND:VCALENDAR\r\n",
}  # fmt: skip
_LINES = {"contacts": ("TITLE", "NOTE", "ORG"), "todos": ("SUMMARY", "STATUS", "DUE")}


class RandomDavItems(RandomItems):
    """By CardDAV, and to-dos by CalDAV."""

    def __init__(self, stage: Any, seed: int, rounds: int) -> None:
        super().__init__(stage.collection.kind, stage.server.client(stage.user), seed, rounds)
        self._store, self._collection = stage.reopened(), stage.collection

    def create(self, mark: str, words: str) -> httpx.Response:
        # Some servers go by the ending.
        ending = "vcf" if self._kind == "contacts" else "ics"
        url = f"{self._collection.id}{mark.partition('@')[0]}.{ending}"
        said = _NEW[self._kind].format(mark=mark, words=_escaped(words))
        return self._put(url, said, {"If-None-Match": "*"})

    def items(self) -> list[dict[str, Any]]:
        entries = self._store.changes(self._collection, "").present
        if not entries:
            return []
        url = httpx.URL(self._collection.id).join(self._chance.choice(entries).id)
        answer = self._client.get(url)
        fits = answer.is_success and MARK.search(answer.text)
        return [
            {"url": str(url), "etag": answer.headers["ETag"], "text": answer.text}
        ] if fits else []  # fmt: skip

    def change(self, item: dict[str, Any], words: str) -> None:
        name = self._chance.choice(_LINES[self._kind])
        value = {"STATUS": "COMPLETED", "DUE": "20260302T120000Z"}.get(name, _escaped(words))
        end = "END:VCARD" if self._kind == "contacts" else "END:VTODO"
        body, after = item["text"].split(end, 1)
        body = re.sub(rf"^{name}[:;].*\r?\n(?:[ \t].*\r?\n)*", "", body, flags=re.MULTILINE)
        self._put(item["url"], f"{body}{name}:{value}\r\n{end}{after}", {"If-Match": item["etag"]})

    def remove(self, item: dict[str, Any]) -> httpx.Response:
        return self._client.delete(item["url"], headers={"If-Match": item["etag"]})

    def _put(self, url: str, text: str, headers: dict[str, str]) -> httpx.Response:
        kind = "text/vcard" if self._kind == "contacts" else "text/calendar"
        headers = headers | {"Content-Type": f"{kind}; charset=utf-8"}
        return self._client.put(url, content=text.encode(), headers=headers)


def _escaped(words: str) -> str:
    return words.replace(",", "\\,").replace(";", "\\;")


# -- at Google -------------------------------------------------------------------------------------
_SHOWN = {"personFields": "names,emailAddresses,organizations,biographies,userDefined,metadata"}


class RandomPeople(RandomItems):
    """Contacts by People."""

    def create(self, mark: str, words: str) -> httpx.Response:
        body = {
            "names": [{"givenName": words, "familyName": "Random"}],
            "emailAddresses": [{"value": mark}],
            "userDefined": [{"key": "random", "value": _UNKNOWN}],
        }
        return self._client.post("/v1/people:createContact", params=_SHOWN, json=body)

    def items(self) -> list[dict[str, Any]]:
        query = {**_SHOWN, "pageSize": "1000"}
        page = self._client.get("/v1/people/me/connections", params=query).json()
        return page.get("connections", [])

    def change(self, item: dict[str, Any], words: str) -> None:
        name, values = self._chance.choice([
            ("names", [{"givenName": words, "familyName": "Changed"}]),
            ("organizations", [{"name": words, "title": "Keeper"}]),
            ("biographies", [{"value": words}]),
        ])  # fmt: skip
        body = {name: values, "metadata": {"sources": item["metadata"]["sources"]}}
        url = f"/v1/{item['resourceName']}:updateContact"
        self._client.patch(url, params={**_SHOWN, "updatePersonFields": name}, json=body)

    def remove(self, item: dict[str, Any]) -> httpx.Response:
        return self._client.delete(f"/v1/{item['resourceName']}:deleteContact")


class RandomTasks(RandomItems):
    """To-dos by Tasks."""

    path = ""

    def create(self, mark: str, words: str) -> httpx.Response:
        return self._client.post(self.path, json={"title": words, "notes": mark})

    def items(self) -> list[dict[str, Any]]:
        query = {"maxResults": "100", "showHidden": "true"}
        return self._client.get(self.path, params=query).json().get("items", [])

    def change(self, item: dict[str, Any], words: str) -> None:
        body = self._chance.choice([
            {"title": words}, {"due": f"2026-03-{self._chance.randint(1, 28):02}T00:00:00.000Z"},
            {"status": self._chance.choice(("completed", "needsAction"))},
        ])  # fmt: skip
        headers = {"If-Match": item["etag"]}
        self._client.patch(f"{self.path}/{item['id']}", json=body, headers=headers)

    def remove(self, item: dict[str, Any]) -> httpx.Response:
        headers = {"If-Match": item["etag"]}
        return self._client.delete(f"{self.path}/{item['id']}", headers=headers)


# -- at Microsoft ----------------------------------------------------------------------------------
class RandomGraphItems(RandomItems):
    """Contacts, and to-dos, by Graph."""

    def __init__(self, stage: Any, seed: int, rounds: int) -> None:
        super().__init__(stage.collection.kind, at_graph.client(stage.server), seed, rounds)
        self._stage = stage

    def create(self, mark: str, words: str) -> httpx.Response:
        body = {"title": words, "body": {"content": mark, "contentType": "text"}}
        if self._kind == "contacts":
            address = {"address": mark, "name": mark}
            body = {"displayName": words, "givenName": words, "surname": "Random",
                    "emailAddresses": [address], "spouseName": _UNKNOWN}  # fmt: skip
        return self._client.post(self._stage.path, json=body)

    def items(self) -> list[dict[str, Any]]:
        return self._client.get(self._stage.path, params={"$top": "100"}).json()["value"]

    def change(self, item: dict[str, Any], words: str) -> None:
        ways: list[dict[str, Any]] = [
            {"title": words}, {"status": self._chance.choice(("completed", "notStarted"))},
            {"importance": self._chance.choice(("high", "normal"))},
        ]  # fmt: skip
        if self._kind == "contacts":
            ways = [{"jobTitle": words}, {"companyName": words}, {"personalNotes": words}]
        headers = {"If-Match": item["@odata.etag"]}
        url = self._stage.at(item["id"])
        self._client.patch(url, json=self._chance.choice(ways), headers=headers)

    def remove(self, item: dict[str, Any]) -> httpx.Response:
        headers = {"If-Match": item["@odata.etag"]}
        return self._client.delete(self._stage.at(item["id"]), headers=headers)


# -- where they are at it --------------------------------------------------------------------------
@dataclass
class ItemPlace:
    """An empty collection, how we connect to it, and what makes programs that change it."""

    stage: Any
    provider: str
    settings: dict[str, Any]
    secret: str
    program: Callable[[int, int], RandomItems]
    # What is left as it is of each that a program made.
    unknown: Callable[[], list[str]]


_JMAP = {"cyrus-jmap": contacts_at_cyrus, "jmap": cards_at_stand_in}


@contextmanager
def items_at(name: str, kind: Any, request: Any) -> Iterator[ItemPlace]:
    """Have an empty address book, or an empty list of to-dos."""
    at = {"google": _google, "graph": _graph}.get(name)
    if at is not None:
        with at(kind) as place:
            yield place
        return
    if name in _JMAP:
        with _JMAP[name](request) as parts:
            yield ItemPlace(*parts)
        return
    server = request.getfixturevalue(name)
    user = "mira" if name == "xandikos" else server.new_user()
    stage = DavStage(server, user, kind)

    def unknown() -> list[str]:
        with stage.reopened() as store:
            ids = [entry.id for entry in store.changes(stage.collection, "").present]
            raws = [item.raw.decode() for item in store.fetch(stage.collection, ids)]
        return [_UNKNOWN if "X-RANDOM:as it is" in raw else "" for raw in raws if "UID:p" in raw]

    settings = {"url": f"{server.url}/", "username": user}
    yield ItemPlace(stage, "dav", settings, PASSWORD, lambda *how: RandomDavItems(stage, *how),
                    unknown)  # fmt: skip


@contextmanager
def _google(kind: str) -> Iterator[ItemPlace]:
    with google_server() as server:
        stage: Any = (at_google.PeopleStage if kind == "contacts" else at_google.TaskStage)(server)

        def program(seed: int, rounds: int) -> RandomItems:
            made = RandomPeople if kind == "contacts" else RandomTasks
            one = made(kind, at_google.other_client(server), seed, rounds)
            if isinstance(one, RandomTasks):
                one.path = stage.path
            return one

        def unknown() -> list[str]:
            kept = [
                it for it in server.people.contacts.values() if not it["metadata"].get("deleted")
            ]
            theirs = [it for it in kept if it["emailAddresses"][0]["value"].startswith("p")]
            return [it["userDefined"][0]["value"] for it in theirs]

        yield ItemPlace(
            stage, "google", {"api_url": server.url}, server.token(), program, unknown
        )  # fmt: skip
        assert server.violations == []


@contextmanager
def _graph(kind: str) -> Iterator[ItemPlace]:
    with graph_server() as server:
        box = server.add_account()
        stage: Any = (at_graph.ContactStage if kind == "contacts" else at_graph.TodoStage)(server)

        def unknown() -> list[str]:
            found = box.folders[stage.collection.id].contacts if kind == "contacts" else {}
            said = [it.fields for it in found.values()]
            theirs = [it for it in said if it["emailAddresses"][0]["address"].startswith("p")]
            return [it["spouseName"] for it in theirs]

        yield ItemPlace(
            stage, "graph", {"api_url": server.url}, server.sign_in(),
            lambda *how: RandomGraphItems(stage, *how), unknown,
        )  # fmt: skip
