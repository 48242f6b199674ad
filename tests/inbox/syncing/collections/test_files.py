"""Files of a server, kept in a folder of ours and told back by their content."""

import hashlib

import pytest

from inbox.errors import DomainError
from inbox.models import FileNode, RemoteCollection, RemoteItem, Workspace
from inbox.operations.files import (
    create_file,
    create_folder,
    delete_file,
    move_file,
    restore_file,
    write_file,
)
from inbox.syncing.collections.files.keeper import FileKeeper
from inbox.syncing.collections.keepers import Incoming, UnfitItemError
from tests.cases import in_one_test
from tests.inbox.syncing.collections.mirrored import make_collection

pytestmark = pytest.mark.django_db


@pytest.fixture
def drive(inbox):
    collection = make_collection(inbox.account, "files", name="Drive")
    FileKeeper().open(collection)
    return collection


def incoming(path, content=b"", key=""):
    fields = FileKeeper().read(content, path)
    return Incoming(key, fields, frozenset(fields), content, path)


def keep(drive, *items):
    keys = FileKeeper().keep(drive, items)
    now = FileKeeper().find(drive, keys)
    for key, item in zip(keys, items, strict=True):
        RemoteItem.objects.update_or_create(
            collection=drive,
            key=key,
            defaults={"href": f"/{item.path}", "agreed": now[key], "path": item.path},
        )
    return keys


def find(drive, key):
    return FileKeeper().find(drive, [key]).get(key)


def digest(content):
    return hashlib.sha256(content).hexdigest()


def test_files_and_folders_stand_below_the_collections_folder(drive):
    items = [
        incoming("Offers/June/a.txt", b"one"),
        incoming("Offers/", b""),
        incoming("b.txt", b""),
    ]
    keys = keep(drive, *items)
    assert [find(drive, key) for key in keys] == [
        {"path": "Offers/June/a.txt", "digest": digest(b"one")},
        {"path": "Offers/", "digest": ""}, {"path": "b.txt", "digest": digest(b"")},
    ]  # fmt: skip
    paths = FileNode.objects.order_by("path_key").values_list("path", flat=True)
    assert list(paths) == [
        "/Drive", "/Drive/b.txt", "/Drive/Offers", "/Drive/Offers/June", "/Drive/Offers/June/a.txt",
    ]  # fmt: skip
    assert [FileKeeper().read(it.raw, it.path) for it in items] == [
        find(drive, key) for key in keys
    ]


def test_a_folder_that_stands_on_the_way_already_is_the_one_that_comes_later(drive):
    keep(drive, incoming("Offers/a.txt", b"one"))
    [key] = keep(drive, incoming("Offers/"))
    assert FileNode.objects.get(path="/Drive/Offers").pk == int(key)


def test_another_content_is_a_version_and_ours_is_the_one_before(drive, actor):
    [key] = keep(drive, incoming("a.txt", b"one"))
    write_file(actor=actor, file=FileNode.objects.get(pk=key), content=b"ours")
    keep(drive, incoming("a.txt", b"theirs", key))
    node = FileNode.objects.get(pk=key)
    assert [it.blob.read() for it in node.versions.order_by("number")] == [
        b"one",
        b"ours",
        b"theirs",
    ]
    # What only ours changed is not written over by the server's bytes.
    ours = {"path": "a.txt", "digest": digest(b"mine")}
    FileKeeper().keep(drive, [Incoming(key, ours, frozenset(), b"theirs", "a.txt")])
    assert FileNode.objects.get(pk=key).version == 3


def test_an_item_that_moves_by_itself_is_moved(drive):
    [key] = keep(drive, incoming("a.txt", b"one"))
    assert keep(drive, incoming("B/a.txt", b"one", key)) == [key]
    assert FileNode.objects.get(pk=key).path == "/Drive/B/a.txt"


def test_what_is_here_alone_and_comes_from_there_is_one(drive, actor, inbox):
    ours = create_file(actor=actor, account=inbox.account, path="/Drive/a.txt", content=b"ours")
    assert keep(drive, incoming("a.txt", b"theirs")) == [str(ours.pk)]
    assert [it.blob.read() for it in ours.versions.order_by("number")] == [b"ours", b"theirs"]


