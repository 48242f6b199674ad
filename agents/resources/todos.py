"""Todos of every list of the workspace."""

from collections.abc import Sequence
from typing import Any, Literal

from django_filters import BooleanFilter

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, IdFilter, OneOf, before, since
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from calendar_app.models import Todo, TodoList, TodoStatus
from inbox import ids
from inbox.actor import Actor
from inbox.models.base import VisibleQuerySet


class TodoShape(Closed):
    """A todo (RFC 5545 3.6.2)."""

    id: str
    list_id: str
    summary: str
    description: OrAbsent[str] = None
    status: Literal[tuple(TodoStatus.values)]  # type: ignore[valid-type]
    due: OrAbsent[Moment] = None
    completed_at: OrAbsent[Moment] = None
    parent_id: OrAbsent[str] = None
    starred: bool
    created_at: Moment
    updated_at: Moment


class TodoFilters(Filters):
    """Todos by list, parent, status, star and times."""

    list_id = IdFilter(TodoList.ID_PREFIX, "list")
    parent_id = IdFilter(Todo.ID_PREFIX, "parent")
    status = OneOf(TodoStatus.choices)
    starred = BooleanFilter()
    due_since = since("due")
    due_before = before("due")
    updated_since = since("updated_at")


def _rows(actor: Actor) -> VisibleQuerySet[Any]:
    return Todo.objects.visible_to(actor).kept()


def _shapes(rows: Sequence[Todo]) -> list[TodoShape]:
    return [_shape(row) for row in rows]


def _shape(row: Todo) -> TodoShape:
    same = ("summary", "status", "due", "completed_at", "starred", "created_at", "updated_at")
    fields: dict[str, Any] = {
        "id": row.public_id,
        "list_id": ids.encode(TodoList.ID_PREFIX, row.list_id),
        "description": row.description or None,
        "parent_id": ids.encode(Todo.ID_PREFIX, row.parent_id) if row.parent_id else None,
    }
    return TodoShape(**fields, **{name: getattr(row, name) for name in same})


declare(
    Collection(
        noun="todos", one="todo", domain="calendar", rows=_rows, item=TodoShape, shapes=_shapes,
        filters=TodoFilters, search=("summary", "description"),
        orders={
            "updated_at": Order("updated_at"), "created_at": Order("created_at"),
            "due": Order("due", nullable=True),
        },
        default="-updated_at",
        words="the todos of every list of the workspace; by `due` those without one stand last.",
    )
)  # fmt: skip
