"""Todos of every list of the workspace."""

from typing import Annotated, Literal

from django_filters import BooleanFilter

from agents.contracts.fields import Closed, Moment, OrAbsent
from agents.lists.filters import Filters, IdFilter, OneOf, before, since
from agents.lists.pages import Order
from agents.resources.collection import Collection, declare
from agents.resources.shapes import IdOf
from agents.resources.trust import Trust
from calendar_app.models import Todo, TodoList, TodoStatus


class TodoShape(Closed):
    """A todo (RFC 5545 3.6.2)."""

    id: str
    list_id: Annotated[str, IdOf(TodoList)]
    summary: str
    description: OrAbsent[str] = None
    status: Literal[tuple(TodoStatus.values)]  # type: ignore[valid-type]
    due: OrAbsent[Moment] = None
    completed_at: OrAbsent[Moment] = None
    parent_id: Annotated[OrAbsent[str], IdOf(Todo)] = None
    starred: bool
    created_at: Moment
    updated_at: Moment
    trust: Trust = None


class TodoFilters(Filters):
    """Todos by list, parent, status, star and times."""

    list_id = IdFilter(TodoList.ID_PREFIX, "list")
    parent_id = IdFilter(Todo.ID_PREFIX, "parent")
    status = OneOf(TodoStatus.choices)
    starred = BooleanFilter()
    due_since = since("due")
    due_before = before("due")
    updated_since = since("updated_at")


declare(
    Collection(
        noun="todos", one="todo", domain="calendar",
        rows=lambda actor: Todo.objects.visible_to(actor).kept(), item=TodoShape,
        filters=TodoFilters, search=("summary", "description"),
        orders={
            "updated_at": Order("updated_at"), "created_at": Order("created_at"),
            "due": Order("due", nullable=True),
        },
        default="-updated_at",
        words="the todos of every list of the workspace; by `due` those without one stand last.",
    )
)  # fmt: skip