def test_names_that_differ_in_case_alone_are_not_both_kept(drive):
    keep(drive, incoming("a.txt", b"one"))
    with pytest.raises(UnfitItemError, match="in case alone"):
        FileKeeper().keep(drive, [incoming("b.txt", b"x"), incoming("A.TXT", b"two")])
    # Nothing of the batch was.
    assert not FileNode.objects.filter(name="b.txt").exists()


@in_one_test("path", ["../a.txt", "/etc/passwd", "a//b", "", "con.txt", "a\x00b", "x/" * 20 + "a"])
def test_a_path_that_is_none_of_ours_is_unfit(path):
    with pytest.raises(UnfitItemError, match=r"^Its path "):
        FileKeeper().read(b"", path)


def test_what_changes_here_is_told_by_its_content(drive, actor, inbox):
    made = create_file(actor=actor, account=inbox.account, path="/Drive/a.txt", content=b"new")
    fields = find(drive, str(made.pk))
    assert FileKeeper().write(b"", fields, frozenset(fields), "") == b"new"
    moved = move_file(actor=actor, file=made, path="/Elsewhere.txt")
    assert find(drive, str(moved.pk)) is None


def test_what_is_gone_there_is_deleted_here_and_comes_back(drive, actor):
    keys = keep(
        drive, incoming("Offers/"), incoming("Offers/a.txt", b"one"), incoming("b.txt", b"x")
    )
    FileKeeper().remove(drive, keys[:2])
    assert [find(drive, key) is not None for key in keys] == [False, False, True]
    # Deleted here, and changed there meanwhile: the server's stands.
    assert keep(drive, incoming("b.txt", b"y", keys[2])) == [keys[2]]
    FileKeeper().remove(drive, [keys[2]])
    assert keep(drive, incoming("b.txt", b"z", keys[2])) == [keys[2]]
    assert find(drive, keys[2])["digest"] == digest(b"z")


def test_a_folder_has_a_name_of_its_own_and_goes_softly(drive, inbox):
    other = make_collection(inbox.account, "files", name="Drive")
    odd = make_collection(inbox.account, "files", name="../CON")
    keeper = FileKeeper()
    keeper.open(other)
    keeper.open(odd)
    assert (other.folder.path, odd.folder.path) == (
        "/Drive (2)",
        "/CON",
    ) or odd.folder.path == "/Files"
    keep(drive, incoming("a.txt", b"one"))
    keeper.close(drive)
    assert not keeper.is_open(drive)
    assert not FileNode.objects.kept().filter(path__startswith="/Drive/").exists()
    assert Workspace.objects.exists()


def test_a_folder_that_may_only_be_read_refuses_every_change(drive, actor, inbox):
    [key, gone] = keep(drive, incoming("a.txt", b"one"), incoming("b.txt", b"two"))
    file, deleted = FileNode.objects.get(pk=key), FileNode.objects.get(pk=gone)
    delete_file(actor=actor, file=deleted)
    RemoteCollection.objects.filter(pk=drive.pk).update(read_only=True)
    account = inbox.account
    for attempt in (
        lambda: create_file(actor=actor, account=account, path="/drive/c.txt", content=b""),
        lambda: create_folder(actor=actor, account=account, path="/Drive/Deep/er"),
        lambda: write_file(actor=actor, file=file, content=b"x"),
        lambda: move_file(actor=actor, file=file, path="/a.txt"),
        lambda: delete_file(actor=actor, file=file),
        lambda: restore_file(actor=actor, file=deleted),
    ):
        with pytest.raises(DomainError) as refused:
            attempt()
        assert (refused.value.code, str(refused.value.message)) == (
            "permission_denied", "/Drive is read-only here. Change it at its source.",
        )  # fmt: skip
    keep(drive, incoming("a.txt", b"from there", key))
    assert find(drive, key)["digest"] == digest(b"from there")
