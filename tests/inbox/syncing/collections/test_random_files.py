"""Two programs and we ourselves change a folder of files at random: in the end nothing differs.

In between our sync is killed where it happens to be, and goes on.
"""

from contextlib import contextmanager

import pytest

from inbox.models import FileNode, FileVersion, RemoteItem
from inbox.operations.files import (
    create_file,
    create_folder,
    delete_file,
    move_file,
    write_file,
)
from tests.inbox.providers.dav.stages import FileStage
from tests.inbox.providers.google.stages import DriveStage
from tests.inbox.providers.graph.stages import DriveStage as OneDriveStage
from tests.inbox.syncing.collections.random_drive import DriveMirror, RandomDrive
from tests.inbox.syncing.collections.random_files import RandomFiles
from tests.inbox.syncing.collections.random_onedrive import OneDriveMirror, RandomOneDrive
from tests.inbox.syncing.collections.random_runs import ROUNDS, SEED, Ourselves, run_together
from tests.inbox.syncing.collections.test_files_both_ways import Mirror
from tests.machines.google.everything import google_server
from tests.machines.graph.server import graph_server

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
_NAMES = ("Lamp", "Wick", "Oil", "Büro", "Fog & tide")


class OurFiles(Ourselves):
    """Files here, named by their contents."""

    # A folder may be to go into itself.
    refused = frozenset({"conflict", "not_found", "invalid_input"})

    def __init__(self, mirror, seed):
        super().__init__(seed)
        self.mirror = mirror

    def acts(self):
        return {
            self._make: 4, self._make_folder: 2, self._write: 4, self._move: 3, self._remove: 1,
        }  # fmt: skip

    def _make(self):
        content = f"ours {self.chance.random()}".encode()
        create_file(
            actor=self.mirror.actor, account=self.mirror.account, path=self._free(),
            content=content,
        )  # fmt: skip
        self.made.add(content)

    def _make_folder(self):
        create_folder(actor=self.mirror.actor, account=self.mirror.account, path=self._free())

    def _write(self):
        if (one := self._any("file")) is not None:
            before, content = one.blob.read(), f"ours {self.chance.random()}".encode()
            write_file(actor=self.mirror.actor, file=one, content=content)
            self.made.add(content)
            self.removed.add(before)

    def _move(self):
        if (one := self._any(self.chance.choice(("file", "folder")))) is not None:
            move_file(actor=self.mirror.actor, file=one, path=self._free())

    def _remove(self):
        one = self._any(self.chance.choice(("file", "file", "folder")))
        if one is not None:
            rows = FileNode.objects.kept().below(one) | FileNode.objects.filter(pk=one.pk)
            self.removed |= {row.blob.read() for row in rows.exclude(blob=None)}
            delete_file(actor=self.mirror.actor, file=one)

    def _free(self):
        folder = self._any("folder")
        name = f"{self.chance.choice(_NAMES)} {self.chance.randrange(1000)}"
        deep = folder is not None and folder.path.count("/") < 5 and self.chance.random() < 0.7
        return f"{folder.path if deep else self.mirror.top}/{name}"

    def _any(self, kind):
        rows = FileNode.objects.kept().below(self.mirror.collection.folder).filter(kind=kind)
        some = list(rows.select_related("blob").order_by("pk"))
        return self.chance.choice(some) if some else None


def etags(mirror):
    with mirror.stage.reopened() as store:
        found = store.changes(mirror.stage.collection, "").present
        return {entry.id: entry.etag for entry in found}


@contextmanager
def place_of(name, request, inbox, actor):
    """Have an empty folder at a server, ours in step with it, and what makes programs for it."""
    if name == "google":
        with google_server() as google:
            stage = DriveStage(google)
            yield (
                DriveMirror(stage, inbox.account, actor),
                lambda seed: RandomDrive(stage, seed, ROUNDS),
            )
            assert google.violations == []
        return
    if name == "graph":
        with graph_server() as graph:
            graph.add_account()
            one = OneDriveStage(graph)
            yield (
                OneDriveMirror(one, inbox.account, actor),
                lambda seed: RandomOneDrive(one, seed, ROUNDS),
            )
        return
    server = request.getfixturevalue(name)
    stage = FileStage(server)
    yield (
        Mirror(stage, inbox.account, actor),
        lambda seed: RandomFiles(
            stage.reopened(), server.client("mira"), stage.collection, seed, ROUNDS
        ),
    )


@pytest.mark.parametrize("name", ["deep_apache", "wsgidav", "google", "graph"])
def test_nothing_differs_nothing_is_lost_and_nothing_echoes(inbox, actor, request, name):
    with place_of(name, request, inbox, actor) as (mirror, program_of):
        # It fails where an item goes while it is listed.
        run_programs(mirror, program_of, busy=("HTTP 500",) if name == "wsgidav" else ())


def run_programs(mirror, program_of, busy):
    programs = [program_of(seed) for seed in (SEED, SEED + 1)]
    ours = OurFiles(mirror, SEED)
    made, removed = run_together(programs, ours, mirror.source.pk, lambda: mirror.sync(busy=busy))
    for _ in range(4):
        mirror.sync()
    mirror.agree()
    contents = set(mirror.here().values()) - {None}
    kept = {version.blob.read() for version in FileVersion.objects.select_related("blob")}
    lost = made - removed - contents
    # Whatever gave way to another content is a version here.
    assert lost <= kept, lost - kept
    before = etags(mirror)
    mirror.sync()
    assert etags(mirror) == before
    assert not RemoteItem.objects.filter(dirty=True).exists()
    mirror.stage.close()
