"""A collection at the stand-in for Graph, with the store under test and another client."""

import itertools
import json
from typing import Any
from urllib.parse import quote

import httpx
from icalendar import Calendar

from inbox.accounts.credentials import Secret
from inbox.formats.content_lines import read_blocks
from inbox.providers.base import Connection
from inbox.providers.change_store import Collection
from inbox.providers.graph.answers import DRIVE
from inbox.providers.graph.store import GraphStore
from tests.inbox.providers.dav.stages import escaped, unescaped
from tests.machines.graph.server import ADDRESS, GraphServer
from tests.trust import trust

_numbers = itertools.count(1)
_EVENT = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Lantern//Office//EN\r\nBEGIN:VEVENT\r\n"
    "UID:{uid}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260110T100000Z\r\n"
    "DTEND:20260110T110000Z\r\nSUMMARY:{title}\r\n{note}END:VEVENT\r\nEND:VCALENDAR\r\n"
)
PREFERS = 'IdType="ImmutableId", outlook.timezone="UTC"'


def connection(server: GraphServer, token: str = "", **settings: Any) -> Connection:
    secret = Secret(token or server.sign_in())
    return Connection(ADDRESS, {"api_url": server.url, "auth": "oauth", **settings}, secret)


def client(server: GraphServer) -> httpx.Client:
    """Return another program, signed in to the same account."""
    headers = {"Authorization": f"Bearer {server.sign_in()}", "Prefer": PREFERS}
    return httpx.Client(base_url=server.url, headers=headers, trust_env=False, verify=trust())


class CalendarStage:
    """An empty calendar."""

    def __init__(self, server: GraphServer) -> None:
        self.server, self.box = server, server.boxes[ADDRESS]
        name = f"Place {next(_numbers)}"
        made = server.add_calendar(self.box, name)
        self.collection = Collection(made.id, "calendar", name)
        self.store = self.reopened()
        self.client = client(server)
        self._ids: dict[str, str] = {}

    def close(self) -> None:
        self.store.close()
        self.client.close()

    def reopened(self) -> GraphStore:
        return GraphStore(connection(self.server))

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        said = f"DESCRIPTION:{note}\r\n" if note else ""
        return _EVENT.format(uid=f"{uid}@lantern.example", title=escaped(title), note=said).encode()

    def title(self, raw: bytes) -> str:
        [text] = [
            str(each["SUMMARY"])
            for each in Calendar.from_ical(raw).subcomponents
            if "SUMMARY" in each
        ]
        return text

    def put(self, uid: str, title: str) -> None:
        if uid in self._ids:
            self.patch(self._ids[uid], {"subject": title})
            return
        self._ids[uid] = self.make({"subject": title})

    def make(self, fields: dict[str, Any]) -> str:
        """Make an event as the other client; return its id."""
        times = {"start": at("2026-01-10T10:00:00"), "end": at("2026-01-10T11:00:00")}
        path = f"/me/calendars/{quote(self.collection.id)}/events"
        answer = self.client.post(path, json={**times, **fields})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def patch(self, id: str, fields: dict[str, Any]) -> None:  # noqa: A002
        answer = self.client.patch(f"/me/events/{quote(id)}", json=fields)
        assert answer.is_success, answer.text

    def get(self, id: str) -> dict[str, Any]:  # noqa: A002
        answer = self.client.get(f"/me/events/{quote(id)}")
        assert answer.is_success, answer.text
        return answer.json()

    def remove(self, uid: str) -> None:
        assert self.client.delete(f"/me/events/{quote(self._ids.pop(uid))}").is_success

    def forgotten(self, position: str) -> str:
        return json.dumps(json.loads(position) | {"whole_at": 0})

    def remove_collection(self) -> None:
        del self.box.calendars[self.collection.id]


def at(text: str, zone: str = "UTC") -> dict[str, str]:
    return {"dateTime": text, "timeZone": zone}


_CARD = (
    "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{uid}\r\nFN:{title}\r\nN:{title};;;\r\n{note}END:VCARD\r\n"
)
_TODO = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Lantern//Office//EN\r\nBEGIN:VTODO\r\n"
    "UID:{uid}\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:{title}\r\n{note}END:VTODO\r\n"
    "END:VCALENDAR\r\n"
)


