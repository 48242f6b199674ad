"""To-dos, by their service, on an account of every kind."""

import pytest

from tests.agents.every_kind.offices import calls

pytestmark = pytest.mark.django_db


@calls()
def test_to_dos_are_made_read_changed_and_deleted(office):
    place = office.connect("todos")

    def tasks(action, **arguments):
        return office.serve("google_tasks_service", action, **arguments)

    made = tasks("create", title="Trim the wick", due_at="2026-03-02T00:00:00Z", notes="All six")
    place.has("Trim the wick")
    task_id = made["task"]["id"]
    tasks("update", task_id=task_id, title="Trim the wicks", status="completed")
    place.has("Trim the wicks")
    [found] = tasks("list")["tasks"]
    assert (found["title"], found["notes"], found["status"]) == (
        "Trim the wicks",
        "All six",
        "completed",
    )
    assert found["due_at"] == "2026-03-02T00:00:00Z"
    if place.is_elsewhere:
        place.come("theirs", "Buy oil")
        place.come("theirs", "Buy lamp oil")
        theirs = next(it for it in tasks("list")["tasks"] if it["id"] != task_id)
        assert theirs["title"] == "Buy lamp oil"
        tasks("update", task_id=theirs["id"], notes="Two cans")
        place.has("Trim the wicks", "Buy lamp oil")
        place.go("theirs")
    assert tasks("delete", task_id=task_id)["deleted_task_ids"] == [task_id]
    place.has()
    assert tasks("list")["tasks"] == []
