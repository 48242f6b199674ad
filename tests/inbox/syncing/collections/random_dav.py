"""Calendar programs that change a calendar at random over CalDAV."""

import re

import httpx

from inbox.providers.change_store import Collection
from inbox.providers.dav.store import DavStore
from tests.inbox.syncing.collections.random_program import Acts, RandomProgram

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


class RandomDavProgram(RandomProgram):
    """Changes a calendar by CalDAV; what it makes and removes is named by its UID."""

    def __init__(self, store: DavStore, client: httpx.Client, collection: Collection, seed: int,
                 rounds: int) -> None:  # fmt: skip
        super().__init__(seed, rounds)
        self._store, self._client, self._collection = store, client, collection

    def acts(self) -> Acts:
        return {self._make: 3, self._change: 6, self._remove: 2}

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
        words = super()._words()
        return words.replace(",", "\\,").replace(";", "\\;")
