"""A folder of files here and at real servers: what changes on one side is so on the other."""

import hashlib
import unicodedata
from urllib.parse import quote

import pytest

from inbox.models import FileNode, RemoteCollection, RemoteItem, SyncConflict
from inbox.operations.files import (
    create_file,
    create_folder,
    delete_file,
    move_file,
    restore_file,
    write_file,
)
from inbox.providers.change_store import LARGEST_FILE
from tests.dav_servers import PASSWORD
from tests.inbox.providers.dav.stages import FileStage
from tests.inbox.syncing.collections.sources import connect, sync

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
SERVERS = ["shallow_apache", "deep_apache", "wsgidav"]


class Mirror:
    """A folder at a server, and ours in step with it."""

    def __init__(self, stage, account, actor):
        self.stage, self.account, self.actor = stage, account, actor
        stage.client.base_url = stage.server.url
        settings = {"files_url": stage.collection.id, "username": "mira"}
        self.source = connect(account, "dav", settings, PASSWORD)
        self.collection = RemoteCollection.objects.select_related("folder").get()
        self.top = self.collection.folder.path

    def sync(self, *, busy=()):
        self.source = sync(self.source)
        is_busy = any(said in self.source.reply for said in busy)
        assert self.source.failures == 0 or is_busy, (self.source.words, self.source.reply)

    # -- there -------------------------------------------------------------------------------------
    def ask(self, method, path, **more):
        answer = self.stage.client.request(method, self.stage.collection.id + quote(path), **more)
        assert answer.is_success, (method, path, answer.status_code, answer.text)

    def move_there(self, old, new):
        target = self.stage.collection.id + quote(new)
        self.ask("MOVE", old, headers={"Destination": target, "Overwrite": "F"})

    def there(self):
        """What lies there: contents by path, None for folders."""
        with self.stage.reopened() as store:
            found = {}
            for entry in store.changes(self.stage.collection, "").present:
                content = None
                if not entry.is_folder:
                    content = self.stage.client.get(entry.id).content
                found[entry.path] = content
            return found

    # -- here --------------------------------------------------------------------------------------
    def make(self, path, content=b""):
        return create_file(
            actor=self.actor, account=self.account, path=f"{self.top}/{path}", content=content
        )

    def node(self, path):
        return FileNode.objects.kept().get(account=self.account, path=f"{self.top}/{path}")

    def move(self, old, new):
        return move_file(actor=self.actor, file=self.node(old), path=f"{self.top}/{new}")

    def delete(self, path):
        delete_file(actor=self.actor, file=self.node(path))

    def write(self, path, content):
        write_file(actor=self.actor, file=self.node(path), content=content)

    def here(self):
        rows = FileNode.objects.kept().below(self.collection.folder).select_related("blob")
        return {
            row.path.removeprefix(f"{self.top}/"): None if row.is_folder else row.blob.read()
            for row in rows
        }

    def agree(self):
        """Return what both have, which nothing is left to be done about."""
        here, there = self.here(), self.there()
        assert here == there, list(RemoteItem.objects.values())
        items = RemoteItem.objects.filter(collection=self.collection)
        assert not items.filter(dirty=True).exists()
        assert not items.exclude(problem="").exists(), [it.problem for it in items]
        return here


@pytest.fixture(params=SERVERS)
def mirror(request, inbox, actor):
    stage = FileStage(request.getfixturevalue(request.param))
    yield Mirror(stage, inbox.account, actor)
    stage.close()


def test_a_tree_comes_in_and_what_changes_there_does_too(mirror):
    mirror.ask("MKCOL", "a")
    mirror.ask("MKCOL", "a/b")
    mirror.ask("PUT", "a/b/one.txt", content=b"one")
    mirror.ask("PUT", "größe.txt", content=b"")
    mirror.sync()
    expected = {"a": None, "a/b": None, "a/b/one.txt": b"one", "größe.txt": b""}
    assert mirror.agree() == expected
    mirror.ask("PUT", "a/b/one.txt", content=b"another one")
    mirror.ask("DELETE", "größe.txt")
    mirror.sync()
    assert mirror.agree() == {"a": None, "a/b": None, "a/b/one.txt": b"another one"}
    versions = mirror.node("a/b/one.txt").versions.order_by("number")
    assert [one.blob.read() for one in versions] == [b"one", b"another one"]


