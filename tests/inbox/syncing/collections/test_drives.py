"""Files at a drive whose ids stay: only what moved is told of, and nothing is fetched for it."""

import os
import random
import sys

import pytest
from django.core.files.storage import default_storage

from inbox.errors import DomainError
from inbox.files.storage import blob_name
from inbox.models import (
    FileNode,
    FileVersion,
    RemoteCollection,
    RemoteItem,
    SyncConflict,
)
from inbox.operations.files import create_file, create_folder, delete_file, move_file, write_file
from inbox.providers import PROVIDERS
from inbox.providers.change_store import Move, Remove
from inbox.reasons.words import worded
from tests.cases import made_up
from tests.inbox.syncing.collections.sources import connect, sync
from tests.made_up_drive import Drive, declare

pytestmark = pytest.mark.django_db
ROUNDS = int(os.environ.get("SYNC_ROUNDS", "20"))
SEED = int(os.environ.get("SYNC_SEED", "1"))


class Mirrored:
    """A drive, and our folder in step with it."""

    def __init__(self, drive, account, actor):
        self.drive, self.account, self.actor = drive, account, actor
        self.source = connect(account, "drive", {})
        self.collection = RemoteCollection.objects.select_related("folder").get(
            source=self.source
        )  # fmt: skip
        self.top = self.collection.folder.path

    def sync(self, *, fails=False):
        self.source = sync(self.source)
        assert fails or self.source.failures == 0, (self.source.words, self.source.reply)

    def node(self, path):
        return FileNode.objects.kept().get(account=self.account, path=f"{self.top}/{path}")

    def make(self, path, content=b""):
        create_file(
            actor=self.actor, account=self.account, path=f"{self.top}/{path}", content=content
        )

    def move(self, old, new):
        move_file(actor=self.actor, file=self.node(old), path=f"{self.top}/{new}")

    def here(self):
        rows = FileNode.objects.kept().below(self.collection.folder).select_related("blob")
        return {
            row.path.removeprefix(f"{self.top}/"): None if row.is_folder else row.blob.read()
            for row in rows
        }

    def agree(self):
        items = RemoteItem.objects.filter(collection=self.collection)
        said = list(items.values("pk", "key", "href", "path", "etag", "dirty", "stale", "problem"))
        assert self.here() == self.drive.everything(), "\n".join(map(str, said))
        assert not items.filter(dirty=True).exists(), said
        assert not items.exclude(problem="").exists(), said
        return self.here()


@pytest.fixture
def mirrored(inbox, actor, monkeypatch):
    drive = Drive()
    monkeypatch.setitem(PROVIDERS, "drive", declare(drive))
    return Mirrored(drive, inbox.account, actor)


@pytest.fixture
def tree(mirrored):
    """Two folders, one in the other, with a file in each."""
    for path, content in (("a", None), ("a/b", None), ("a/1", b"1"), ("a/b/2", b"2")):
        mirrored.drive.make(path, content)
    mirrored.sync()
    assert mirrored.agree() == {"a": None, "a/b": None, "a/1": b"1", "a/b/2": b"2"}
    mirrored.drive.fetched.clear()
    return mirrored


def test_a_folder_that_moves_there_takes_all_with_it_and_nothing_is_fetched(tree):
    keys = {path: tree.node(path).pk for path in tree.here()}
    drive = tree.drive
    drive.move(drive.at("a"), "", "z")
    drive.move(drive.at("z/1"), "", "one")
    tree.sync()
    assert tree.agree() == {"z": None, "z/b": None, "one": b"1", "z/b/2": b"2"}
    assert tree.node("z/b/2").pk == keys["a/b/2"]
    assert tree.node("one").pk == keys["a/1"]
    assert drive.fetched == []
    assert drive.applied == []


def test_a_folder_that_goes_there_takes_all_with_it_but_for_what_moved_out(tree):
    drive = tree.drive
    drive.move(drive.at("a/b"), "", "b")
    drive.remove(drive.at("a"))
    tree.sync()
    assert tree.agree() == {"b": None, "b/2": b"2"}
    assert drive.fetched == []


def test_folders_and_files_change_places_there(tree):
    drive = tree.drive
    inner, outer = drive.at("a/b"), drive.at("a")
    drive.move(inner, "", "b")
    drive.move(outer, inner, "a")
    drive.make("x", b"x")
    drive.make("y", b"y")
    tree.sync()
    drive.move(drive.at("x"), "", "t")
    drive.move(drive.at("y"), "", "x")
    drive.move(drive.at("t"), "", "y")
    tree.sync()
    assert tree.agree() == {
        "b": None, "b/a": None, "b/a/1": b"1", "b/2": b"2", "x": b"y", "y": b"x",
    }  # fmt: skip
    assert not SyncConflict.objects.exists()
    assert drive.applied == []


