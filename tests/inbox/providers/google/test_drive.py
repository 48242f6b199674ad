"""Google Drive does what every collection does, and what is its own."""

import hashlib

import pytest

from inbox.providers.change_store import (
    NO_BYTES,
    ItemChangedError,
    ItemRefusedError,
    Move,
    Put,
    Remove,
)
from tests.change_store_cases import ChangeStoreCases, create, everything, fetched, follow
from tests.inbox.providers.google.stages import DriveStage
from tests.machines.google.drive import DOCUMENT, FOLDER


@pytest.fixture
def stage(drive: DriveStage) -> DriveStage:
    return drive


class TestFiles(ChangeStoreCases):
    # What is uploaded in two steps.
    large = 6_000_000


def paths(stage):
    return {entry.path: entry for entry in everything(stage).present}


def apply(stage, change, if_match=""):
    return stage.store.apply(stage.collection, change, if_match)


def folder(stage, path, parent=""):
    return apply(stage, Put("", "", b"", path=path, is_folder=True, parent=parent)).id


def test_files_stand_in_folders_and_move_with_them(stage):
    year = stage.make("2026", kind=FOLDER)
    month = stage.make("March", year, FOLDER)
    stage.put("plan.txt", "Plan", month)
    first = everything(stage)
    assert {it.path: it.is_folder for it in first.present} == {
        "2026": True, "2026/March": True, "2026/March/plan.txt": False,
    }  # fmt: skip
    stage.change(month, {"addParents": stage.drive.root, "removeParents": year}, name="Spring")
    found = follow(stage, first.position)
    assert {it.path for it in found.present} == {"2026", "Spring", "Spring/plan.txt"}
    moved = {it.id: it for it in found.present}[stage.ids["plan.txt"]]
    assert moved.etag == {it.id: it for it in first.present}[moved.id].etag


def test_a_file_that_changed_is_told_alone_with_its_path(stage):
    place = stage.make("2026", kind=FOLDER)
    stage.put("plan.txt", "Plan", place)
    position = everything(stage).position
    stage.put("plan.txt", "Better plan")
    stage.store = stage.reopened()
    found = follow(stage, position)
    [entry] = found.present
    assert (found.is_whole, entry.path) == (False, "2026/plan.txt")
    [item] = fetched(stage, [entry.id])
    assert item.etag == entry.etag == hashlib.md5(item.raw).hexdigest()


def test_what_is_trashed_with_its_folder_is_gone_and_comes_back_with_it(stage):
    place = stage.make("2026", kind=FOLDER)
    stage.put("plan.txt", "Plan", place)
    position = everything(stage).position
    stage.change(place, trashed=True)
    found = follow(stage, position)
    assert (found.present, fetched(stage, [stage.ids["plan.txt"]])) == ((), [])
    stage.change(place, trashed=False)
    assert {it.path for it in follow(stage, found.position).present} == {"2026", "2026/plan.txt"}


def test_documents_of_google_are_listed_with_the_reason_and_left_alone(stage):
    key = stage.make("Minutes", kind=DOCUMENT)
    entry = paths(stage)["Minutes"]
    assert (entry.id, entry.size) == (key, NO_BYTES)
    assert "no bytes" in entry.problem
    assert fetched(stage, [key]) == []


def test_two_of_one_name_have_two_paths_and_slashes_are_no_folders(stage):
    for uid in ("one", "two"):
        stage.ids[uid] = stage.make("a/b.txt")
        stage.write(stage.ids[uid], uid.encode())
    stage.make("..")
    found = paths(stage)
    older, newer = sorted(stage.ids.values())
    assert {path: it.id for path, it in found.items() if "b" in path} == {
        "a_b.txt": older, f"a_b ({newer[-6:]}).txt": newer,
    }  # fmt: skip
    assert "_" in found
    position = everything(stage).position
    stage.write(newer, b"new")
    stage.store = stage.reopened()
    [entry] = follow(stage, position).present
    assert entry.path == f"a_b ({newer[-6:]}).txt"


def test_what_is_shared_by_others_and_lies_in_no_folder_of_ours_is_left_out(stage):
    stage.put("theirs.txt", "Theirs")
    stage.drive.files[stage.ids["theirs.txt"]]["parents"] = ["0AJ-of-somebody-else"]
    assert paths(stage) == {}


def test_folders_and_files_are_made_moved_and_put_into_the_bin(stage):
    year = folder(stage, "2026")
    assert folder(stage, "2026") == year
    raw = b"Plan\r\n--chancery\r\n\x00\xff"
    made = apply(stage, Put("", "", raw, path="2026/plan's.txt", parent=year))
    assert stage.drive.contents[made.id] == raw
    assert made.etag == paths(stage)["2026/plan's.txt"].etag
    with pytest.raises(ItemChangedError):
        apply(stage, Put("", "", b"other", path="2026/plan's.txt", parent=year))
    moved = apply(stage, Move(made.id, "done.txt"), made.etag)
    assert moved == made
    assert {*paths(stage)} == {"2026", "done.txt"}
    create(stage, "taken.txt", "Taken")
    with pytest.raises(ItemChangedError):
        apply(stage, Move(made.id, "taken.txt"), made.etag)
    apply(stage, Remove(year))
    assert {*paths(stage)} == {"done.txt", "taken.txt"}
    assert stage.drive.files[year]["trashed"] is True


def test_what_may_only_be_read_is_refused(stage):
    stage.put("one", "One")
    [entry] = everything(stage).present
    stage.drive.files[entry.id]["capabilities"]["canEdit"] = False
    for change in (Put(entry.id, "", b"x"), Move(entry.id, "two"), Remove(entry.id)):
        with pytest.raises(ItemRefusedError, match="insufficientFilePermissions"):
            apply(stage, change, entry.etag)


@pytest.mark.parametrize("path", ["../out", "a//b", "", "a/./b", "a\0b"])
def test_a_path_that_is_none_is_refused(stage, path):
    with pytest.raises(ItemRefusedError):
        apply(stage, Put("", "", b"x", path=path))


def test_nothing_is_put_into_a_folder_that_is_in_the_bin_meanwhile(stage):
    place = folder(stage, "a")
    stage.put("one", "One")
    known = paths(stage)["one"]
    stage.change(place, trashed=True)
    for change in (
        Put("", "", b"x", path="a/such", parent=place),
        Put("", "", b"", path="a/such", is_folder=True, parent=place),
        Move(known.id, "a/such", parent=place),
    ):
        with pytest.raises(ItemChangedError):
            apply(stage, change)
    assert {*paths(stage)} == {"one"}


def test_a_token_goes_to_no_other_host_with_a_large_file(stage):
    stage.drive.server.url = "http://localhost:9"
    with pytest.raises(ItemRefusedError, match="upload"):
        create(stage, "large", "Large", "x" * 6_000_000)


def test_a_file_whose_answer_was_lost_is_made_once(stage):
    stage.server.order("lose", "POST")
    with pytest.raises(Exception, match="disconnected"):
        create(stage, "one", "One")
    with pytest.raises(ItemChangedError):
        create(stage, "one", "One")
    assert len(paths(stage)) == 1
