"""Programs that change a folder of files at random over WebDAV."""

import threading
from urllib.parse import quote, urlsplit

import httpx

from inbox.providers.change_store import Collection, Entry
from inbox.providers.dav.store import DavStore
from inbox.providers.mail_store import StoreError
from tests.inbox.syncing.collections.random_program import Acts, RandomProgram

_NAMES = ("Lamp", "Wick", "Oil", "Büro", "Fog & tide", "100 %")


class RandomFiles(RandomProgram):
    """Changes files; a content is never the same twice.

    `made` are the contents it wrote, and `removed` those that it overwrote or removed. The programs
    take turns, so that each knows what it sweeps away; we ourselves are in between anywhere.
    """

    turn = threading.Lock()
    # What we ourselves write is shorter.
    _longest = 40

    def __init__(self, store: DavStore, client: httpx.Client, collection: Collection, seed: int,
                 rounds: int) -> None:  # fmt: skip
        super().__init__(seed, rounds)
        self._store, self._client, self._collection = store, client, collection

    def acts(self) -> Acts:
        return {
            self._make: 4, self._make_folder: 2, self._write: 4, self._move: 3, self._remove: 1,
        }  # fmt: skip

    def _make(self, number: int) -> None:
        path = self._free(number, self._any(is_folder=True))
        self._put(path, {"If-None-Match": "*"})

    def _make_folder(self, number: int) -> None:
        self._client.request("MKCOL", self._url(self._free(number, self._any(is_folder=True))))

    def _write(self, _number: int) -> None:
        one = self._any(is_folder=False)
        if one is None:
            return
        before = self._client.get(self._at(one))
        if before.is_success and self._put(one.path, {}):
            self.removed.add(before.content)

    def _move(self, number: int) -> None:
        one = self._any(is_folder=self._chance.random() < 0.4)
        if one is not None:
            target = self._url(self._free(number, self._any(is_folder=True)))
            headers = {"Destination": target, "Overwrite": "F"}
            self._client.request("MOVE", self._at(one), headers=headers)

    def _remove(self, _number: int) -> None:
        one = self._any(is_folder=self._chance.random() < 0.3)
        if one is None:
            return
        within = [each for each in self._entries() if each.path.startswith(f"{one.path}/")]
        going = [each for each in (one, *within) if not each.is_folder]
        contents = [self._client.get(self._at(each)) for each in going]
        if self._client.delete(self._at(one)).is_success:
            self.removed |= {each.content for each in contents if each.is_success}

    # -- what is there -----------------------------------------------------------------------------
    def _entries(self) -> list[Entry]:
        try:
            return list(self._store.changes(self._collection, "").present)
        except StoreError:
            return []

    def _any(self, *, is_folder: bool) -> Entry | None:
        some = [one for one in self._entries() if one.is_folder == is_folder]
        return self._chance.choice(some) if some else None

    def _free(self, number: int, folder: Entry | None) -> str:
        name = f"{self._chance.choice(_NAMES)} {self._name}-{number}"
        deep = folder is not None and folder.path.count("/") < 3 and self._chance.random() < 0.7
        return f"{folder.path}/{name}" if folder is not None and deep else name

    def _url(self, path: str) -> str:
        return self._collection.id + quote(path)

    def _at(self, entry: Entry) -> str:
        parts = urlsplit(self._collection.id)
        return f"{parts.scheme}://{parts.netloc}{entry.id}"

    def _put(self, path: str, headers: dict[str, str]) -> bool:
        # Of another length each: an etag may be made of the second and the size, as WsgiDAV's is.
        length = RandomFiles._longest = RandomFiles._longest + 1
        content = f"{self._name} {self._chance.random():.17f}".ljust(length, ".").encode()
        answer = self._client.put(self._url(path), content=content, headers=headers)
        if answer.is_success:
            self.made.add(content)
        return answer.is_success
