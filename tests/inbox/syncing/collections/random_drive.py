"""Programs that change files in a drive at random, and our side."""

import threading
from typing import Any

from inbox.models import RemoteCollection
from tests.inbox.providers.google.stages import DriveStage, other_client
from tests.inbox.syncing.collections.random_program import Acts, RandomProgram
from tests.inbox.syncing.collections.sources import connect
from tests.inbox.syncing.collections.test_files_both_ways import Mirror
from tests.machines.google.drive import FOLDER

_NAMES = ("Lamp", "Wick", "Oil", "Büro", "Fog & tide", "100 %", "Keeper's")


class DriveMirror(Mirror):
    """A drive at the stand-in for Google, and ours in step with it."""

    def __init__(self, stage, account, actor):
        self.stage, self.account, self.actor = stage, account, actor
        settings, token = {"api_url": stage.server.url}, stage.server.token()
        only = {stage.collection.id}
        self.source = connect(account, "google", settings, token, only=only)
        self.collection = RemoteCollection.objects.select_related("folder").get(is_taken=True)
        self.top = self.collection.folder.path

    def there(self):
        with self.stage.reopened() as store:
            entries = store.changes(self.stage.collection, "").present
        contents = self.stage.drive.contents
        return {it.path: None if it.is_folder else contents[it.id] for it in entries}


class RandomDrive(RandomProgram):
    """Changes files; a content is never the same twice.

    `made` are the contents it wrote, and `removed` those that it overwrote or removed. The programs
    take turns, so that each knows what it sweeps away; we ourselves are in between anywhere.
    """

    turn = threading.Lock()

    def __init__(self, stage: DriveStage, seed: int, rounds: int) -> None:
        super().__init__(seed, rounds)
        self._stage, self._client = stage, other_client(stage.server)
        self._drive = stage.drive

    def acts(self) -> Acts:
        return {
            self._make: 4, self._make_folder: 2, self._write: 4, self._move: 3, self._remove: 1,
        }  # fmt: skip

    def _make(self, number: int) -> None:
        self._put(self._stage.make(self._new_name(number), self._folder()))

    def _make_folder(self, number: int) -> None:
        self._stage.make(self._new_name(number), self._folder(), FOLDER)

    def _write(self, _number: int) -> None:
        if one := self._any(is_folder=False):
            before = self._drive.contents.get(one["id"])
            self._put(one["id"])
            self.removed |= {before} - {None}

    def _move(self, number: int) -> None:
        one, folder = self._any(is_folder=self._chance.random() < 0.4), self._folder()
        if one is None or folder in self._above(folder, one["id"]):
            return
        query = {"addParents": folder, "removeParents": one["parents"][0]}
        body = {"name": self._new_name(number)}
        self._client.patch(f"/drive/v3/files/{one['id']}", params=query, json=body)

    def _remove(self, _number: int) -> None:
        one = self._any(is_folder=self._chance.random() < 0.3)
        if one is None:
            return
        with self._drive.server.lock:
            there = [it for it in self._kept() if one["id"] in self._chain(it["id"])]
            going = {self._drive.contents[it["id"]] for it in there if "size" in it}
            answer = self._client_remove(one["id"])
        if answer:
            self.removed |= going

    def _client_remove(self, key: str) -> bool:
        # By the server's own hand, so that nothing comes in between.
        self._drive.files[key] = {**self._drive.files[key], "trashed": True}
        self._drive.changes.append(key)
        return True

    # -- what is there -----------------------------------------------------------------------------
    def _kept(self) -> list[dict[str, Any]]:
        with self._drive.server.lock:
            shown = [self._drive.shown(key) for key in self._drive.files]
        return [it for it in shown if not it["trashed"] and it["id"] != self._drive.root]

    def _any(self, *, is_folder: bool) -> dict[str, Any] | None:
        some = [it for it in self._kept() if (it["mimeType"] == FOLDER) == is_folder]
        return self._chance.choice(some) if some else None

    def _folder(self) -> str:
        one = self._any(is_folder=True)
        fits = one is not None and len(self._chain(one["id"])) < 4 and self._chance.random() < 0.7
        return one["id"] if fits else self._drive.root

    def _chain(self, key: str) -> list[str]:
        found = [key]
        while key != self._drive.root:
            key = self._drive.files[key]["parents"][0]
            found.append(key)
        return found

    def _above(self, folder: str, key: str) -> set[str]:
        """Return the folder where it lies in what is to be moved there."""
        return {folder} if key in self._chain(folder) else set()

    def _new_name(self, number: int) -> str:
        return f"{self._chance.choice(_NAMES)} {self._name}-{number}"

    def _put(self, key: str) -> None:
        content = f"{self._name} {self._chance.random()}".encode()
        self._stage.write(key, content)
        self.made.add(content)