class DeltaStage:
    """What stages of contacts and of to-dos have alike; `path` is where the items are."""

    text: str
    note: str
    field: str
    path: str
    collection: Collection

    def __init__(self, server: GraphServer) -> None:
        self.server, self.box = server, server.boxes[ADDRESS]
        self.open()
        self.store = self.reopened()
        self.client = client(server)
        self.ids: dict[str, str] = {}

    def open(self) -> None:
        raise NotImplementedError

    def at(self, id: str) -> str:  # noqa: A002
        raise NotImplementedError

    def close(self) -> None:
        self.store.close()
        self.client.close()

    def reopened(self) -> GraphStore:
        return GraphStore(connection(self.server))

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        said = f"{self.note}:{note}\r\n" if note else ""
        return self.text.format(uid=uid, title=escaped(title), note=said).encode()

    def title(self, raw: bytes) -> str:
        name = "FN" if self.collection.kind == "contacts" else "SUMMARY"
        block = read_blocks(raw.decode())[0]
        holder = block if block.lines(name) else block.blocks[0]
        return unescaped(holder.lines(name)[0].partition(":")[2])

    def make(self, fields: dict[str, Any]) -> str:
        answer = self.client.post(self.path, json=fields)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def patch(self, id: str, fields: dict[str, Any]) -> None:  # noqa: A002
        answer = self.client.patch(self.at(id), json=fields)
        assert answer.is_success, answer.text

    def get(self, id: str) -> dict[str, Any]:  # noqa: A002
        answer = self.client.get(self.at(id))
        assert answer.is_success, answer.text
        return answer.json()

    def put(self, uid: str, title: str) -> None:
        if uid in self.ids:
            self.patch(self.ids[uid], {self.field: title})
        else:
            self.ids[uid] = self.make({self.field: title})

    def remove(self, uid: str) -> None:
        assert self.client.delete(self.at(self.ids.pop(uid))).is_success

    def forgotten(self, position: str) -> str:
        self.server.forget_changes()
        return position


class ContactStage(DeltaStage):
    """An empty folder of contacts."""

    text, note, field = _CARD, "NOTE", "displayName"

    def open(self) -> None:
        made = self.server.add_folder(self.box, f"Place {next(_numbers)}")
        self.collection = Collection(made.id, "contacts", made.name)
        self.path = f"/me/contactFolders/{quote(made.id)}/contacts"

    def at(self, id: str) -> str:  # noqa: A002
        return f"/me/contacts/{quote(id)}"

    def remove_collection(self) -> None:
        del self.box.folders[self.collection.id]


class TodoStage(DeltaStage):
    """An empty list of to-dos."""

    text, note, field = _TODO, "DESCRIPTION", "title"

    def open(self) -> None:
        made = self.server.add_list(self.box, f"Place {next(_numbers)}")
        self.collection = Collection(made.id, "todos", made.name)
        self.path = f"/me/todo/lists/{quote(made.id)}/tasks"

    def at(self, id: str) -> str:  # noqa: A002
        return f"{self.path}/{quote(id)}"

    def remove_collection(self) -> None:
        del self.box.lists[self.collection.id]


class _FileClient:
    """The other client, as one that puts a file at a path below the drive."""

    def __init__(self, stage: "DriveStage") -> None:
        self._stage = stage

    def put(self, url: str, content: bytes) -> None:
        self._stage.write(url.removeprefix(self._stage.collection.id), content)


class _FileServer:
    """The server, as one that makes connections for whoever is named."""

    def __init__(self, server: GraphServer) -> None:
        self._server = server

    def connection(self, _user: str, **_settings: str) -> Connection:
        return connection(self._server, "a-token-of-nobody")


class DriveStage:
    """An empty drive; the first line of each file is its title."""

    def __init__(self, server: GraphServer) -> None:
        self.graph, self.box = server, server.boxes[ADDRESS]
        self.collection = Collection(DRIVE, "files", "OneDrive")
        self.store = self.reopened()
        self.http = client(server)
        self.client, self.server = _FileClient(self), _FileServer(server)

    def close(self) -> None:
        self.store.close()
        self.http.close()

    def reopened(self) -> GraphStore:
        return GraphStore(connection(self.graph))

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        return f"{title}\n{uid}\n{note}".encode()

    def title(self, raw: bytes) -> str:
        return raw.decode().partition("\n")[0]

    def put(self, uid: str, title: str) -> None:
        self.write(uid, self.item(uid, title))

    def write(self, path: str, content: bytes) -> None:
        """Make or replace a file as the other client."""
        there = self.http.get(f"/me/drive/root:/{quote(path)}")
        if there.is_success:
            answer = self.http.put(f"/me/drive/items/{there.json()['id']}/content", content=content)
        else:
            above, _, name = path.rpartition("/")
            place = f"/me/drive/root:/{quote(above)}" if above else "/me/drive/root"
            parent = self.http.get(place).json()["id"]
            url = f"/me/drive/items/{parent}:/{quote(name)}:/content"
            fails = {"@microsoft.graph.conflictBehavior": "fail"}
            answer = self.http.put(url, params=fails, content=content)
        assert answer.is_success, answer.text

    def remove(self, uid: str) -> None:
        there = self.http.get(f"/me/drive/root:/{quote(uid)}").json()
        assert self.http.delete(f"/me/drive/items/{there['id']}").is_success

    def forgotten(self, position: str) -> str:
        self.graph.forget_changes()
        return position

    def remove_collection(self) -> None:
        self.box.drive = None
