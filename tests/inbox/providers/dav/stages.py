"""A collection at a DAV server, with the store under test and another client."""

import hashlib
import itertools
import json
from urllib.parse import urlsplit

import httpx
from icalendar import Calendar

from inbox.formats.content_lines import read_blocks
from inbox.providers.change_store import Collection, CollectionKind
from inbox.providers.dav.store import DavStore
from tests.dav_servers import DavServer

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
_TEXTS: dict[str, str] = {"calendar": _EVENT, "todos": _TODO, "contacts": _CARD}
_COMPONENTS = {"calendar": ("VEVENT",), "todos": ("VTODO",)}


def escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\;," else letter for letter in text)


class DavStage:
    """An empty collection of a kind."""

    def __init__(
        self,
        server: DavServer,
        user: str,
        kind: CollectionKind,
        components: tuple[str, ...] | None = None,
    ) -> None:
        name = f"place{next(_numbers)}"
        if kind == "contacts":
            url = server.make_addressbook(user, name)
        else:
            url = server.make_calendar(user, name, components or _COMPONENTS[kind])
        self.server, self.user = server, user
        self.store = self.reopened()
        self.collection = Collection(url, kind, server.shown_name(name))
        self.client: httpx.Client = server.client(user)

    def close(self) -> None:
        self.store.close()
        self.client.close()

    def reopened(self) -> DavStore:
        return DavStore(self.server.connection(self.user))

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        text = _TEXTS[self.collection.kind]
        name = "NOTE" if self.collection.kind == "contacts" else "DESCRIPTION"
        said = f"{name}:{note}\r\n" if note else ""
        return text.format(uid=f"{uid}@lantern.example", title=escaped(title), note=said).encode()

    def title(self, raw: bytes) -> str:
        if self.collection.kind == "contacts":
            [card] = read_blocks(raw.decode())
            [line] = card.lines("FN")
            return unescaped(line.partition(":")[2])
        calendar = Calendar.from_ical(raw)
        [text] = [str(each["SUMMARY"]) for each in calendar.subcomponents if "SUMMARY" in each]
        return text

    def address(self, uid: str) -> str:
        ending = ".vcf" if self.collection.kind == "contacts" else ".ics"
        return f"{self.collection.id}other-{uid}{ending}"

    def put(self, uid: str, title: str) -> None:
        self.put_raw(uid, self.item(uid, title))

    def put_event(self) -> None:
        """Have an event lie beside the to-dos."""
        raw = self.item("event", "An event").replace(b"VTODO", b"VEVENT")
        # Cyrus takes none that takes no time.
        when = b"DTSTART:20260101T100000Z\r\nDTEND:20260101T110000Z\r\nSUMMARY"
        self.put_raw("event", raw.replace(b"SUMMARY", when))

    def put_raw(self, uid: str, raw: bytes) -> None:
        kind = "text/vcard" if self.collection.kind == "contacts" else "text/calendar"
        headers = {"content-type": f"{kind}; charset=utf-8"}
        answer = self.client.put(self.address(uid), content=raw, headers=headers)
        assert answer.is_success, answer.text

    def remove(self, uid: str) -> None:
        assert self.client.delete(self.address(uid)).is_success

    def forgotten(self, position: str) -> str:
        known = json.loads(position)
        bare = hashlib.sha256(known["token"].encode()).hexdigest()
        length = len(known["token"].rpartition("/")[2])
        known["token"] = known["token"][: len(known["token"]) - length] + bare[:length]
        return json.dumps(known)

    def remove_collection(self) -> None:
        assert self.client.delete(self.collection.id).is_success

    def path(self) -> str:
        return urlsplit(self.collection.id).path


class FileStage:
    """An empty folder of files; the first line of each is its title."""

    def __init__(self, server: DavServer) -> None:
        self.server = server
        self.client: httpx.Client = server.client("mira")
        name = f"folder{next(_numbers)}"
        assert self.client.request("MKCOL", f"{server.url}/{name}/").is_success
        self.collection = Collection(f"{server.url}/{name}/", "files", name)
        self.store = self.reopened()

    def close(self) -> None:
        self.store.close()
        self.client.close()

    def reopened(self) -> DavStore:
        connection = self.server.connection("mira", url="", files_url=self.collection.id)
        return DavStore(connection)

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        return f"{title}\n{uid}\n{note}".encode()

    def title(self, raw: bytes) -> str:
        return raw.decode().partition("\n")[0]

    def put(self, uid: str, title: str) -> None:
        answer = self.client.put(f"{self.collection.id}{uid}", content=self.item(uid, title))
        assert answer.is_success, answer.text

    def remove(self, uid: str) -> None:
        assert self.client.delete(f"{self.collection.id}{uid}").is_success

    def forgotten(self, position: str) -> str:
        return position[:-10]

    def remove_collection(self) -> None:
        assert self.client.delete(self.collection.id).is_success


def unescaped(text: str) -> str:
    letters = iter(text)
    return "".join(next(letters) if letter == "\\" else letter for letter in letters)
