"""Files in OneDrive do what every store of files does, and what only a drive has."""

from collections.abc import Iterator

import pytest

from inbox.providers.change_store import ItemChangedError, ItemRefusedError, Move, Put
from inbox.providers.mail_store import StoreError
from tests.change_store_cases import everything, fetched, follow
from tests.file_store_cases import FileCases, by_path, folder
from tests.inbox.providers.graph.stages import DriveStage
from tests.machines.api_server import Reply
from tests.machines.graph.server import GraphServer


@pytest.fixture
def stage(graph: GraphServer) -> Iterator[DriveStage]:
    made = DriveStage(graph)
    yield made
    made.close()


class TestFiles(FileCases):
    """Ids stay through moves; changes are told by Graph's list of them."""

    def test_folders_are_told_with_what_lies_in_them(self, stage):
        made = folder(stage, "größe")
        inner = folder(stage, "größe/und mehr")
        # OneDrive takes no question mark.
        path = "größe/und mehr/100 % #1.txt"
        put = Put("", "", b"hello", path=path, parent=inner.id)
        file = stage.store.apply(stage.collection, put, "")
        found = by_path(stage)
        assert {name: entry.id for name, entry in found.items()} == {
            "größe": made.id, "größe/und mehr": inner.id, path: file.id,
        }  # fmt: skip
        assert found[path].size == 5
        assert found[path].modified_at is not None
        [item] = fetched(stage, [file.id])
        assert item.raw == b"hello"


def test_what_lies_deep_in_a_folder_that_moved_is_told_by_the_folder(stage: DriveStage):
    folder(stage, "a")
    made = folder(stage, "a/b")
    stage.put("a/b/c", "Breakfast")
    position = everything(stage).position
    stage.store.apply(stage.collection, Move(made.id, "z"), "")
    found = follow(stage, position)
    assert [(entry.id, entry.path) for entry in found.present] == [(made.id, "z")]
    stage.put("z/c", "Lunch")
    found = follow(stage, found.position)
    assert [entry.path for entry in found.present] == ["z/c"]


@pytest.mark.parametrize("size", [4 * 1024 * 1024, 4 * 1024 * 1024 + 1, 9_000_000])
def test_a_large_file_goes_in_parts_and_comes_back_whole(stage: DriveStage, size):
    first, second = b"x" * size, b"y" * size
    made = stage.store.apply(stage.collection, Put("", "", first, path="large"), "")
    [item] = fetched(stage, [made.id])
    assert item.raw == first
    stage.store.apply(stage.collection, Put(made.id, "", second, path="large"), item.etag)
    [item] = fetched(stage, [made.id])
    assert item.raw == second
    with pytest.raises(ItemChangedError):
        stage.store.apply(stage.collection, Put("", "", first, path="large"), "")


def test_no_credential_goes_where_a_file_is_downloaded_or_uploaded(stage: DriveStage):
    made = stage.store.apply(stage.collection, Put("", "", b"x" * 5_000_000, path="large"), "")
    fetched(stage, [made.id])
    opened = [it for it in stage.graph.calls if it.path.startswith(("/download/", "/upload/"))]
    assert len(opened) == 3
    assert all("authorization" not in it.headers for it in opened)


@pytest.mark.parametrize("place", ["http://files.example/x", "file:///etc/passwd", ""])
def test_an_address_that_is_not_safe_is_not_followed(stage: DriveStage, monkeypatch, place):
    stage.put("one", "Breakfast")
    honest = stage.graph.answer

    def lying(call) -> Reply:
        reply = honest(call)
        if reply.status == 302:
            reply.headers["Location"] = place
        return reply

    monkeypatch.setattr(stage.graph, "answer", lying)
    [entry] = everything(stage).present
    with pytest.raises(StoreError) as caught:
        fetched(stage, [entry.id])
    assert caught.value.kind == "permanent"


def test_a_download_that_is_open_no_more_is_opened_again(stage: DriveStage):
    stage.put("one", "Breakfast")
    [entry] = everything(stage).present
    stage.graph.order(401, "^GET /download/")
    assert len(fetched(stage, [entry.id])) == 1


def test_a_download_that_is_never_open_is_no_reason_to_sign_in(stage: DriveStage):
    stage.put("one", "Breakfast")
    [entry] = everything(stage).present
    stage.graph.order(401, "^GET /download/", times=2)
    with pytest.raises(StoreError) as caught:
        fetched(stage, [entry.id])
    assert caught.value.kind == "transient"
    assert "password" not in str(caught.value.words)


def test_a_file_that_goes_before_its_download_is_passed_over(stage: DriveStage, monkeypatch):
    stage.put("one", "Breakfast")
    stage.put("two", "Lunch")
    one, two = everything(stage).present
    honest = stage.graph.answer

    def hurried(call) -> Reply:
        if call.path.startswith("/download/") and stage.box.drive:
            stage.box.drive.items.pop(one.id, None)
        return honest(call)

    monkeypatch.setattr(stage.graph, "answer", hurried)
    assert [item.id for item in fetched(stage, [one.id, two.id])] == [two.id]


def test_a_name_that_onedrive_does_not_take_is_refused_by_itself(stage: DriveStage):
    with pytest.raises(ItemRefusedError):
        stage.store.apply(stage.collection, Put("", "", b"x", path="what?"), "")
    with pytest.raises(ItemRefusedError):
        folder(stage, "a*b")


def test_a_part_that_is_lost_has_nothing_written(stage: DriveStage):
    stage.graph.order("drop", "^PUT /upload/", after=1)
    put = Put("", "", b"x" * 9_000_000, path="large")
    with pytest.raises(StoreError):
        stage.store.apply(stage.collection, put, "")
    assert everything(stage).present == ()
    stage.store.apply(stage.collection, put, "")
    assert list(by_path(stage)) == ["large"]


def test_an_account_without_a_drive_has_no_files(stage: DriveStage):
    assert "files" in {one.kind for one in stage.store.collections()}
    stage.box.drive = None
    assert "files" not in {one.kind for one in stage.store.collections()}
