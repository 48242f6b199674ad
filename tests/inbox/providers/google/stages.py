"""A collection at the stand-in for Google, with the store under test and another client."""

import itertools
import json
from typing import Any

import httpx
from icalendar import Calendar as ICalendar

from inbox.accounts.credentials import Secret
from inbox.formats.content_lines import read_blocks
from inbox.providers.base import Connection
from inbox.providers.change_store import Collection
from inbox.providers.google.store import GoogleStore
from tests.inbox.providers.dav.stages import escaped, unescaped
from tests.machines.google.event_rules import Calendar
from tests.machines.google.everything import Google
from tests.machines.google.tasks import TaskList
from tests.trust import trust

_numbers = itertools.count(1)
_EVENT = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Lantern//Office//EN\r\nBEGIN:VEVENT\r\n"
    "UID:{uid}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260110T100000Z\r\n"
    "DTEND:20260110T110000Z\r\nSUMMARY:{title}\r\n{note}END:VEVENT\r\nEND:VCALENDAR\r\n"
)
_TODO = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Lantern//Office//EN\r\nBEGIN:VTODO\r\n"
    "UID:{uid}\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:{title}\r\n{note}END:VTODO\r\n"
    "END:VCALENDAR\r\n"
)
_CARD = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{uid}\r\nFN:{title}\r\nN:{title};;;;\r\n{note}END:VCARD\r\n"
)


def connection(server: Google, *scopes: str, **settings: Any) -> Connection:
    """Return how the account's source is reached."""
    given = {"api_url": server.url, "auth": "oauth", **settings}
    return Connection(server.address, given, Secret(server.token(*scopes)))


def other_client(server: Google) -> httpx.Client:
    """Return a program of somebody else's that is signed in as well."""
    headers = {"Authorization": f"Bearer {server.token()}"}
    return httpx.Client(
        base_url=server.url, headers=headers, trust_env=False, timeout=20, verify=trust()
    )


class CalendarStage:
    """An empty calendar."""

    def __init__(self, server: Google) -> None:
        self.server, self.calendars = server, server.calendars
        name = f"place{next(_numbers)}@group.calendar.google.com"
        self.calendar = self.calendars.add(Calendar(name, "Place"))
        self.collection = Collection(name, "calendar", "Place")
        self.client = other_client(server)
        self.store = self.reopened()

    def close(self) -> None:
        self.store.close()
        self.client.close()

    def reopened(self) -> GoogleStore:
        return GoogleStore(connection(self.server))

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        said = f"DESCRIPTION:{note}\r\n" if note else ""
        uid = f"{uid}@lantern.example"
        return _EVENT.format(uid=uid, title=escaped(title), note=said).encode()

    def title(self, raw: bytes) -> str:
        [text] = {str(each["SUMMARY"]) for each in ICalendar.from_ical(raw).events}
        return text

    @property
    def path(self) -> str:
        return f"/calendar/v3/calendars/{self.calendar.id}/events"

    def id_of(self, uid: str) -> str:
        events = self.calendar.events.values()
        return next((it["id"] for it in events if it["iCalUID"] == f"{uid}@lantern.example"), "")

    def post(self, **body: Any) -> dict[str, Any]:
        """Make an event as the other client."""
        when = {
            "start": {"dateTime": "2026-01-10T10:00:00Z"},
            "end": {"dateTime": "2026-01-10T11:00:00Z"},
        }
        return good(self.client.post(self.path, params=SILENT, json=when | body))

    def patch(self, key: str, **body: Any) -> dict[str, Any]:
        """Change an event as the other client."""
        return good(self.client.patch(f"{self.path}/{key}", params=SILENT, json=body))

    def put(self, uid: str, title: str) -> None:
        if key := self.id_of(uid):
            self.patch(key, summary=title)
        else:
            self.post(iCalUID=f"{uid}@lantern.example", summary=title)

    def remove(self, uid: str) -> None:
        good(self.client.delete(f"{self.path}/{self.id_of(uid)}", params=SILENT))

    def forgotten(self, position: str) -> str:
        self.calendars.expire()
        return position

    def remove_collection(self) -> None:
        del self.calendars.calendars[self.calendar.id]


