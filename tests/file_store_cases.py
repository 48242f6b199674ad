"""What every store of files must do besides; the test of each inherits these cases."""

import pytest

from inbox.providers.change_store import (
    Entry,
    ItemChangedError,
    ItemRefusedError,
    Move,
    Put,
    Remove,
)
from inbox.providers.mail_store import StoreError
from tests.change_store_cases import ChangeStoreCases, everything, fetched, follow


class FileCases(ChangeStoreCases):
    """What holds of folders and paths besides."""

    def test_folders_are_told_with_what_lies_in_them(self, stage):
        made = folder(stage, "größe")
        inner = folder(stage, "größe/und mehr")
        path = "größe/und mehr/100 % #1?.txt"
        put = Put("", "", b"hello", path=path, parent=inner.id)
        file = stage.store.apply(stage.collection, put, "")
        found = by_path(stage)
        assert {name: entry.id for name, entry in found.items()} == {
            "größe": made.id, "größe/und mehr": inner.id, path: file.id,
        }  # fmt: skip
        assert [entry.is_folder for entry in found.values()].count(True) == 2
        assert found[path].size == 5
        assert found[path].modified_at is not None
        [item] = fetched(stage, [file.id])
        assert item.raw == b"hello"

    def test_a_change_deep_below_is_told(self, stage):
        folder(stage, "a")
        folder(stage, "a/b")
        position = everything(stage).position
        stage.client.put(f"{stage.collection.id}a/b/c.txt", content=b"new")
        found = follow(stage, position)
        assert "a/b/c.txt" in {entry.path for entry in found.present}

    def test_a_folder_that_is_there_is_that_folder(self, stage):
        assert folder(stage, "a") == folder(stage, "a")
        stage.put("b", "a file")
        with pytest.raises(ItemChangedError):
            folder(stage, "b")

    def test_a_file_is_moved_with_its_folder_but_over_nothing(self, stage):
        folder(stage, "a")
        stage.put("one", "Breakfast")
        stage.put("two", "Lunch")
        known = by_path(stage)
        with pytest.raises(ItemChangedError):
            stage.store.apply(stage.collection, Move(known["one"].id, "two"), known["one"].etag)
        moved = stage.store.apply(
            stage.collection, Move(known["one"].id, "a/one"), known["one"].etag
        )
        renamed = stage.store.apply(stage.collection, Move(known["a"].id, "z"), "")
        found = by_path(stage)
        assert sorted(found) == ["two", "z", "z/one"]
        assert found["z"].id == renamed.id
        assert moved.etag in ("", found["z/one"].etag)

    def test_what_changed_there_is_not_moved(self, stage):
        stage.put("one", "Breakfast")
        known = by_path(stage)["one"]
        stage.put("one", "A late breakfast")
        with pytest.raises(ItemChangedError):
            stage.store.apply(stage.collection, Move(known.id, "two"), known.etag)
        assert list(by_path(stage)) == ["one"]

    def test_a_folder_is_removed_once_nothing_lies_in_it(self, stage):
        made = folder(stage, "a")
        stage.put("a/one", "Breakfast")
        with pytest.raises(ItemChangedError):
            stage.store.apply(stage.collection, Remove(made.id), "")
        stage.remove("a/one")
        for _number in range(2):
            stage.store.apply(stage.collection, Remove(made.id), "")
        assert everything(stage).present == ()

    @pytest.mark.parametrize("path", ["../out", "a//b", "", "a/./b", "a\0b"])
    def test_a_path_that_is_none_is_refused(self, stage, path):
        with pytest.raises(ItemRefusedError):
            stage.store.apply(stage.collection, Put("", "", b"x", path=path), "")

    def test_nothing_is_put_into_a_folder_that_is_gone_meanwhile(self, stage):
        made = folder(stage, "a")
        stage.put("one", "Breakfast")
        known = by_path(stage)["one"]
        stage.store.apply(stage.collection, Remove(made.id), "")
        for change in (
            Put("", "", b"x", path="a/such", parent=made.id),
            Put("", "", b"", path="a/such", is_folder=True, parent=made.id),
            Move(known.id, "a/such", parent=made.id),
        ):
            with pytest.raises(ItemChangedError):
                stage.store.apply(stage.collection, change, "")
        assert list(by_path(stage)) == ["one"]

    def test_a_wrong_password_is_said(self, stage):
        connection = stage.server.connection("nobody", url="", files_url=stage.collection.id)
        with type(stage.store)(connection) as store, pytest.raises(StoreError) as caught:
            store.collections()
        assert caught.value.kind == "login"


def folder(stage, path):
    return stage.store.apply(stage.collection, Put("", "", b"", path=path, is_folder=True), "")


def by_path(stage) -> dict[str, Entry]:
    return {entry.path: entry for entry in everything(stage).present}
