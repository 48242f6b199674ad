"""Lists of to-dos of an account, with what is linked to each."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.machines.api_server import Call, Reply
from tests.machines.graph.changes import Log, answer_delta
from tests.machines.graph.checking import check_answer, check_body, refuse
from tests.machines.graph.events import new_id
from tests.machines.graph.mailbox import Served, body_of, check_match
from tests.machines.graph.queries import Asked, read_query, select
from tests.machines.graph.times import in_utc, midnight, read_time, said, stamp

_PLAIN: dict[str, Any] = {
    "title": "", "status": "notStarted", "importance": "normal", "isReminderOn": False,
    "categories": [], "dueDateTime": None, "startDateTime": None, "completedDateTime": None,
    "reminderDateTime": None, "recurrence": None, "body": {"contentType": "text", "content": ""},
}  # fmt: skip
_DAYS = ("dueDateTime", "startDateTime", "completedDateTime")
_LINKED = ("linkedResources", "checklistItems")


@dataclass
class Task:
    """A to-do."""

    fields: dict[str, Any]
    created: datetime
    modified: datetime
    id: str = field(default_factory=new_id)
    linked: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    change: str = ""

    @property
    def etag(self) -> str:
        return f'W/"{self.change}"'


@dataclass
class TaskList:
    """A list of to-dos; `known` is its well-known name."""

    name: str
    known: str = "none"
    is_owner: bool = True
    id: str = field(default_factory=new_id)
    tasks: dict[str, Task] = field(default_factory=dict)
    log: Log = field(default_factory=Log)


def list_lists(served: Served, call: Call) -> Reply:
    asked = read_query(call, "todoTaskList", {"$top"})
    found = [
        {"id": one.id, "displayName": one.name, "isOwner": one.is_owner, "isShared": False,
         "wellknownListName": one.known}
        for one in served.box.lists.values()
    ]  # fmt: skip
    return served.page(call, "todoTaskList", found, asked)


def list_tasks(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "todoTask", {"$top", "$expand"}, most=100)
    found = list(_list(served, id).tasks.values())
    return served.page(call, "todoTask", [_answer(asked, one) for one in found], asked)


def delta(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    found = _list(served, id)
    return answer_delta(
        served, call, "todoTask", found.log, lambda one: _answer(Asked(), found.tasks[one])
    )


def get_task(served: Served, call: Call, list_id: str, id: str) -> Reply:  # noqa: A002
    asked = read_query(call, "todoTask", {"$expand"})
    full = _answer(asked, _find(served, list_id, id)[1])
    check_answer("todoTask", full)
    return Reply(body=full)


def create_task(served: Served, call: Call, id: str) -> Reply:  # noqa: A002
    found, moment = _list(served, id), served.now()
    made = Task(dict(_PLAIN), moment, moment)
    body = body_of(call)
    for name in _LINKED:
        made.linked[name] = [{**one, "id": secrets.token_hex(8)} for one in body.get(name, [])]
    _write(made, body, moment)
    found.tasks[made.id] = made
    found.log.touch(made.id)
    return Reply(201, _answer(Asked(), made))


def update_task(served: Served, call: Call, list_id: str, id: str) -> Reply:  # noqa: A002
    place, found = _find(served, list_id, id)
    check_match(call, found.etag)
    body = body_of(call)
    if body.keys() & set(_LINKED):
        raise refuse("what is linked is written by itself")
    _write(found, body, served.now())
    place.log.touch(found.id)
    return Reply(body=_answer(Asked(), found))


def delete_task(served: Served, call: Call, list_id: str, id: str) -> Reply:  # noqa: A002
    place, found = _find(served, list_id, id)
    check_match(call, found.etag)
    del place.tasks[found.id]
    place.log.drop(found.id)
    return Reply(204)


def create_link(served: Served, call: Call, list_id: str, id: str) -> Reply:  # noqa: A002
    place, found = _find(served, list_id, id)
    body = body_of(call)
    check_body("linkedResource", body)
    made = {**body, "id": secrets.token_hex(8)}
    found.linked["linkedResources"].append(made)
    _touch(place, found, served.now())
    return Reply(201, made)


def update_link(served: Served, call: Call, list_id: str, id: str, link: str) -> Reply:  # noqa: A002
    place, found = _find(served, list_id, id)
    body = body_of(call)
    check_body("linkedResource", body)
    links = [one for one in found.linked["linkedResources"] if one["id"] == link]
    if not links:
        raise refuse("The specified object was not found in the store.", "ErrorItemNotFound", 404)
    links[0].update(body)
    _touch(place, found, served.now())
    return Reply(body=links[0])


def _touch(place: TaskList, task: Task, moment: datetime) -> None:
    task.modified, task.change = moment, secrets.token_urlsafe(18)
    place.log.touch(task.id)


def _write(task: Task, body: dict[str, Any], moment: datetime) -> None:
    check_body("todoTask", body)
    for name in _PLAIN:
        if name in body:
            task.fields[name] = body[name]
    for name in _DAYS:
        if body.get(name) is not None:
            # Of a time it keeps the day.
            local, zone = read_time(body[name])
            day = in_utc(local, zone).date()
            task.fields[name] = said(midnight(day), "UTC")
    if not task.fields["title"]:
        raise refuse("a to-do has a title", "invalidRequest")
    is_done = task.fields["status"] == "completed"
    if not is_done:
        task.fields["completedDateTime"] = None
    elif task.fields["completedDateTime"] is None:
        task.fields["completedDateTime"] = said(midnight(moment.date()), "UTC")
    task.modified, task.change = moment, secrets.token_urlsafe(18)


def _answer(asked: Asked, task: Task) -> dict[str, Any]:
    full = {
        **task.fields, "id": task.id, "createdDateTime": stamp(task.created),
        "lastModifiedDateTime": stamp(task.modified), "hasAttachments": False,
        "bodyLastModifiedDateTime": stamp(task.modified),
    }  # fmt: skip
    full = {name: value for name, value in full.items() if value is not None}
    found = select(asked, full) | {"@odata.etag": task.etag}
    return found | {name: task.linked[name] for name in _LINKED if name in asked.expand}


def _list(served: Served, id: str) -> TaskList:  # noqa: A002
    found = served.box.lists.get(id)
    if found is None:
        raise refuse("The specified list was not found.", "ErrorItemNotFound", 404)
    return found


def _find(served: Served, list_id: str, id: str) -> tuple[TaskList, Task]:  # noqa: A002
    place = _list(served, list_id)
    if id not in place.tasks:
        raise refuse("The specified object was not found in the store.", "ErrorItemNotFound", 404)
    return place, place.tasks[id]