class TaskStage:
    """An empty list of to-dos."""

    def __init__(self, server: Google) -> None:
        self.server, self.tasks = server, server.tasks
        name = f"list{next(_numbers)}"
        self.list = self.tasks.add(TaskList(name, "Errands"))
        self.collection = Collection(name, "todos", "Errands")
        self.client = other_client(server)
        self.store = self.reopened()
        self.ids: dict[str, str] = {}

    def close(self) -> None:
        self.store.close()
        self.client.close()

    def reopened(self) -> GoogleStore:
        return GoogleStore(connection(self.server))

    def item(self, uid: str, title: str, note: str = "", more: str = "") -> bytes:
        said = f"DESCRIPTION:{note}\r\n" if note else ""
        uid = f"{uid}@lantern.example"
        return _TODO.format(uid=uid, title=escaped(title), note=said + more).encode()

    def title(self, raw: bytes) -> str:
        [todo] = ICalendar.from_ical(raw).todos
        return str(todo["SUMMARY"])

    @property
    def path(self) -> str:
        return f"/tasks/v1/lists/{self.list.id}/tasks"

    def put(self, uid: str, title: str, **more: str) -> None:
        body = {"title": title, **more}
        if uid in self.ids:
            good(self.client.patch(f"{self.path}/{self.ids[uid]}", json=body))
        else:
            self.ids[uid] = good(self.client.post(self.path, json=body))["id"]

    def remove(self, uid: str) -> None:
        good(self.client.delete(f"{self.path}/{self.ids[uid]}"))

    def forgotten(self, position: str) -> str:
        return json.dumps(json.loads(position) | {"whole_at": "2026-01-01T00:00:00+00:00"})

    def remove_collection(self) -> None:
        del self.tasks.lists[self.list.id]


class PeopleStage:
    """The contacts of an account who has none."""

    def __init__(self, server: Google) -> None:
        self.server, self.people = server, server.people
        self.collection = Collection("people/me", "contacts", "Google Contacts")
        self.client = other_client(server)
        self.store = self.reopened()
        self.names: dict[str, str] = {}

    def close(self) -> None:
        self.store.close()
        self.client.close()

    def reopened(self) -> GoogleStore:
        return GoogleStore(connection(self.server))

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        said = f"NOTE:{note}\r\n" if note else ""
        return _CARD.format(uid=uid, title=escaped(title), note=said).encode()

    def title(self, raw: bytes) -> str:
        [card] = read_blocks(raw.decode())
        [line] = card.lines("FN")
        return unescaped(line.partition(":")[2])

    def put(self, uid: str, title: str, **more: Any) -> dict[str, Any]:
        body = {"names": [{"familyName": title}], **more}
        if uid not in self.names:
            made = good(self.client.post(
                "/v1/people:createContact", params={"personFields": "metadata"}, json=body
            ))  # fmt: skip
            self.names[uid] = made["resourceName"]
            return made
        return self.patch(uid, **body)

    def patch(self, uid: str, **body: Any) -> dict[str, Any]:
        name = self.names[uid]
        query = {"personFields": "metadata"}
        person = good(self.client.get(f"/v1/{name}", params=query))
        said = {**body, "metadata": {"sources": person["metadata"]["sources"]}}
        params = {**query, "updatePersonFields": ",".join(body)}
        return good(self.client.patch(f"/v1/{name}:updateContact", params=params, json=said))

    def remove(self, uid: str) -> None:
        good(self.client.delete(f"/v1/{self.names[uid]}:deleteContact"))

    def forgotten(self, position: str) -> str:
        self.people.expire()
        return position

    def remove_collection(self) -> None:
        self.people.is_there = False


SILENT = {"sendUpdates": "none"}


def good(answer: httpx.Response) -> dict[str, Any]:
    assert answer.is_success, answer.text
    return answer.json() if answer.content else {}


class DriveStage:
    """An empty drive; the first line of each file is its title."""

    def __init__(self, server: Google) -> None:
        self.server, self.drive = server, server.drive
        self.collection = Collection(server.drive.root, "files", "My Drive")
        self.client = other_client(server)
        self.store = self.reopened()
        self.ids: dict[str, str] = {}

    def close(self) -> None:
        self.store.close()
        self.client.close()

    def reopened(self) -> GoogleStore:
        return GoogleStore(connection(self.server))

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        return f"{title}\n{uid}\n{note}".encode()

    def title(self, raw: bytes) -> str:
        return raw.decode().partition("\n")[0]

    def put(self, uid: str, title: str, parent: str = "") -> None:
        if uid in self.ids:
            self.write(self.ids[uid], self.item(uid, title))
            return
        self.ids[uid] = self.make(uid, parent)
        self.write(self.ids[uid], self.item(uid, title))

    def make(self, name: str, parent: str = "", kind: str = "text/plain") -> str:
        """Make something without bytes as the other client."""
        body = {"name": name, "mimeType": kind, **({"parents": [parent]} if parent else {})}
        return good(self.client.post("/drive/v3/files", json=body))["id"]

    def write(self, key: str, content: bytes) -> None:
        good(self.client.patch(
            f"/upload/drive/v3/files/{key}", params={"uploadType": "media"}, content=content,
            headers={"Content-Type": "text/plain"},
        ))  # fmt: skip

    def change(self, key: str, query: dict[str, str] | None = None, **body: Any) -> None:
        good(self.client.patch(f"/drive/v3/files/{key}", params=query or {}, json=body))

    def remove(self, uid: str) -> None:
        self.change(self.ids[uid], trashed=True)

    def forgotten(self, position: str) -> str:
        self.drive.first = len(self.drive.changes) + 1
        return position

    def remove_collection(self) -> None:
        self.drive.is_there = False