def test_our_folder_moves_by_one_change(tree):
    tree.move("a", "z")
    write_file(actor=tree.actor, file=tree.node("z/b/2"), content=b"two")
    tree.sync()
    assert tree.agree() == {"z": None, "z/b": None, "z/1": b"1", "z/b/2": b"two"}
    moves = [change for change in tree.drive.applied if isinstance(change, Move)]
    assert moves == [Move(tree.drive.at("z"), "z")]
    assert len(tree.drive.applied) == 2


def test_a_folder_that_both_move_goes_where_it_was_moved_there(tree):
    tree.move("a", "ours")
    tree.drive.move(tree.drive.at("a"), "", "theirs")
    tree.sync()
    assert tree.agree() == {"theirs": None, "theirs/b": None, "theirs/1": b"1", "theirs/b/2": b"2"}
    [conflict] = SyncConflict.objects.all()
    assert (conflict.ours, conflict.theirs) == ({"path": "ours/"}, {"path": "theirs/"})


def test_what_is_made_there_in_a_folder_that_moves_here_goes_with_it(tree):
    tree.move("a", "z")
    tree.drive.make("a/b/new", None)
    tree.drive.make("a/b/new/3", b"3")
    tree.sync()
    found = tree.agree()
    assert found["z/b/new/3"] == b"3"
    assert found.keys() == {"z", "z/b", "z/1", "z/b/2", "z/b/new", "z/b/new/3"}


def test_a_folder_deleted_here_is_emptied_before_it_goes(tree):
    delete_file(actor=tree.actor, file=tree.node("a"))
    tree.sync()
    assert tree.agree() == {}
    assert all(isinstance(change, Remove) for change in tree.drive.applied)
    assert len(tree.drive.applied) == 4


def test_what_changed_in_a_folder_that_is_deleted_here_comes_back(tree):
    delete_file(actor=tree.actor, file=tree.node("a"))
    tree.drive.write(tree.drive.at("a/b/2"), b"two")
    tree.sync()
    tree.sync()
    assert tree.agree() == {"a": None, "a/b": None, "a/b/2": b"two"}
    versions = tree.node("a/b/2").versions.order_by("number")
    assert [one.blob.read() for one in versions] == [b"2", b"two"]


class Chance:
    """Changes the drive and ours at random; a content is never the same twice."""

    def __init__(self, mirrored, seed):
        self.it, self.chance = mirrored, random.Random(seed)
        self.written, self.replaced = set(), set()

    def content(self, *, kept=True):
        content = str(self.chance.random()).encode()
        self.written |= {content} if kept else set()
        return content

    def there(self):
        drive, chance = self.it.drive, self.chance
        key = chance.choice(list(drive.nodes)) if drive.nodes else None
        folders = ["", *(one for one, node in drive.nodes.items() if node.content is None)]
        parent, name = chance.choice(folders), chance.choice("abcdef")
        act = chance.choices(("make", "folder", "write", "move", "remove"), (4, 2, 3, 4, 1))[0]
        is_free = drive.named(parent, name) is None and parent.count("") < 9
        if act in {"make", "folder"} and is_free:
            drive.add(parent, name, self.content() if act == "make" else None)
        elif key is None:
            return
        elif act == "write" and drive.nodes[key].content is not None:
            self.replaced.add(drive.nodes[key].content)
            drive.write(key, self.content())
        elif act == "move" and is_free and not drive.holds(key, parent):
            drive.move(key, parent, name)
        elif act == "remove":
            drive.remove(key)

    def here(self):
        it, chance = self.it, self.chance
        nodes = list(FileNode.objects.kept().below(it.collection.folder).order_by("pk"))
        folders = [it.collection.folder, *(one for one in nodes if one.is_folder)]
        path = f"{chance.choice(folders).path}/{chance.choice('abcdef')}"
        one = chance.choice(nodes) if nodes else None
        act = chance.choices(("make", "folder", "write", "move", "remove"), (4, 2, 3, 4, 1))[0]
        content = self.content(kept=False)
        try:
            if act == "make":
                create_file(actor=it.actor, account=it.account, path=path, content=content)
                self.written.add(content)
            elif act == "folder":
                create_folder(actor=it.actor, account=it.account, path=path)
            elif one is None:
                return
            elif act == "write":
                write_file(actor=it.actor, file=one, content=content)
                self.written.add(content)
            elif act == "move":
                move_file(actor=it.actor, file=one, path=path)
            else:
                delete_file(actor=it.actor, file=one)
        except DomainError as error:
            if error.code not in {"conflict", "not_found", "invalid_input"}:
                raise


