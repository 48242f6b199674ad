"""A list at Bramble, with the store under test and another client."""

import itertools
import json

import httpx

from inbox.accounts.credentials import Secret
from inbox.formats.calendar_lines import escape, text_in
from inbox.formats.content_lines import read_blocks
from inbox.providers.base import Connection
from inbox.providers.change_store import Collection
from tests.made_up.bramble.store import BrambleStore
from tests.made_up.server import Bramble

_numbers = itertools.count(1)
_TODO = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Lantern//Office//EN\r\nBEGIN:VTODO\r\n"
    "UID:{uid}\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:{title}\r\n{note}END:VTODO\r\n"
    "END:VCALENDAR\r\n"
)


class BrambleStage:
    """An empty list of an account of its own."""

    def __init__(self, server: Bramble) -> None:
        self.server = server
        self.account = f"mira{next(_numbers)}@lantern.example"
        self.key = server.issue(self.account)
        self.list = server.new_list(self.account, "Lamp")
        self.collection = Collection(self.list.id, "todos", "Lamp", self.list.shade)
        self.store = self.reopened()
        self._ids: dict[str, str] = {}

    def close(self) -> None:
        self.store.close()

    def reopened(self) -> BrambleStore:
        settings = {"server": self.server.url}
        return BrambleStore(Connection(self.account, settings, Secret(self.key)))

    def item(self, uid: str, title: str, note: str = "") -> bytes:
        said = f"DESCRIPTION:{escape(note)}\r\n" if note else ""
        return _TODO.format(uid=uid, title=escape(title), note=said).encode()

    def title(self, raw: bytes) -> str:
        [calendar] = read_blocks(raw.decode())
        [todo] = calendar.blocks
        return text_in(todo, "SUMMARY")

    def put(self, uid: str, title: str) -> None:
        self._ids[uid] = self.server.put(self.list, self._ids.get(uid, ""), text=title)

    def remove(self, uid: str) -> None:
        self.server.take_out(self.list, self._ids.pop(uid))

    def forgotten(self, position: str) -> str:
        self.server.end_cursors(self.list)
        return position

    def remove_collection(self) -> None:
        del self.server.lists[self.account][self.list.id]


def ask(stage: BrambleStage, method: str, path: str, body: object = None) -> tuple[int, str]:
    """Ask the server as any client could; return its status, and its word for what is wrong."""
    headers = {"Authorization": f"Bearer {stage.key}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    answer = httpx.request(
        method, f"{stage.server.url}{path}", headers=headers, trust_env=False,
        content=json.dumps(body) if body is not None else None,
    )  # fmt: skip
    return answer.status_code, answer.json().get("error", "") if answer.content else ""
