"""Calendar programs that change a calendar at random over CalDAV, each in a thread of its own."""

import random
import re
import threading
import time

import httpx

from inbox.providers.change_store import Collection
from inbox.providers.dav.store import DavStore

_WORDS = ("Lamp", "Wick", "Oil", "Keeper", "Tide", "Büro", "Fog, thick", "Harbour; north")
_EVENT = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Random//Program//EN
BEGIN:VEVENT
UID:{uid}
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Berlin:202603{day:02}T090000
DTEND;TZID=Europe/Berlin:202603{day:02}T100000
SUMMARY:{words}
X-RANDOM-WORD:{words} as it is
END:VEVENT
END:VCALENDAR
"""


class RandomProgram(threading.Thread):
    """Does what its chance says; `made` and `removed` are the UIDs it made and removed."""

    def __init__(self, store: DavStore, client: httpx.Client, collection: Collection, seed: int,
                 rounds: int) -> None:  # fmt: skip
        super().__init__(daemon=True)
        self.made: set[str] = set()
        self.removed: set[str] = set()
        self._store, self._client, self._collection = store, client, collection
        self._chance, self._rounds, self._name = random.Random(seed), rounds, f"p{seed}"

    def run(self) -> None:
        for number in range(self._rounds):
            self._act(number)
            time.sleep(self._chance.random() / 20)

    def _act(self, number: int) -> None:
        act = self._chance.choices((self._make, self._change, self._remove), (3, 6, 2))[0]
        act(number)

    def _make(self, number: int) -> None:
        uid = f"{self._name}-{number}@random"
        text = _EVENT.format(uid=uid, day=self._chance.randint(1, 28), words=self._words())
        url = f"{self._collection.id}{self._name}-{number}.ics"
        if self._put(url, text.replace("\n", "\r\n"), {"If-None-Match": "*"}):
            self.made.add(uid)

    def _change(self, _number: int) -> None:
        found = self._any()
        if found is None:
            return
        url, etag, text = found
        name = self._chance.choice(("SUMMARY", "LOCATION", "DESCRIPTION", "TRANSP"))
        value = "TRANSPARENT" if name == "TRANSP" else self._words()
        body, after = text.split("END:VEVENT", 1)
        body = re.sub(rf"^{name}[:;].*\r?\n(?:[ \t].*\r?\n)*", "", body, flags=re.MULTILINE)
        self._put(url, f"{body}{name}:{value}\r\nEND:VEVENT{after}", {"If-Match": etag})

    def _remove(self, _number: int) -> None:
        found = self._any()
        if found is None:
            return
        url, etag, text = found
        answer = self._client.delete(url, headers={"If-Match": etag})
        if answer.is_success:
            self.removed.add(re.search(r"^UID:(.*?)\r?$", text, re.MULTILINE)[1])

    def _any(self) -> tuple[str, str, str] | None:
        entries = self._store.changes(self._collection, "").present
        if not entries:
            return None
        entry = self._chance.choice(entries)
        answer = self._client.get(httpx.URL(self._collection.id).join(entry.id))
        if not answer.is_success:
            return None
        return str(answer.url), answer.headers["ETag"], answer.text

    def _put(self, url: str, text: str, headers: dict[str, str]) -> bool:
        kind = {"Content-Type": "text/calendar; charset=utf-8"}
        return self._client.put(url, content=text.encode(), headers=headers | kind).is_success

    def _words(self) -> str:
        words = " ".join(self._chance.choices(_WORDS, k=2))
        return words.replace(",", "\\,").replace(";", "\\;")