def test_what_the_server_fails_at_keeps_nothing_else_from_being_told(tree):
    drive = tree.drive
    drive.fails_at = {b"bad"}
    for name, content in (("a/bad", b"bad"), ("a/fine", b"fine"), ("late", b"late")):
        tree.make(name, content)
    tree.sync(fails=True)
    assert {"a/fine", "late"} <= drive.everything().keys()
    # It is told each time, after all others, and named; the rest is in step meanwhile.
    tree.make("a/later", b"later")
    tree.sync()
    assert "a/later" in drive.everything()
    (bad,) = RemoteItem.objects.exclude(problem="")
    assert (bad.dirty, bad.problem) == (True, "a fault of its own")
    drive.fails_at = set()
    tree.sync()
    assert tree.agree()["a/bad"] == b"bad"


def test_a_server_that_fails_at_all_is_left_alone(tree):
    names = [f"{number}" for number in range(9)]
    tree.drive.fails_at = {name.encode() for name in names}
    for name in names:
        tree.make(name, name.encode())
    for _time in range(10):
        tree.sync(fails=True)
    assert tree.source.failures > 5
    assert RemoteItem.objects.filter(dirty=True).count() == len(names)
    tree.drive.fails_at = set()
    tree.sync()
    tree.agree()


@pytest.mark.parametrize("number", range(made_up(4)))
def test_nothing_differs_and_nothing_is_lost_whatever_both_do(inbox, actor, monkeypatch, number):
    drive = Drive()
    monkeypatch.setitem(PROVIDERS, "drive", declare(drive))
    seed = SEED + number
    # Shown where it fails.
    sys.stderr.write(f"SYNC_SEED={seed}\n")
    it, drive.chance = Mirrored(drive, inbox.account, actor), random.Random(seed)
    both = Chance(it, seed)
    for _round in range(ROUNDS):
        for _number in range(both.chance.randint(0, 4)):
            both.there()
        for _number in range(both.chance.randint(0, 4)):
            both.here()
        drive.loses = both.chance.choice((0.0, 0.0, 0.3))
        it.sync(fails=True)
    drive.loses = 0.0
    for _again in range(6):
        it.sync()
    it.agree()
    versions = {one.blob.read() for one in FileVersion.objects.select_related("blob")}
    lost = both.written - versions - set(drive.bin) - set(drive.everything().values())
    assert not lost - both.replaced
    drive.applied.clear()
    it.sync()
    assert drive.applied == []


def test_two_folders_that_are_moved_into_each_other_are_both_there(tree):
    drive = tree.drive
    drive.make("c", None)
    tree.sync()
    tree.move("c", "a/b/c")
    drive.move(drive.at("a"), drive.at("c"), "a")
    for _again in range(2):
        tree.sync()
    assert tree.agree() == {
        "c": None, "c/a": None, "c/a/1": b"1", "c/a/b": None, "c/a/b/2": b"2", "c/a/b/c": None,
    }  # fmt: skip


def test_what_moved_to_where_it_could_not_stand_goes_there_once_it_can(tree):
    drive = tree.drive
    drive.make("X", b"x")
    tree.sync()
    # Here a name is taken in whatever case.
    drive.make("x", None)
    drive.move(drive.at("a/1"), drive.at("x"), "1")
    tree.sync()
    assert tree.here() == {"a": None, "a/b": None, "a/1": b"1", "a/b/2": b"2", "X": b"x"}
    drive.remove(drive.at("X"))
    drive.fetched.clear()
    tree.sync()
    assert tree.agree() == {"a": None, "a/b": None, "a/b/2": b"2", "x": None, "x/1": b"1"}
    assert drive.fetched == []
    assert drive.applied == []


def test_a_file_whose_content_is_lost_is_said_and_the_others_go_on(tree):
    tree.make("first", b"first")
    tree.make("lost", b"lost")
    tree.make("later", b"later")
    write_file(actor=tree.actor, file=tree.node("a/1"), content=b"lost too")
    for node in (tree.node("lost"), tree.node("a/1"), tree.node("a/b/2")):
        default_storage.delete(blob_name(node.workspace_id, node.blob.sha256))
    tree.drive.write(tree.drive.at("a/b/2"), b"two")
    tree.sync()
    there = {"a": None, "a/b": None, "a/1": b"1", "a/b/2": b"two"}
    assert tree.drive.everything() == {**there, "first": b"first", "later": b"later"}
    items = RemoteItem.objects.exclude(problem="")
    assert {item.key: worded(item.problem) for item in items} == {
        str(tree.node(path).pk): f"The content of {path} is lost here." for path in ("lost", "a/1")
    }
    tree.collection.refresh_from_db()
    assert (tree.collection.problem, tree.collection.current_at is None) == ("", False)

    for path in ("lost", "a/1"):
        write_file(actor=tree.actor, file=tree.node(path), content=b"written anew")
    tree.sync()
    assert tree.agree()["lost"] == tree.agree()["a/1"] == b"written anew"
