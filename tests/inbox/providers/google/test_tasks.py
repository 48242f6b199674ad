"""Google Tasks does what every collection does, and what is its own."""

import pytest

from calendar_app.mirroring.todo_fields import read_todo
from inbox.formats.content_lines import read_blocks, write_blocks
from inbox.providers.change_store import ItemChangedError, Put
from inbox.providers.mail_store import StoreError
from tests.change_store_cases import (
    ChangeStoreCases,
    create,
    everything,
    fetched,
    follow,
    titles,
)
from tests.inbox.providers.google.stages import TaskStage, good


@pytest.fixture
def stage(todos: TaskStage) -> TaskStage:
    return todos


class TestTasks(ChangeStoreCases):
    # The longest notes that Google Tasks takes, with what stands there while one is made.
    large = 8_000


def items(stage):
    """Return the to-dos by their titles."""
    found = fetched(stage, [entry.id for entry in everything(stage).present])
    return {stage.title(item.raw): item for item in found}


def put(stage, item, *lines):
    """Put a to-do again, with lines in place of those of the same names."""
    blocks = read_blocks(item.raw.decode())
    for line in lines:
        name = line.partition(":")[0].partition(";")[0]
        blocks[0].blocks[0].put(name, [line] if line.partition(":")[2] else [])
    change = Put(item.id, "", write_blocks(blocks).encode(), item.raw)
    return stage.store.apply(stage.collection, change, item.etag)


def test_a_to_do_says_the_same_on_both_sides(stage):
    stage.put("one", "Pay", notes="By wire\nsoon", due="2026-03-02T17:00:00.000Z")
    fields = read_todo(items(stage)["Pay"].raw)
    assert (fields["description"], fields["due"]) == ("By wire\nsoon", "20260302T000000Z")
    done = put(stage, items(stage)["Pay"], "STATUS:COMPLETED", "COMPLETED:20260301T120000Z")
    task = stage.list.tasks[done.id]
    assert (task["status"], task["completed"]) == ("completed", "2026-03-01T12:00:00.000Z")
    fields = read_todo(items(stage)["Pay"].raw)
    assert (fields["status"], fields["completed"]) == ("completed", "20260301T120000Z")
    put(stage, items(stage)["Pay"], "STATUS:NEEDS-ACTION", "COMPLETED:", "DUE:", "DESCRIPTION:")
    task = stage.list.tasks[done.id]
    assert not {"completed", "due", "notes"} & task.keys()


def test_only_what_changed_is_told(stage):
    stage.put("one", "Pay", notes="By wire")
    put(stage, items(stage)["Pay"], "SUMMARY:Pay rent")
    [call] = [it for it in stage.server.calls if it.method == "PATCH"]
    assert call.body == b'{"title": "Pay rent"}'


def test_a_part_of_a_to_do_stands_below_it(stage):
    whole = create(stage, "whole", "Move house")
    more = "RELATED-TO:whole@lantern.example\r\n"
    raw = stage.item("part", "Pack", more=more)
    part = stage.store.apply(stage.collection, Put("", "part", raw), "")
    assert stage.list.tasks[part.id]["parent"] == whole.id
    found = items(stage)
    uid = read_todo(found["Move house"].raw)["uid"]
    assert read_todo(found["Pack"].raw)["parent"] == uid
    put(stage, found["Pack"], "RELATED-TO:")
    assert "parent" not in stage.list.tasks[part.id]
    put(stage, items(stage)["Pack"], f"RELATED-TO:{uid}")
    assert stage.list.tasks[part.id]["parent"] == whole.id


def test_nothing_of_how_it_was_made_stays_once_its_id_is_kept(stage):
    made = create(stage, "one", "Pay", "By wire")
    assert "one@lantern.example" in stage.list.tasks[made.id]["notes"]
    [item] = fetched(stage, [made.id])
    assert stage.list.tasks[made.id]["notes"] == "By wire"
    assert item.etag == stage.list.tasks[made.id]["etag"]


def test_what_was_cut_off_while_it_was_made_is_found_again_by_its_uid(stage):
    stage.server.order("lose", "POST")
    with pytest.raises(StoreError):
        create(stage, "one", "Pay", "By wire")
    stage.store = stage.reopened()
    [item] = items(stage).values()
    fields = read_todo(item.raw)
    assert (fields["uid"], fields["description"]) == ("one@lantern.example", "By wire")
    with pytest.raises(ItemChangedError):
        create(stage, "one", "Pay", "By wire")
    assert len(stage.list.tasks) == 1
    put(stage, item, "SUMMARY:Pay rent")
    assert stage.list.tasks[item.id]["notes"] == "By wire"


def test_what_is_hidden_stays_and_what_is_deleted_is_gone_with_its_parts(stage):
    stage.put("whole", "Move house")
    good(stage.client.post(
        stage.path, params={"parent": stage.ids["whole"]}, json={"title": "Pack"}
    ))  # fmt: skip
    stage.put("done", "Pay", status="completed")
    stage.list.tasks[stage.ids["done"]]["hidden"] = True
    first = everything(stage)
    assert titles(stage, first) == ["Move house", "Pack", "Pay"]
    stage.remove("whole")
    assert len(follow(stage, first.position).gone) == 2


def test_what_was_changed_elsewhere_a_little_earlier_is_told_as_well(stage):
    stage.put("one", "Pay")
    first = everything(stage)
    stage.put("late", "Sign")
    task = stage.list.tasks[stage.ids["late"]]
    newest = stage.list.tasks[stage.ids["one"]]["updated"]
    task["updated"] = f"{newest[:-4]}000Z"
    found = follow(stage, first.position)
    assert titles(stage, found) == ["Sign"]
    assert follow(stage, found.position).present == ()