def test_what_is_made_here_lies_there_with_the_folders_on_the_way(mirror):
    mirror.make("x/y/deep.txt", b"deep")
    create_folder(actor=mirror.actor, account=mirror.account, path=f"{mirror.top}/empty")
    mirror.make("top & 100 %.txt", b"top")
    mirror.sync()
    assert mirror.agree() == {
        "x": None, "x/y": None, "x/y/deep.txt": b"deep", "empty": None, "top & 100 %.txt": b"top",
    }  # fmt: skip
    mirror.write("x/y/deep.txt", b"deeper")
    mirror.sync()
    assert mirror.agree()["x/y/deep.txt"] == b"deeper"


def test_nothing_echoes(mirror):
    mirror.make("x/y.txt", b"y")
    mirror.ask("PUT", "z.txt", content=b"z")
    mirror.sync()
    mirror.sync()
    with mirror.stage.reopened() as store:
        etags = {one.id: one.etag for one in store.changes(mirror.stage.collection, "").present}
    events = list(FileNode.objects.values_list("path", "version", "modified_at"))
    for _again in range(2):
        mirror.sync()
        assert mirror.source.calls <= (3 if mirror.stage.server.title != "apache" else 5)
    with mirror.stage.reopened() as store:
        now = {one.id: one.etag for one in store.changes(mirror.stage.collection, "").present}
    assert now == etags
    assert list(FileNode.objects.values_list("path", "version", "modified_at")) == events


def test_a_folder_moves_at_once_with_what_changed_in_it(mirror):
    for name in ("one", "two", "three"):
        mirror.make(f"a/b/{name}.txt", name.encode())
    mirror.sync()
    mirror.move("a", "z")
    mirror.write("z/b/two.txt", b"changed")
    mirror.make("z/b/four.txt", b"four")
    mirror.sync()
    assert mirror.agree() == {
        "z": None, "z/b": None, "z/b/one.txt": b"one", "z/b/two.txt": b"changed",
        "z/b/three.txt": b"three", "z/b/four.txt": b"four",
    }  # fmt: skip
    # Not one by one.
    assert mirror.node("z/b/one.txt").version == 1
    assert not SyncConflict.objects.exists()


def test_what_was_moved_there_is_moved_here_with_its_versions(mirror):
    mirror.ask("MKCOL", "a")
    mirror.ask("PUT", "a/one.txt", content=b"one")
    mirror.ask("PUT", "a/two.txt", content=b"two")
    mirror.sync()
    mirror.write("a/one.txt", b"ours")
    key = mirror.node("a/one.txt").pk
    mirror.sync()
    mirror.move_there("a/", "b/")
    mirror.ask("MKCOL", "c")
    mirror.move_there("b/one.txt", "c/first.txt")
    mirror.sync()
    assert mirror.agree() == {"b": None, "c": None, "c/first.txt": b"ours", "b/two.txt": b"two"}
    moved = mirror.node("c/first.txt")
    assert (moved.pk, moved.version) == (key, 2)


def test_moved_there_and_written_here_comes_to_both(mirror):
    mirror.ask("PUT", "one.txt", content=b"one")
    mirror.sync()
    mirror.move_there("one.txt", "first.txt")
    mirror.write("one.txt", b"ours")
    mirror.sync()
    assert mirror.agree() == {"first.txt": b"ours"}
    assert not SyncConflict.objects.exists()


def test_moved_here_and_written_there_comes_to_both(mirror):
    mirror.make("d/one.txt", b"one")
    mirror.sync()
    mirror.move("d/one.txt", "first.txt")
    mirror.ask("PUT", "d/one.txt", content=b"theirs")
    mirror.sync()
    mirror.sync()
    assert mirror.agree() == {"d": None, "first.txt": b"theirs"}


def test_a_folder_deleted_here_goes_there_but_for_what_is_new_in_it(mirror):
    for name in ("one", "two"):
        mirror.make(f"a/b/{name}.txt", name.encode())
    mirror.make("a/keep.txt", b"keep")
    mirror.sync()
    mirror.move("a/keep.txt", "kept.txt")
    mirror.delete("a")
    mirror.sync()
    assert mirror.agree() == {"kept.txt": b"keep"}
    mirror.make("a/b/one.txt", b"again")
    mirror.sync()
    mirror.delete("a")
    mirror.ask("PUT", "a/b/new.txt", content=b"new")
    mirror.sync()
    mirror.sync()
    assert mirror.agree() == {"kept.txt": b"keep", "a": None, "a/b": None, "a/b/new.txt": b"new"}


