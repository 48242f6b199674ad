"""Programs that change files in OneDrive at random, and our side."""

import threading
from urllib.parse import quote

from inbox.models import RemoteCollection
from tests.inbox.providers.graph.stages import DriveStage, client
from tests.inbox.syncing.collections.random_program import Acts, RandomProgram
from tests.inbox.syncing.collections.sources import connect
from tests.inbox.syncing.collections.test_files_both_ways import Mirror
from tests.machines.graph.drive import Drive, DriveItem

_NAMES = ("Lamp", "Wick", "Oil", "Büro", "Fog & tide", "100 %", "Keeper's")
_FAIL = {"@microsoft.graph.conflictBehavior": "fail"}


class OneDriveMirror(Mirror):
    """A drive at the stand-in for Graph, and ours in step with it."""

    def __init__(self, stage, account, actor):
        self.stage, self.account, self.actor = stage, account, actor
        settings, token = {"api_url": stage.graph.url}, stage.graph.sign_in()
        only = {stage.collection.id}
        self.source = connect(account, "graph", settings, token, only=only)
        self.collection = RemoteCollection.objects.select_related("folder").get(is_taken=True)
        self.top = self.collection.folder.path

    def there(self):
        with self.stage.reopened() as store:
            entries = store.changes(self.stage.collection, "").present
        items = self.stage.box.drive.items
        return {entry.path: items[entry.id].content for entry in entries}


class RandomOneDrive(RandomProgram):
    """Changes files; a content is never the same twice.

    `made` are the contents it wrote, and `removed` those that it overwrote or removed. The programs
    take turns, so that each knows what it sweeps away; we ourselves are in between anywhere.
    """

    turn = threading.Lock()

    def __init__(self, stage: DriveStage, seed: int, rounds: int) -> None:
        super().__init__(seed, rounds)
        self._stage, self._client = stage, client(stage.graph)

    @property
    def _drive(self) -> Drive:
        drive = self._stage.box.drive
        assert drive is not None
        return drive

    def acts(self) -> Acts:
        return {
            self._make: 4, self._make_folder: 2, self._write: 4, self._move: 3, self._remove: 1,
        }  # fmt: skip

    def _make(self, number: int) -> None:
        content = self._content()
        url = f"/me/drive/items/{self._folder()}:/{quote(self._new_name(number))}:/content"
        if self._client.put(url, params=_FAIL, content=content).is_success:
            self.made.add(content)

    def _make_folder(self, number: int) -> None:
        body = {"name": self._new_name(number), "folder": {}, **_FAIL}
        self._client.post(f"/me/drive/items/{self._folder()}/children", json=body)

    def _write(self, _number: int) -> None:
        one = self._any(is_folder=False)
        if one is None:
            return
        before, etag, content = one.content, one.etag, self._content()
        answer = self._client.put(
            f"/me/drive/items/{one.id}/content", content=content, headers={"If-Match": etag}
        )
        if answer.is_success:
            self.made.add(content)
            self.removed.add(before or b"")

    def _move(self, number: int) -> None:
        one = self._any(is_folder=self._chance.random() < 0.4)
        if one is not None:
            body = {"name": self._new_name(number), "parentReference": {"id": self._folder()}}
            self._client.patch(f"/me/drive/items/{one.id}", json=body)

    def _remove(self, _number: int) -> None:
        one = self._any(is_folder=self._chance.random() < 0.3)
        if one is None:
            return
        with self._stage.graph.lock:
            # By the server's own hand, so that nothing comes in between.
            if one.id in self._drive.items:
                going = [one, *self._drive.below(one.id)]
                self.removed |= {it.content for it in going if it.content is not None}
                self._drive.remove(one.id)

    def _any(self, *, is_folder: bool) -> DriveItem | None:
        with self._stage.graph.lock:
            kept = [it for it in self._drive.items.values() if it.id != self._drive.root]
        some = [it for it in kept if (it.content is None) == is_folder]
        return self._chance.choice(some) if some else None

    def _folder(self) -> str:
        one = self._any(is_folder=True)
        return one.id if one is not None and self._chance.random() < 0.6 else self._drive.root

    def _new_name(self, number: int) -> str:
        return f"{self._chance.choice(_NAMES)} {self._name}-{number}"

    def _content(self) -> bytes:
        return f"{self._name} {self._chance.random()}".encode()
