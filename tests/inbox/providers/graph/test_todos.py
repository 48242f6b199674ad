"""To-dos as they lie in Microsoft To Do, and as iCalendar: what each side's words become."""

from collections.abc import Iterator

import pytest

from inbox.formats.content_lines import read_blocks
from inbox.providers.change_store import Item, ItemChangedError, ItemRefusedError, Put
from inbox.providers.mail_store import StoreError
from tests.inbox.providers.graph.stages import TodoStage, at, connection
from tests.machines.graph.server import ADDRESS, GraphServer

TODO = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Lantern//Office//EN
BEGIN:VTODO
UID:oil@lantern.example
DTSTAMP:20260101T000000Z
SUMMARY:Buy oil
DESCRIPTION:Two barrels
STATUS:NEEDS-ACTION
DUE:20260310T093000Z
PRIORITY:1
RELATED-TO:lamp@lantern.example
END:VTODO
END:VCALENDAR
"""


@pytest.fixture
def stage(graph: GraphServer) -> Iterator[TodoStage]:
    made = TodoStage(graph)
    yield made
    made.close()


def create(stage: TodoStage, text: str = TODO) -> Item:
    raw = text.replace("\n", "\r\n").encode()
    made = stage.store.apply(stage.collection, Put("", "oil@lantern.example", raw), "")
    return fetch(stage, made.id)


def fetch(stage: TodoStage, id: str) -> Item:  # noqa: A002
    [item] = stage.store.fetch(stage.collection, [id])
    return item


def change(stage: TodoStage, item: Item, before: str, after: str) -> Item:
    raw = item.raw.decode()
    assert before in raw, raw
    put = Put(item.id, "", raw.replace(before, after, 1).encode(), item.raw)
    stage.store.apply(stage.collection, put, item.etag)
    return fetch(stage, item.id)


def lines(raw: bytes) -> set[str]:
    [todo] = read_blocks(raw.decode())[0].blocks
    return {str(one) for one in todo.items if not str(one).startswith("DTSTAMP")}


def test_a_to_do_is_read_back_as_it_was_said(stage: TodoStage):
    assert lines(create(stage).raw) == lines(TODO.encode())


def test_it_stands_there_in_the_words_of_to_do(stage: TodoStage):
    there = stage.get(create(stage).id)
    assert there["dueDateTime"] == at("2026-03-10T00:00:00.0000000")
    assert (there["title"], there["importance"], there["status"]) == (
        "Buy oil", "high", "notStarted",
    )  # fmt: skip
    assert there["body"] == {"contentType": "text", "content": "Two barrels"}


def test_a_due_day_that_is_moved_there_stands(stage: TodoStage):
    item = create(stage)
    stage.patch(item.id, {"dueDateTime": at("2026-03-12T00:00:00")})
    found = lines(fetch(stage, item.id).raw)
    assert "DUE;VALUE=DATE:20260312" in found


def test_a_to_do_is_done_and_done_no_more(stage: TodoStage):
    item = create(stage)
    item = change(stage, item, "STATUS:NEEDS-ACTION",
                  "STATUS:COMPLETED\r\nCOMPLETED:20260309T081500Z")  # fmt: skip
    assert stage.get(item.id)["status"] == "completed"
    assert "COMPLETED:20260309T081500Z" in lines(item.raw)
    item = change(stage, item, "STATUS:COMPLETED\r\n", "STATUS:NEEDS-ACTION\r\n")
    assert stage.get(item.id)["status"] == "notStarted"
    assert not any(one.startswith("COMPLETED") for one in lines(item.raw))


def test_what_waits_for_others_goes_on_waiting(stage: TodoStage):
    item = fetch(stage, stage.make({"title": "Oil", "status": "waitingOnOthers"}))
    item = change(stage, item, "SUMMARY:Oil", "SUMMARY:More oil")
    assert stage.get(item.id)["status"] == "waitingOnOthers"


def test_what_is_linked_and_its_steps_stay(stage: TodoStage):
    link = {"applicationName": "Mail", "displayName": "From Otto", "externalId": "7"}
    id_ = stage.make({"title": "Oil", "linkedResources": [link],
                      "checklistItems": [{"displayName": "Barrel", "isChecked": False}]})  # fmt: skip
    change(stage, fetch(stage, id_), "SUMMARY:Oil", "SUMMARY:More oil")
    task = stage.box.lists[stage.collection.id].tasks[id_]
    assert [one["displayName"] for one in task.linked["linkedResources"]] == ["From Otto"]
    assert [one["displayName"] for one in task.linked["checklistItems"]] == ["Barrel"]


def test_a_time_of_a_to_do_from_there_is_kept_beside_it(stage: TodoStage):
    item = fetch(stage, stage.make({"title": "Oil"}))
    item = change(stage, item, "SUMMARY:Oil", "SUMMARY:Oil\r\nDUE:20260310T100000Z")
    assert "DUE:20260310T100000Z" in lines(item.raw)
    item = change(stage, item, "DUE:20260310T10", "DUE:20260310T11")
    assert "DUE:20260310T110000Z" in lines(item.raw)
    task = stage.box.lists[stage.collection.id].tasks[item.id]
    assert len(task.linked["linkedResources"]) == 1


def test_a_second_creation_whose_answer_was_lost_makes_no_second(stage: TodoStage):
    stage.server.order("lose", "^POST .*/tasks$")
    with pytest.raises(StoreError) as caught:
        create(stage)
    assert caught.value.kind == "transient"
    with pytest.raises(ItemChangedError):
        create(stage, TODO.replace("Buy oil", "Buy more oil"))
    assert len(stage.box.lists[stage.collection.id].tasks) == 1


@pytest.mark.parametrize(
    "said", ["BEGIN:VCALENDAR\nEND:VCALENDAR\n", TODO.replace("DUE:", "DUE:x")]
)
def test_what_is_no_to_do_is_refused_by_itself(stage: TodoStage, said):
    with pytest.raises(ItemRefusedError):
        create(stage, said)


def test_flagged_mail_is_no_list_of_to_dos(stage: TodoStage):
    stage.server.add_list(stage.box, "Flagged", known="flaggedEmails")
    found = {one.name: one for one in stage.store.collections() if one.kind == "todos"}
    assert "Flagged" not in found
    assert found["Tasks"].is_default


def test_only_what_was_granted_is_listed(stage: TodoStage):
    token = stage.server.sign_in(ADDRESS, "Tasks.ReadWrite")
    with type(stage.store)(connection(stage.server, token)) as store:
        assert {one.kind for one in store.collections()} == {"todos"}
