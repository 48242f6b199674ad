"""Google Tasks v1: lists, to-dos with their parts, what was deleted and hidden."""

import itertools
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.machines.google.refusing import Refused
from tests.machines.google.server import Asked, GoogleServer
from tests.machines.google.tokens import Tokens

# The most that a page has, of a list's to-dos.
MOST = 100
LONGEST_TITLE, LONGEST_NOTES = 1024, 8192
_WRITTEN = {"title", "notes", "due", "status", "completed", "deleted", "id", "etag", "kind"}


@dataclass
class TaskList:
    """A list; to-dos by their id, deleted ones too."""

    id: str
    title: str
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)


class Tasks:
    """The service."""

    def __init__(self, server: GoogleServer) -> None:
        self.server, self.tokens = server, Tokens()
        self.revisions = itertools.count(1)
        self.lists: dict[str, TaskList] = {}
        self.add(TaskList("MTIzNDU2Nzg5MDEyMzQ1Njc4OTA6MDow", "My Tasks"))
        server.handlers |= {
            "tasks.tasklists.list": self.list_lists,
            "tasks.tasks.list": self.list_tasks,
            "tasks.tasks.get": self.get,
            "tasks.tasks.insert": self.insert,
            "tasks.tasks.patch": self.patch,
            "tasks.tasks.delete": self.delete,
            "tasks.tasks.move": self.move,
        }

    def add(self, task_list: TaskList) -> TaskList:
        """Have another list."""
        self.lists[task_list.id] = task_list
        return task_list

    # -- reading -----------------------------------------------------------------------------------
    def list_lists(self, asked: Asked) -> dict[str, Any]:
        most = min(asked.get("maxResults", 1000), 1000)
        if asked.get("pageToken"):
            page = self.tokens.next_page("lists", asked["pageToken"], most)
        else:
            found = [
                {"kind": "tasks#taskList", "id": it.id, "title": it.title, "etag": '"list"'}
                for it in self.lists.values()
            ]
            page = self.tokens.page("lists", found, "", most)
        return {"kind": "tasks#taskLists", "etag": '"lists"', **page}

    def list_tasks(self, asked: Asked) -> dict[str, Any]:
        task_list = self._list(asked)
        rest = {name: value for name, value in asked.parameters.items() if name != "pageToken"}
        call, most = ("tasks", repr(sorted(rest.items()))), min(asked.get("maxResults", 20), MOST)
        if asked.get("pageToken"):
            page = self.tokens.next_page(call, asked["pageToken"], most)
        else:
            found = [it for it in task_list.tasks.values() if _fits(it, asked)]
            page = self.tokens.page(call, found, "", most)
        return {"kind": "tasks#tasks", "etag": '"tasks"', **page}

    def get(self, asked: Asked) -> dict[str, Any]:
        return self._task(asked)

    def _list(self, asked: Asked) -> TaskList:
        if asked["tasklist"] not in self.lists:
            raise Refused(404, "notFound", "Task list not found.")
        return self.lists[asked["tasklist"]]

    def _task(self, asked: Asked) -> dict[str, Any]:
        found = self._list(asked).tasks.get(asked["task"])
        if found is None:
            raise Refused(404, "notFound", "Task not found.")
        return found

    # -- writing -----------------------------------------------------------------------------------
    def insert(self, asked: Asked) -> dict[str, Any]:
        task_list = self._list(asked)
        _check(asked.body)
        if {"id", "etag", "deleted"} & asked.body.keys():
            raise Refused(400, "invalid", "They are the server's to give")
        made = {
            "kind": "tasks#task", "id": uuid.uuid4().hex[:22], "status": "needsAction",
            "title": "", "links": [], **asked.body,
        }  # fmt: skip
        self._put_below(task_list, made, asked)
        return self._keep(task_list, made)

    def patch(self, asked: Asked) -> dict[str, Any]:
        task_list, before = self._list(asked), self._task(asked)
        _check_match(before, asked)
        _check(asked.body)
        after = {**before, **asked.body}
        return self._keep(task_list, {k: v for k, v in after.items() if v is not None})

    def delete(self, asked: Asked) -> None:
        task_list, found = self._list(asked), self._task(asked)
        _check_match(found, asked)
        if not found.get("deleted"):
            self._keep(task_list, {**found, "deleted": True})
        for part in [*task_list.tasks.values()]:
            if part.get("parent") == found["id"] and not part.get("deleted"):
                self._keep(task_list, {**part, "deleted": True})

    def move(self, asked: Asked) -> dict[str, Any]:
        if "destinationTasklist" in asked.parameters or "previous" in asked.parameters:
            raise Refused(501, "notImplemented")
        task_list, found = self._list(asked), dict(self._task(asked))
        if found.get("deleted"):
            raise Refused(404, "notFound", "Task not found.")
        found.pop("parent", None)
        self._put_below(task_list, found, asked)
        return self._keep(task_list, found)

    def _put_below(self, task_list: TaskList, task: dict[str, Any], asked: Asked) -> None:
        parent = asked.get("parent")
        if parent is None:
            return
        above = task_list.tasks.get(parent, {"deleted": True})
        # A part of a part is as little to be had as a circle.
        if above.get("deleted") or "parent" in above or parent == task["id"]:
            raise Refused(400, "invalid", "Invalid parent")
        task["parent"] = parent

    def _keep(self, task_list: TaskList, task: dict[str, Any]) -> dict[str, Any]:
        if task["status"] == "completed":
            task.setdefault("completed", now())
        else:
            task.pop("completed", None)
        if "due" in task:
            task["due"] = f"{task['due'][:10]}T00:00:00.000Z"
        if not task.get("notes"):
            task.pop("notes", None)
        task |= {"etag": f'"{next(self.revisions)}"', "updated": now()}
        task["selfLink"] = f"{self.server.url}/tasks/v1/lists/{task_list.id}/tasks/{task['id']}"
        task["position"] = f"{len(task_list.tasks):020}"
        task_list.tasks[task["id"]] = task
        return task


def _fits(task: dict[str, Any], asked: Asked) -> bool:
    return (
        task["updated"] >= _instant(asked.get("updatedMin", "1970-01-01T00:00:00Z"))
        and (asked.get("showDeleted", False) or not task.get("deleted"))
        and (asked.get("showHidden", False) or not task.get("hidden"))
        and (asked.get("showCompleted", True) or task["status"] != "completed")
    )


def _instant(text: str) -> str:
    return _written(datetime.fromisoformat(text))


def _check(body: dict[str, Any]) -> None:
    if unknown := body.keys() - _WRITTEN:
        raise Refused(400, "invalid", f"read-only: {sorted(unknown)}")
    if body.get("status", "needsAction") not in ("needsAction", "completed"):
        raise Refused(400, "invalid", "Invalid status")
    if len(body.get("title") or "") > LONGEST_TITLE or len(body.get("notes") or "") > LONGEST_NOTES:
        raise Refused(400, "invalid", "Too long")


def _check_match(task: dict[str, Any], asked: Asked) -> None:
    if asked.headers.get("if-match", "*") not in ("*", task["etag"]):
        raise Refused(412, "conditionNotMet", "Precondition Failed")


def now() -> str:
    return _written(datetime.now(UTC))


def _written(moment: datetime) -> str:
    said = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return said.replace("+00:00", "Z")
