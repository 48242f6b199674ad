"""What was changed in lists of to-dos that lie at a server, marked to be told there."""

from collections import defaultdict

from calendar_app.models import Todo
from inbox.background.jobs import Payload, subscribe
from inbox.models import RemoteCollection
from inbox.syncing.collections.marking import mark_changed


@subscribe("todo.created", "calendar.mark_created_todos")
def mark_created(payload: Payload) -> None:
    """Have servers told of new to-dos."""
    _mark(payload)


@subscribe("todo.updated", "calendar.mark_updated_todos")
def mark_updated(payload: Payload) -> None:
    """Have servers told of what changed of to-dos."""
    _mark(payload)


@subscribe("todo.deleted", "calendar.mark_deleted_todos")
def mark_deleted(payload: Payload) -> None:
    """Have servers told of to-dos that were deleted."""
    _mark(payload)


@subscribe("todo.restored", "calendar.mark_restored_todos")
def mark_restored(payload: Payload) -> None:
    """Have servers told of to-dos that are there again."""
    _mark(payload)


def _mark(payload: Payload) -> None:
    rows = Todo.objects.filter(pk__in=payload["todo_ids"], list__remote__is_taken=True)
    by_list: dict[int, list[str]] = defaultdict(list)
    for key, remote in rows.values_list("pk", "list__remote"):
        by_list[remote].append(str(key))
    collections = RemoteCollection.objects.filter(pk__in=by_list).select_related("source__account")
    for collection in collections:
        mark_changed(collection, by_list[collection.pk])