def test_a_folder_deleted_there_goes_here_but_for_what_is_new_in_it(mirror):
    mirror.make("a/b/one.txt", b"one")
    mirror.sync()
    mirror.ask("DELETE", "a/")
    mirror.make("a/b/new.txt", b"new")
    mirror.sync()
    mirror.sync()
    assert mirror.agree() == {"a": None, "a/b": None, "a/b/new.txt": b"new"}
    mirror.ask("DELETE", "a/")
    mirror.sync()
    assert mirror.agree() == {}
    # With all in it it can be restored at once.
    folder = FileNode.objects.exclude(deleted_at=None).get(
        path=f"{mirror.top}/a", deleted_at=FileNode.objects.get(path__endswith="new.txt").deleted_at
    )
    restore_file(actor=mirror.actor, file=folder)
    mirror.sync()
    assert mirror.agree() == {"a": None, "a/b": None, "a/b/new.txt": b"new"}


def test_where_both_write_theirs_stands_and_ours_is_the_version_before(mirror):
    mirror.make("one.txt", b"one")
    mirror.sync()
    mirror.write("one.txt", b"ours")
    mirror.ask("PUT", "one.txt", content=b"theirs")
    mirror.sync()
    assert mirror.agree() == {"one.txt": b"theirs"}
    versions = mirror.node("one.txt").versions.order_by("number")
    assert [it.blob.read() for it in versions] == [b"one", b"ours", b"theirs"]
    conflict = SyncConflict.objects.get()
    assert conflict.title == "one.txt"
    assert conflict.ours == {"digest": hashlib.sha256(b"ours").hexdigest()}


def test_made_on_both_sides_under_one_name_is_one(mirror):
    mirror.make("one.txt", b"ours")
    mirror.ask("PUT", "one.txt", content=b"theirs")
    mirror.make("same.txt", b"same")
    mirror.ask("PUT", "same.txt", content=b"same")
    mirror.sync()
    mirror.sync()
    assert mirror.agree() == {"one.txt": b"theirs", "same.txt": b"same"}
    assert SyncConflict.objects.get().title == "one.txt"


def test_two_files_change_their_names(mirror):
    mirror.make("a.txt", b"a")
    mirror.make("b.txt", b"b")
    mirror.make("f/c.txt", b"c")
    mirror.make("g/c.txt", b"d")
    mirror.sync()
    mirror.move("a.txt", "x.txt")
    mirror.move("b.txt", "a.txt")
    mirror.move("x.txt", "b.txt")
    mirror.move("f", "h")
    mirror.move("g", "f")
    mirror.move("h", "g")
    mirror.sync()
    mirror.sync()
    assert mirror.agree() == {
        "a.txt": b"b", "b.txt": b"a", "f": None, "g": None, "f/c.txt": b"d", "g/c.txt": b"c",
    }  # fmt: skip


def test_what_takes_the_place_of_another_is_told_after_it(mirror):
    mirror.make("a.txt", b"a")
    mirror.make("f/b.txt", b"b")
    mirror.sync()
    mirror.delete("a.txt")
    mirror.make("a.txt/within.txt", b"within")
    mirror.move("f/b.txt", "b.txt")
    mirror.delete("f")
    mirror.make("f", b"now a file")
    mirror.sync()
    mirror.sync()
    assert mirror.agree() == {
        "a.txt": None, "a.txt/within.txt": b"within", "b.txt": b"b", "f": b"now a file",
    }  # fmt: skip


def test_a_name_that_somebody_takes_there_meanwhile_is_theirs(mirror):
    mirror.make("a.txt", b"a")
    mirror.sync()
    mirror.move("a.txt", "b.txt")
    mirror.ask("PUT", "b.txt", content=b"theirs")
    mirror.sync()
    mirror.sync()
    assert mirror.agree() == {"b.txt": b"theirs", "b (2).txt": b"a"}


def test_names_that_differ_in_case_alone_are_said_and_come_once_there_is_room(mirror):
    mirror.ask("PUT", "a.txt", content=b"a")
    mirror.sync()
    mirror.ask("PUT", "A.TXT", content=b"A")
    mirror.sync()
    assert mirror.here() == {"a.txt": b"a"}
    [item] = RemoteItem.objects.exclude(problem="")
    assert (item.path, "in case alone" in str(item.problem)) == ("A.TXT", True)
    mirror.ask("DELETE", "a.txt")
    mirror.sync()
    assert mirror.agree() == {"A.TXT": b"A"}


def test_names_that_differ_in_case_alone_come_in_together(mirror):
    mirror.ask("PUT", "a.txt", content=b"a")
    mirror.ask("PUT", "A.TXT", content=b"A")
    mirror.ask("PUT", "b.txt", content=b"b")
    mirror.sync()
    here = mirror.here()
    assert (len(here), here.pop("b.txt")) == (2, b"b")
    [item] = RemoteItem.objects.exclude(problem="")
    assert item.path not in here
    assert mirror.there() == {"a.txt": b"a", "A.TXT": b"A", "b.txt": b"b"}


