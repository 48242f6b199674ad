"""Making, changing, deleting and restoring todos."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from calendar_app.models import Todo, TodoList, TodoStatus
from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.background.periodic import periodic
from inbox.errors import DomainError, invalid
from inbox.operations.purging import purge
from inbox.reasons import phrase as _

_PURGED_AT_ONCE = 2_000
_DEFAULT_NAME = "Todos"


def default_todo_list(*, workspace_id: int, actor: Actor | None = None) -> TodoList:
    """Return the list on which a workspace's agents act; made when it is first asked for.

    It may lie at a server. An actor who does not see the account of that one has the built-in list.
    """
    lists = TodoList.objects.all() if actor is None else TodoList.objects.visible_to(actor)
    found = lists.filter(workspace_id=workspace_id, is_default=True).first()
    return found or _built_in_list(workspace_id)


def _built_in_list(workspace_id: int) -> TodoList:
    lists = TodoList.objects.filter(workspace_id=workspace_id)
    taken = set(lists.exclude(account=None).values_list("name", flat=True))
    names = (_DEFAULT_NAME, *(f"{_DEFAULT_NAME} ({number})" for number in range(2, len(taken) + 3)))
    is_default = not lists.filter(is_default=True).exists()
    made, _ = lists.get_or_create(
        workspace_id=workspace_id, name=next(one for one in names if one not in taken),
        defaults={"is_default": is_default},
    )  # fmt: skip
    if is_default and not made.is_default:
        # The one at a server that was the default is gone.
        made.is_default = True
        made.save(update_fields=["is_default"])
    return made


def create_todo(
    *,
    actor: Actor,
    todo_list: TodoList,
    summary: str,
    description: str = "",
    due: datetime | None = None,
    parent: Todo | None = None,
) -> Todo:
    """Add a todo at the end of the list.

    Raises DomainError where the parent is of another list or has just been deleted, and
    `permission_denied` for a list of a server that may only be read.
    """
    _check_summary(summary)
    with transaction.atomic():
        # Held until the end, so that positions differ and no parent goes meanwhile.
        _lock_list(todo_list.pk)
        if parent is not None:
            _check_parent(todo_list, parent)
        last = todo_list.todos.aggregate(last=Max("position"))["last"]
        todo = Todo.objects.create(
            workspace_id=todo_list.workspace_id, list=todo_list, uid=str(uuid4()),
            summary=summary, description=description, due=due, parent=parent,
            position=0 if last is None else last + 1, created_by=actor.key,
        )  # fmt: skip
        _tell("todo.created", todo.workspace_id, [todo.pk])
    return todo


def _lock_list(key: int) -> None:
    """Hold a list until the end; raises DomainError where its to-dos may not be changed."""
    rows = TodoList.objects.select_related("remote__source").select_for_update(of=("self",))
    _check_writable(rows.get(pk=key))


def _check_writable(todo_list: TodoList) -> None:
    if todo_list.remote is not None and not todo_list.remote.may_write:
        raise DomainError(
            "permission_denied",
            _("The list %(name)s is read-only here. Change it at its source.", name=todo_list.name),
            accepted=_("a list that may be changed"),
        )


def _check_summary(summary: str) -> None:
    if not summary.strip():
        raise invalid("summary", _("is empty"), _("a text that is not empty"))


def _check_parent(todo_list: TodoList, parent: Todo) -> None:
    if parent.list_id != todo_list.pk:
        raise invalid("parent", _("belongs to another list"), _("a to-do of the same list"))
    if not Todo.objects.filter(pk=parent.pk, deleted_at=None).exists():
        raise DomainError("conflict", _("The parent has been deleted."), field="parent")


def update_todo(*, todo: Todo, changes: dict[str, Any]) -> Todo:
    """Set the fields named: summary, description, due, status, starred; return it as it stands.

    Completing records when; reopening forgets it. Raises DomainError: `conflict` where it has been
    deleted meanwhile, `permission_denied` in a list of a server that may only be read.
    """
    if "summary" in changes:
        _check_summary(changes["summary"])
    with transaction.atomic():
        rows = Todo.objects.filter(pk=todo.pk, deleted_at=None)
        with_list = rows.select_related("list__remote__source")
        current = with_list.select_for_update(of=("self",)).first()
        if current is None:
            raise DomainError("conflict", _("The to-do has been deleted."))
        _check_writable(current.list)
        for name, value in changes.items():
            setattr(current, name, value)
        if current.status != TodoStatus.COMPLETED:
            current.completed_at = None
        elif current.completed_at is None and "status" in changes:
            current.completed_at = timezone.now()
        current.save()
        _tell("todo.updated", current.workspace_id, [current.pk])
    return current


def delete_todo(*, todo: Todo) -> list[int]:
    """Delete a todo and all under it, restorable together; return their keys, its own first."""
    now = timezone.now()
    with transaction.atomic():
        _lock_list(todo.list_id)
        keys = [key for key, deleted_at in _family(todo) if deleted_at is None]
        Todo.objects.filter(pk__in=keys).update(deleted_at=now, updated_at=now)
        _tell("todo.deleted", todo.workspace_id, keys)
    return keys


def restore_todo(*, todo: Todo) -> list[int]:
    """Bring a deleted todo back with all that was deleted together with it under it.

    It comes back at the top level where its parent is deleted still. Returns the keys.
    """
    with transaction.atomic():
        _lock_list(todo.list_id)
        current = Todo.objects.select_related("parent").get(pk=todo.pk)
        if current.deleted_at is None:
            return []
        keys = [key for key, deleted_at in _family(current) if deleted_at == current.deleted_at]
        if current.parent is not None and current.parent.deleted_at is not None:
            Todo.objects.filter(pk=current.pk).update(parent=None)
        Todo.objects.filter(pk__in=keys).update(deleted_at=None, updated_at=timezone.now())
        _tell("todo.restored", current.workspace_id, keys)
    return keys


def _family(todo: Todo) -> list[tuple[int, datetime | None]]:
    """Return (key, deleted when) of a todo and of all under it, itself first.

    UNION, not UNION ALL: it ends even in a circle.
    """
    rows = Todo.objects.raw(_FAMILY, [todo.pk])
    found = [(row.pk, row.deleted_at) for row in rows]
    return sorted(found, key=lambda row: row[0] != todo.pk)


_FAMILY = """
WITH RECURSIVE family(id) AS (
    SELECT id FROM calendar_app_todo WHERE id = %s
    UNION
    SELECT child.id FROM calendar_app_todo child JOIN family ON child.parent_id = family.id
)
SELECT todo.id, todo.deleted_at FROM calendar_app_todo todo JOIN family ON todo.id = family.id
"""


@periodic(3600)
def purge_todos(now: datetime | None = None) -> int:
    """Remove the todos that were deleted 30 days ago, some at a time; return how many."""
    return purge(Todo.objects.all(), now, most=_PURGED_AT_ONCE)


def _tell(fact: str, workspace_id: int, keys: list[int]) -> None:
    publish(fact, {"todo_ids": keys}, workspace_id=workspace_id)
