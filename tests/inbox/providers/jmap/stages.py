"""Collections at a Cyrus and at the stand-in, with the store under test and another program that speaks JMAP."""

import itertools
import json
from typing import Any

import httpx
from icalendar import Calendar

from inbox.accounts.credentials import Secret
from inbox.formats.content_lines import read_blocks
from inbox.providers.base import Connection
from inbox.providers.change_store import Collection
from inbox.providers.jmap.calendars import events
from inbox.providers.jmap.collections import JmapCollections
from inbox.providers.jmap.contacts.cards import id_of
from inbox.providers.jmap.contacts.drafted import ALL
from inbox.providers.jmap.resource import CORE, CYRUS_CALENDARS, CYRUS_CONTACTS
from tests.cyrus import PASSWORD, Cyrus
from tests.inbox.providers.dav.stages import escaped, unescaped
from tests.machines.jmap.cards import check_card
from tests.machines.jmap.events import check_event
from tests.machines.jmap.server import ACCOUNT, JmapServer
from tests.trust import trust

_numbers = itertools.count(1)

_CARD = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{uid}\r\nFN:{title}\r\nN:{title};;;;\r\n{note}END:VCARD\r\n"
)


class Program:
    """Another program of a user: it calls methods, and answers with what they say."""

    def __init__(self, cyrus: Cyrus, user: str) -> None:
        self.user = user
        self._http = httpx.Client(
            base_url=cyrus.url, auth=(user, PASSWORD), trust_env=False, timeout=60, verify=trust()
        )
        self._numbers = itertools.count(1)

    def close(self) -> None:
        self._http.close()

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Return what a method answers; it has to be run."""
        calls = [[name, {"accountId": self.user, **arguments}, "0"]]
        body = {"using": [CORE, CYRUS_CONTACTS, CYRUS_CALENDARS], "methodCalls": calls}
        answer = self._http.post("/jmap/", json=body)
        assert answer.is_success, answer.text
        [[said, found, _key]] = answer.json()["methodResponses"]
        assert said == name, found
        return found

    def delete(self, path: str) -> None:
        """Remove a collection, which can be done by DAV alone."""
        answer = self._http.delete(path)
        assert answer.is_success, answer.text

    def make(self, kind: str, **fields: Any) -> str:
        """Make an object; return its id."""
        found = self.call(f"{kind}/set", create={"new": fields})
        assert found["created"], found
        return found["created"]["new"]["id"]

    def change(self, kind: str, id: str, **patch: Any) -> None:  # noqa: A002
        found = self.call(f"{kind}/set", update={id: patch})
        assert found["updated"], found

    def destroy(self, kind: str, id: str) -> None:  # noqa: A002
        found = self.call(f"{kind}/set", destroy=[id])
        assert found["destroyed"], found

    def get(self, kind: str, id: str) -> dict[str, Any]:  # noqa: A002
        [found] = self.call(f"{kind}/get", ids=[id])["list"]
        return found


class CyrusStage:
    """What stages of contacts and of calendars have alike."""

    collection: Collection
    kind: str
    # Where it is by DAV.
    path: str

    def __init__(self, cyrus: Cyrus, user: str = "") -> None:
        self.cyrus, self.user = cyrus, user or cyrus.new_user()
        self.program = Program(cyrus, self.user)
        self.ids: dict[str, str] = {}
        self.open()
        self.store = self.reopened()

    def open(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.store.close()
        self.program.close()

    def other_program(self) -> Program:
        """Return a program of the same user."""
        return Program(self.cyrus, self.user)

    def connection(self, **settings: Any) -> Connection:
        given = {**self.cyrus.settings(self.user), **settings}
        return Connection("office@lantern.example", given, Secret(PASSWORD))

    def reopened(self) -> JmapCollections:
        return JmapCollections(self.connection())

    def remove(self, uid: str) -> None:
        self.program.destroy(self.kind, self.ids.pop(uid))

    def remove_collection(self) -> None:
        self.program.delete(self.path)

    def forgotten(self, position: str) -> str:
        return json.dumps({"state": f"{json.loads(position)['state']}-of-another-server"})


class ContactStage(CyrusStage):
    """The contacts of somebody who has none."""

    kind = "Contact"

    def open(self) -> None:
        self.collection = Collection(ALL, "contacts", "Contacts")
        self.path = f"/dav/addressbooks/user/{self.user}/Default/"

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        said = f"NOTE:{note}\r\n" if note else ""
        return _CARD.format(uid=uid, title=escaped(title), note=said).encode()

    def title(self, raw: bytes) -> str:
        [card] = read_blocks(raw.decode())
        [line] = card.lines("FN")
        return unescaped(line.partition(":")[2])

    def put(self, uid: str, title: str, **more: Any) -> None:
        if uid in self.ids:
            self.program.change(self.kind, self.ids[uid], lastName=title, **more)
        else:
            self.ids[uid] = self.program.make(self.kind, lastName=title, **more)


_EVENT = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Lantern//Office//EN\r\nBEGIN:VEVENT\r\n"
    "UID:{uid}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260110T100000Z\r\n"
    "DTEND:20260110T110000Z\r\nSUMMARY:{title}\r\n{note}END:VEVENT\r\nEND:VCALENDAR\r\n"
)
TIMES = {
    "start": "2026-01-10T10:00:00", "timeZone": "Etc/UTC", "duration": "PT1H",
    "showWithoutTime": False,
}  # fmt: skip


def event_item(uid: str, title: str, note: str = "") -> bytes:
    """Return an event as our side would write it."""
    said = f"DESCRIPTION:{note}\r\n" if note else ""
    return _EVENT.format(uid=f"{uid}@lantern.example", title=escaped(title), note=said).encode()


def event_title(raw: bytes) -> str:
    """Return the title of an event."""
    [text] = [
        str(each["SUMMARY"]) for each in Calendar.from_ical(raw).subcomponents if "SUMMARY" in each
    ]
    return text


class CalendarStage(CyrusStage):
    """A new calendar of somebody."""

    kind = "CalendarEvent"

    def open(self) -> None:
        name = f"Place {next(_numbers)}"
        self.calendar = self.program.make("Calendar", name=name)
        self.collection = Collection(events.id_of(self.calendar), "calendar", name)
        self.path = f"/dav/calendars/user/{self.user}/{self.calendar}/"

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        return event_item(uid, title, note)

    def title(self, raw: bytes) -> str:
        return event_title(raw)

    def make(self, **fields: Any) -> str:
        """Make an event as the other program; return its id."""
        said = {"@type": "jsevent", **TIMES, **fields}
        return self.program.make(self.kind, calendarId=self.calendar, **said)

    def put(self, uid: str, title: str, **more: Any) -> None:
        if uid in self.ids:
            self.program.change(self.kind, self.ids[uid], title=title, **more)
        else:
            self.ids[uid] = self.make(uid=f"{uid}@lantern.example", title=title, **more)


class ServedStage:
    """What stages at the stand-in have alike."""

    holder: str
    kind: str
    collection: Collection

    def __init__(self, server: JmapServer) -> None:
        self.server, self.ids = server, dict[str, str]()
        self.name = f"Place {next(_numbers)}"
        rights = {"mayRead": True, "mayWrite": True, "mayReadItems": True, "mayWriteAll": True}
        self.place = server.add(self.holder, {"name": self.name, "myRights": rights})
        self.open()
        self.store = self.reopened()

    def open(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.store.close()

    def connection(self, token: str = "", **settings: Any) -> Connection:
        given = {"jmap_url": self.server.url, "auth": "oauth", **settings}
        secret = Secret(token or self.server.issue(ACCOUNT))
        return Connection("office@lantern.example", given, secret)

    def reopened(self) -> JmapCollections:
        return JmapCollections(self.connection())

    def remove(self, uid: str) -> None:
        self.server.destroy(self.kind, self.ids.pop(uid))

    def forgotten(self, position: str) -> str:
        self.server.forget_changes()
        return position

    def remove_collection(self) -> None:
        self.server.empty(self.kind)
        self.server.destroy(self.holder, self.place)


class CardStage(ServedStage):
    """An empty address book at the stand-in for RFC 9610."""

    holder, kind = "AddressBook", "ContactCard"

    def open(self) -> None:
        self.book = self.place
        self.collection = Collection(id_of(self.book), "contacts", self.name)

    item, title = ContactStage.item, ContactStage.title

    def card(self, uid: str) -> dict[str, Any]:
        return self.server.cards[self.ids[uid]]

    def put(self, uid: str, title: str, **more: Any) -> None:
        name = {"components": [{"kind": "surname", "value": title}]}
        with self.server.lock:
            if uid in self.ids:
                self.server.change("ContactCard", self.ids[uid], {"name": name, **more})
                return
            card = {"@type": "Card", "version": "1.0", "uid": f"{uid}-{self.book}", "name": name}
            card |= {"addressBookIds": {self.book: True}, **more}
            assert check_card(card) == []
            self.ids[uid] = self.server.add("ContactCard", card)


class EventStage(ServedStage):
    """An empty calendar at the stand-in."""

    holder, kind = "Calendar", "CalendarEvent"

    def open(self) -> None:
        self.calendar = self.place
        self.collection = Collection(events.id_of(self.calendar), "calendar", self.name)

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        return event_item(uid, title, note)

    def title(self, raw: bytes) -> str:
        return event_title(raw)

    def make(self, **fields: Any) -> str:
        """Make an event as the other program; return its id."""
        said = {"@type": "Event", "calendarIds": {self.calendar: True}, **TIMES, **fields}
        with self.server.lock:
            assert check_event(said) == []
            return self.server.add("CalendarEvent", said)

    def put(self, uid: str, title: str, **more: Any) -> None:
        if uid in self.ids:
            with self.server.lock:
                self.server.change(self.kind, self.ids[uid], {"title": title, **more})
        else:
            self.ids[uid] = self.make(uid=f"{uid}@lantern.example", title=title, **more)