def test_names_in_another_normal_form_are_the_same_names(mirror):
    decomposed = unicodedata.normalize("NFD", "Büro")
    mirror.ask("MKCOL", decomposed)
    mirror.ask("PUT", f"{decomposed}/größe.txt", content=b"one")
    mirror.sync()
    assert mirror.here() == {"Büro": None, "Büro/größe.txt": b"one"}
    mirror.write("Büro/größe.txt", b"two")
    mirror.make("Büro/new.txt", b"new")
    mirror.sync()
    mirror.sync()
    assert not RemoteItem.objects.exclude(problem="").exists()
    assert mirror.there() == {
        decomposed: None, f"{decomposed}/größe.txt": b"two", f"{decomposed}/new.txt": b"new",
    }  # fmt: skip


def test_a_name_that_is_none_here_is_said_and_left_alone(mirror):
    mirror.ask("MKCOL", "f")
    mirror.ask("PUT", "f/CON.txt", content=b"device")
    mirror.ask("PUT", "f/fine.txt", content=b"fine")
    mirror.sync()
    [item] = RemoteItem.objects.exclude(problem="")
    assert (item.path, "reserved name" in str(item.problem)) == ("f/CON.txt", True)
    mirror.delete("f")
    mirror.sync()
    mirror.sync()
    assert mirror.there() == {"f": None, "f/CON.txt": b"device"}
    assert mirror.here() == {"f": None}


def test_what_is_too_large_is_said_and_never_touched(mirror):
    mirror.ask("PUT", "film.mp4", content=b"x" * (LARGEST_FILE + 1))
    mirror.ask("PUT", "small.txt", content=b"small")
    mirror.sync()
    assert mirror.here() == {"small.txt": b"small"}
    [item] = RemoteItem.objects.exclude(problem="")
    assert "67,108,865 bytes" in str(item.problem)
    mirror.ask("PUT", "small.txt", content=b"y" * (LARGEST_FILE + 1))
    mirror.sync()
    assert mirror.here() == {"small.txt": b"small"}
    mirror.write("small.txt", b"ours")
    mirror.sync()
    mirror.delete("small.txt")
    mirror.sync()
    assert {path: len(content) for path, content in mirror.there().items()} == {
        "film.mp4": LARGEST_FILE + 1, "small.txt": LARGEST_FILE + 1,
    }  # fmt: skip
    mirror.ask("PUT", "small.txt", content=b"small again")
    mirror.ask("DELETE", "film.mp4")
    mirror.sync()
    assert mirror.agree() == {"small.txt": b"small again"}


def test_what_leaves_the_folder_leaves_the_server_and_the_folder_itself_does_not(mirror):
    mirror.make("a/one.txt", b"one")
    mirror.make("two.txt", b"two")
    mirror.sync()
    move_file(actor=mirror.actor, file=mirror.node("a"), path="/Elsewhere")
    mirror.sync()
    assert mirror.agree() == {"two.txt": b"two"}
    assert FileNode.objects.kept().filter(path="/Elsewhere/one.txt").exists()
    mirror.collection.refresh_from_db()
    folder = move_file(actor=mirror.actor, file=mirror.collection.folder, path="/Renamed")
    mirror.sync()
    delete_file(actor=mirror.actor, file=folder)
    mirror.sync()
    assert mirror.there() == {"two.txt": b"two"}
    mirror.collection.refresh_from_db()
    assert not mirror.collection.is_taken


def test_what_was_told_and_not_written_down_is_found_again(mirror):
    mirror.make("f/one.txt", b"one")
    mirror.sync()
    rows = {row.pk: (row.href, row.path, row.agreed) for row in RemoteItem.objects.all()}
    mirror.move("f", "g")
    mirror.make("new.txt", b"new")
    mirror.sync()
    # As it was before the server had answered.
    RemoteItem.objects.exclude(pk__in=rows).update(href=None, path="", etag="", agreed={})
    for pk, (href, path, agreed) in rows.items():
        RemoteItem.objects.filter(pk=pk).update(href=href, path=path, agreed=agreed)
    RemoteItem.objects.update(dirty=True)
    RemoteCollection.objects.update(position="")
    keys = set(RemoteItem.objects.values_list("key", flat=True))
    mirror.sync()
    mirror.sync()
    assert mirror.agree() == {"g": None, "g/one.txt": b"one", "new.txt": b"new"}
    assert set(RemoteItem.objects.values_list("key", flat=True)) == keys
    assert not SyncConflict.objects.exists()
