"""`google_tasks_service`."""

import pytest

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Receipt
from calendar_app.models import Todo, TodoList
from calendar_app.operations.todos import create_todo
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def tasks(actor):
    """Call the service; return its data."""

    def tasks(action, **arguments):
        answer = call("google_tasks_service", {"action": action, **arguments}, actor).result
        assert (answer["status"], answer["message"]) == ("success", None)
        return answer["data"]

    return tasks


def refused(actor, **arguments):
    with pytest.raises(ToolError) as caught:
        call("google_tasks_service", arguments, actor)
    return caught.value


def test_a_task_is_made_listed_changed_and_deleted(tasks):
    made = tasks("create", title="Offer", due_at="2026-03-06T17:00:00+01:00", notes="For Ada")
    task = made["task"]
    assert (task["title"], task["notes"]) == ("Offer", "For Ada")
    assert task["due_at"] == "2026-03-06T16:00:00Z"
    assert (task["status"], task["starred"]) == ("needsAction", False)
    assert tasks("list") == {"tasks": [task], "truncated": False}
    done = tasks("update", task_id=task["id"], status="completed", starred=True)["task"]
    assert (done["status"], done["starred"], done["title"]) == ("completed", True, "Offer")
    assert "completed_at" in done
    assert tasks("delete", task_id=task["id"]) == {"deleted_task_ids": [task["id"]]}
    assert tasks("list")["tasks"] == []


def test_the_open_ones_come_first(tasks):
    ids = [tasks("create", title=name)["task"]["id"] for name in ("one", "two", "three")]
    tasks("update", task_id=ids[0], status="completed")
    assert [task["title"] for task in tasks("list")["tasks"]] == ["two", "three", "one"]


def test_an_update_changes_only_what_is_given(tasks):
    made = tasks("create", title="x", notes="y", due_at="2026-03-06T17:00:00Z")["task"]
    changed = tasks("update", task_id=made["id"], title="z")["task"]
    assert {**changed, "updated_at": ""} == {**made, "title": "z", "updated_at": ""}
    cleared = tasks("update", task_id=made["id"], due_at=None, notes="")["task"]
    assert "due_at" not in cleared
    assert "notes" not in cleared


def test_an_update_that_changes_nothing_is_refused(actor, tasks):
    made = tasks("create", title="x")["task"]
    error = refused(actor, action="update", task_id=made["id"])
    assert error.code == "invalid_input"
    assert "nothing to change" in error.message


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"action": "create"}, "/title"),
        ({"action": "create", "title": " "}, "/title"),
        ({"action": "create", "title": "x", "due_at": "2026-03-06T17:00:00"}, "/due_at"),
        ({"action": "create", "title": "x", "starred": True}, "/starred"),
        ({"action": "create", "title": "x", "parent_id": "tdo_none"}, "/parent_id"),
        ({"action": "create", "title": "x", "notes": None}, "/notes"),
        ({"action": "list", "limit": 3}, "/limit"),
        ({"action": "update", "task_id": "tdo_none", "title": "x"}, "/task_id"),
        ({"action": "update", "task_id": "tdo_none", "status": "done"}, "/status"),
        ({"action": "delete"}, "/task_id"),
        ({"action": "clear"}, "/action"),
        ({}, "/action"),
    ],
)
def test_what_is_wrong_is_named(actor, arguments, pointer):
    error = refused(actor, **arguments)
    named = error.details.get("pointer") or error.details["errors"][0]["pointer"]
    assert named == pointer


def test_a_part_goes_with_its_task(tasks):
    top = tasks("create", title="move")["task"]["id"]
    part = tasks("create", title="pack", parent_id=top)["task"]
    assert part["parent_id"] == top
    assert tasks("delete", task_id=top) == {"deleted_task_ids": [top, part["id"]]}


def test_a_parent_of_another_list_is_refused(actor, workspace):
    other = TodoList.objects.create(workspace=workspace, name="Other")
    elsewhere = create_todo(actor=actor, todo_list=other, summary="x")
    error = refused(actor, action="create", title="y", parent_id=elsewhere.public_id)
    assert error.code == "invalid_input"
    assert error.details["errors"][0]["pointer"] == "/parent_id"


def test_tasks_stay_in_their_workspace(actor, tasks):
    stranger = factories.agent_actor(factories.make_agent(factories.make_workspace()))
    theirs = call("google_tasks_service", {"action": "create", "title": "theirs"}, stranger)
    task_id = theirs.result["data"]["task"]["id"]
    assert tasks("list")["tasks"] == []
    for action in ("update", "delete"):
        more = {"title": "ours"} if action == "update" else {}
        error = refused(actor, action=action, task_id=task_id, **more)
        assert (error.code, error.details) == ("not_found", {"pointer": "/task_id"})
    assert Todo.objects.get().summary == "theirs"


@pytest.mark.parametrize(
    ("scope", "action"), [("read", "list"), ("write", "create"), ("destroy", "delete")]
)
def test_each_action_needs_its_scope(agent, scope, action):
    actor = factories.agent_actor(agent, factories.EVERY_SCOPE - {f"calendar:{scope}"})
    arguments = {"list": {}, "create": {"title": "x"}, "delete": {"task_id": "tdo_none"}}[action]
    error = refused(actor, action=action, **arguments)
    assert (error.code, error.details) == ("permission_denied", {"scope": f"calendar:{scope}"})


def test_a_receipt_names_the_action(tasks):
    tasks("create", title="x")
    assert Receipt.objects.latest("pk").tool == "google_tasks_service.create"


def test_a_list_of_many_takes_as_many_queries_as_one_of_few(
    actor, tasks, django_assert_max_num_queries
):
    for number in range(12):
        tasks("create", title=str(number))
    tasks("list")  # the first text shown opens a quota's count
    with django_assert_max_num_queries(10):
        assert len(tasks("list")["tasks"]) == 12
