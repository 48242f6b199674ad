"""To-dos of a server, kept as rows of a list."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Max
from django.utils import timezone

from calendar_app.mirroring.todo_fields import read_moment, write_moment
from calendar_app.models import Todo, TodoList
from inbox.actor import system_actor
from inbox.background.jobs import publish
from inbox.syncing.collections.keepers import Fields, Incoming

_COLUMNS = [
    "uid", "summary", "description", "due", "status", "completed_at", "parent", "parent_uid",
    "starred", "deleted_at", "updated_at",
]  # fmt: skip


def todo_fields(todo: Todo) -> dict[str, Any]:
    """Return the fields of a to-do here; asks for its parent."""
    return {
        "uid": todo.uid,
        "summary": todo.summary,
        "description": todo.description,
        "due": write_moment(todo.due),
        "status": str(todo.status),
        "completed": write_moment(todo.completed_at),
        "parent": todo.parent.uid if todo.parent else todo.parent_uid,
        "starred": todo.starred,
    }


def keep_todos(todo_list: TodoList, items: Sequence[Incoming], *, tells: bool) -> list[str]:
    """Make to-dos of a list, which is held, say what the fields do; return their keys.

    Publishes `todo.updated` and `todo.restored`, and `todo.created` where it `tells` of new ones.
    """
    known = _find(todo_list, items)
    last = todo_list.todos.aggregate(last=Max("position"))["last"]
    place = -1 if last is None else last
    new, kept, facts = [], [], {"todo.updated": [], "todo.restored": []}  # type: ignore[var-annotated]
    for item in items:
        row = known.get(item.key) or known.get(str(item.fields["uid"]))
        if row is None:
            place += 1
            row = _new(todo_list, str(item.fields["uid"]), place)
            new.append(row)
        elif row.deleted_at is not None or todo_fields(row) != dict(item.fields):
            facts["todo.restored" if row.deleted_at else "todo.updated"].append(row.pk)
        _fill(row, item.fields)
        _follow_uid(row, item, known)
        known[row.uid] = row
        kept.append(row)
    Todo.objects.bulk_create(new)
    _link(todo_list, kept)
    Todo.objects.bulk_update([row for row in kept if row.pk], _COLUMNS, batch_size=100)
    if tells:
        facts["todo.created"] = [row.pk for row in new]
    for fact, keys in facts.items():
        if keys:
            publish(fact, {"todo_ids": keys}, workspace_id=todo_list.workspace_id)
    return [str(row.pk) for row in kept]


def _find(todo_list: TodoList, items: Iterable[Incoming]) -> dict[str, Todo]:
    """Return the rows that are there, by key and by UID, what was deleted too."""
    keys = [item.key for item in items if item.key.isdecimal()]
    uids = [str(item.fields["uid"]) for item in items]
    rows = todo_list.todos.select_for_update(of=("self",)).select_related("parent")
    found = [*rows.filter(pk__in=keys), *rows.filter(uid__in=uids)]
    return {str(row.pk): row for row in found if str(row.pk) in keys} | {
        row.uid: row for row in found
    }


def _new(todo_list: TodoList, uid: str, position: int) -> Todo:
    actor = system_actor(todo_list.workspace_id, "Chancery")
    return Todo(
        workspace_id=todo_list.workspace_id, list=todo_list, uid=uid, position=position,
        created_by=actor.key,
    )  # fmt: skip


def _fill(row: Todo, fields: Fields) -> None:
    """Have a row say the fields; what a field says already stays as exact as it is."""
    before = todo_fields(row)
    now = {name: value for name, value in fields.items() if before.get(name) != value}
    for name in ("summary", "description", "status", "starred"):
        if name in now:
            setattr(row, name, now[name])
    if "due" in now:
        row.due = read_moment(now["due"])
    if "completed" in now:
        row.completed_at = read_moment(now["completed"])
    if "parent" in now or not row.parent_id:
        row.parent, row.parent_uid = None, str(fields.get("parent", ""))
    if now or row.deleted_at is not None:
        row.updated_at = timezone.now()
    row.deleted_at = None


def _follow_uid(row: Todo, item: Incoming, known: Mapping[str, Todo]) -> None:
    """Have a to-do be called what the server calls it: some take no UID of ours."""
    uid = str(item.fields["uid"])
    if item.key and uid not in known:
        row.uid = uid


def _link(todo_list: TodoList, kept: Sequence[Todo]) -> None:
    """Put to-dos below their parents, and those that waited for one of these below it."""
    by_uid = {row.uid: row for row in kept}
    wanted = {row.parent_uid for row in kept if row.parent_uid and not row.parent_id}
    rows = todo_list.todos.filter(deleted_at=None)
    by_uid |= {row.uid: row for row in rows.filter(uid__in=wanted - by_uid.keys())}
    waiting = list(
        rows.filter(parent=None, parent_uid__in=list(by_uid)).exclude(parent_uid="")
    )  # fmt: skip
    own = {row.pk: row for row in kept}
    above = dict(rows.exclude(parent=None).values_list("pk", "parent_id"))
    linked = []
    for row in [*kept, *(it for it in waiting if it.pk not in own)]:
        parent = by_uid.get(row.parent_uid) if row.parent_uid and not row.parent_id else None
        if parent is not None and not _is_above(row.pk, parent.pk, above):
            row.parent = parent
            above[row.pk] = parent.pk
            linked.append(row)
    Todo.objects.bulk_update(linked, ["parent"], batch_size=200)


def _is_above(key: int, start: int, above: Mapping[int, int | None]) -> bool:
    """Return True if a to-do is `start` itself, or above it, so that they would make a circle."""
    step: int | None = start
    while step is not None:
        if step == key:
            return True
        step = above.get(step)
    return False


def unlink_children(parents: Sequence[Todo]) -> None:
    """Have what is a part of these stand by itself; it knows still whose part it was."""
    uids = {row.pk: row.uid for row in parents}
    children = list(Todo.objects.filter(parent__in=uids).exclude(pk__in=uids).select_for_update())
    for child in children:
        child.parent_uid = uids[child.parent_id] if child.parent_id else ""
        child.parent = None
    Todo.objects.bulk_update(children, ["parent", "parent_uid"], batch_size=200)
