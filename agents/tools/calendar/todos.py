"""The to-dos of the workspace's default list: `google_tasks_service`."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from agents.contracts import Effect, tool
from agents.contracts.fields import Closed, Maybe, Moment, OrAbsent
from agents.dispatching.rows import get_row
from calendar_app.models import Todo, TodoStatus
from calendar_app.operations.todos import (
    create_todo,
    default_todo_list,
    delete_todo,
    update_todo,
)
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.ids import encode

_SERVICE = "google_tasks_service"
# So many a list names, the open ones first.
_MOST = 500
_STATUSES = {"needsAction": TodoStatus.NEEDS_ACTION, "completed": TodoStatus.COMPLETED}
_NAMES = {str(ours): theirs for theirs, ours in _STATUSES.items()}

TaskStatus: TypeAlias = Literal["needsAction", "completed"]
TaskId: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=200, description="The id of a task, as `list` gives it.")
]
Title: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=1024, pattern=r"\S", description="What is to be done.")
]
Notes: TypeAlias = Annotated[str, Field(max_length=8192, description="More about it.")]


class TaskShape(Closed):
    """A to-do."""

    id: str
    title: str
    notes: OrAbsent[str] = None
    status: TaskStatus
    due_at: OrAbsent[Moment] = None
    completed_at: OrAbsent[Moment] = None
    parent_id: OrAbsent[str] = None
    starred: bool
    created_at: Moment
    updated_at: Moment


class ListTasks(Closed):
    """Nothing: it is the default list."""


class TaskList(Closed):
    """The to-dos, the open ones first; `truncated` where there are more than these."""

    tasks: list[TaskShape]
    truncated: bool


@tool(family="services", domain="calendar", effect=Effect.READ, service=(_SERVICE, "list"))
def list_tasks(actor: Actor, args: ListTasks) -> TaskList:
    """List the to-dos, the open ones first, each in the order of the list; at most 500."""
    rows = Todo.objects.visible_to(actor).kept().filter(list=_default_list(actor))
    found = list(rows.order_by("-status", "position", "id")[: _MOST + 1])
    return TaskList(
        tasks=[task_shape(todo) for todo in found[:_MOST]], truncated=len(found) > _MOST
    )


class CreateTask(Closed):
    """What is to be done, until when, and under which other to-do."""

    title: Title
    due_at: Maybe[Annotated[Moment, Field(description="When it is due, with its offset.")]] = None
    notes: Maybe[Notes] = None
    parent_id: Maybe[Annotated[TaskId, Field(description="The to-do that it is a part of.")]] = None


class OneTask(Closed):
    """The to-do as it stands now."""

    task: TaskShape


@tool(
    family="services",
    domain="calendar",
    effect=Effect.WRITE,
    writes="tdo",
    service=(_SERVICE, "create"),
    example={"title": "Send Ada the offer", "due_at": "2026-03-06T17:00:00+01:00"},
)
def create_task(actor: Actor, args: CreateTask) -> OneTask:
    """Add a to-do at the end of the list, or as a part of another one."""
    try:
        todo = create_todo(
            actor=actor,
            todo_list=_default_list(actor),
            summary=args.title,
            description=args.notes or "",
            due=args.due_at,
            parent=_parent(actor, args.parent_id),
        )
    except DomainError as error:
        if error.field != "parent":
            raise
        raise DomainError(
            error.code, error.message, field="parent_id", accepted=error.accepted
        ) from error
    return OneTask(task=task_shape(todo))


class UpdateTask(Closed):
    """Which to-do, and what of it changes; at least one field beside `task_id`."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 2})

    task_id: TaskId
    title: Maybe[Title] = None
    notes: Maybe[Annotated[Notes, Field(description="More about it; empty takes it away.")]] = None
    status: Maybe[Annotated[TaskStatus, Field(description="Whether it is done.")]] = None
    due_at: Annotated[
        Moment | None, Field(description="When it is due, with its offset; null takes it away.")
    ] = None
    starred: Maybe[Annotated[bool, Field(description="Whether it is marked.")]] = None

    @model_validator(mode="after")
    def _changes_something(self) -> "UpdateTask":
        if self.model_fields_set <= {"task_id"}:
            raise ValueError("gives nothing to change")
        return self


@tool(
    family="services",
    domain="calendar",
    effect=Effect.WRITE,
    writes="tdo",
    service=(_SERVICE, "update"),
    example={"task_id": "tdo_8fXoQ2mKpL", "status": "completed"},
)
def update_task(actor: Actor, args: UpdateTask) -> OneTask:
    """Change a to-do: only what is given changes."""
    given = args.model_fields_set
    changes: dict[str, Any] = {
        ours: getattr(args, theirs) for theirs, ours in _FIELDS.items() if theirs in given
    }
    if args.status is not None:
        changes["status"] = _STATUSES[args.status]
    todo = update_todo(todo=_find(actor, args.task_id, "/task_id"), changes=changes)
    return OneTask(task=task_shape(todo))


_FIELDS = {"title": "summary", "notes": "description", "due_at": "due", "starred": "starred"}


class DeleteTask(Closed):
    """Which to-do."""

    task_id: TaskId


class DeletedTasks(Closed):
    """What was deleted: the to-do first, then those under it."""

    deleted_task_ids: list[str]


@tool(
    family="services",
    domain="calendar",
    effect=Effect.DESTROY,
    service=(_SERVICE, "delete"),
    example={"task_id": "tdo_8fXoQ2mKpL"},
)
def delete_task(actor: Actor, args: DeleteTask) -> DeletedTasks:
    """Delete a to-do with all that are a part of it; a person can restore them for 30 days."""
    keys = delete_todo(todo=_find(actor, args.task_id, "/task_id"))
    return DeletedTasks(deleted_task_ids=[encode(Todo.ID_PREFIX, key) for key in keys])


def _default_list(actor: Actor) -> Any:
    return default_todo_list(workspace_id=actor.workspace_id, actor=actor)


def _find(actor: Actor, public_id: str, pointer: str) -> Todo:
    rows = Todo.objects.visible_to(actor).kept()
    return get_row(rows, public_id, "task", pointer)


def _parent(actor: Actor, public_id: str | None) -> Todo | None:
    return None if public_id is None else _find(actor, public_id, "/parent_id")


def task_shape(todo: Todo) -> TaskShape:
    """Return a to-do under the names that the service's contract uses."""
    return TaskShape(
        id=todo.public_id,
        title=todo.summary,
        notes=todo.description or None,
        status=_NAMES[todo.status],  # type: ignore[arg-type]
        due_at=todo.due,
        completed_at=todo.completed_at,
        parent_id=encode(Todo.ID_PREFIX, todo.parent_id) if todo.parent_id else None,
        starred=todo.starred,
        created_at=todo.created_at,
        updated_at=todo.updated_at,
    )
