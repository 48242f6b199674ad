"""Lists of to-dos at a server: ours, as the sync of collections asks for them."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.utils import timezone

from calendar_app.mirroring.keeping_todos import keep_todos, todo_fields, unlink_children
from calendar_app.mirroring.todo_fields import NoTodoError, read_todo, write_todo
from calendar_app.models import Todo, TodoList
from inbox.background.jobs import publish
from inbox.models import RemoteCollection
from inbox.syncing.collections.keepers import Fields, Incoming, UnfitItemError

_MOST_SAME_NAMES = 1000
_UNREADABLE = (ValueError, ArithmeticError, LookupError)


class TodoKeeper:
    """Our side of lists of to-dos; a key is that of a to-do's row."""

    keeps_raw = True

    def open(self, collection: RemoteCollection) -> None:
        """Make the list, or follow the new name of the one there is."""
        account = collection.source.account
        own = TodoList.objects.filter(workspace=collection.workspace_id, account=account)
        found = own.filter(remote=collection).first()
        if found is None:
            # One that was taken before, with what was deleted from it.
            found = own.filter(remote=None, name=collection.name).first() or TodoList(
                workspace_id=collection.workspace_id, account=account
            )
            found.remote = collection
            if _takes_over(collection):
                _defaults(collection).update(is_default=False)
                found.is_default = True
        found.name = _free_name(found, collection.name)
        found.save()

    def is_open(self, collection: RemoteCollection) -> bool:
        """Return True if the list is there."""
        return TodoList.objects.filter(remote=collection).exists()

    def close(self, collection: RemoteCollection) -> None:
        """Delete the to-dos, softly, and let go of the list; an empty one goes too."""
        for todo_list in TodoList.objects.select_for_update().filter(remote=collection):
            rows = todo_list.todos.filter(deleted_at=None)
            keys = list(rows.values_list("pk", flat=True))
            self.remove(collection, [str(key) for key in keys])
            if todo_list.todos.exists():
                TodoList.objects.filter(pk=todo_list.pk).update(remote=None, is_default=False)
            else:
                todo_list.delete()

    def read(self, raw: bytes, path: str = "") -> Fields:
        """Return the fields of a to-do; raises UnfitItemError, without words for what is none."""
        try:
            return read_todo(raw)
        except NoTodoError:
            raise UnfitItemError from None
        except _UNREADABLE as error:
            raise UnfitItemError(str(error)) from error

    def find(self, collection: RemoteCollection, keys: Sequence[str]) -> dict[str, Fields]:
        """Return the fields of to-dos that were not deleted."""
        rows = Todo.objects.filter(list__remote=collection, pk__in=keys, deleted_at=None)
        held = rows.select_for_update(of=("self",)).select_related("parent").order_by("pk")
        return {str(row.pk): todo_fields(row) for row in held}

    def keep(self, collection: RemoteCollection, items: Sequence[Incoming]) -> list[str]:
        """Make to-dos say what the fields do; return their keys."""
        todo_list = TodoList.objects.select_for_update().get(remote=collection)
        return keep_todos(todo_list, items, tells=collection.first_done_at is not None)

    def noticed(self, lost: Fields) -> Fields:
        """Return all of it."""
        return lost

    def remove(self, collection: RemoteCollection, keys: Sequence[str]) -> None:
        """Delete to-dos, softly; what was a part of one stands by itself."""
        rows = Todo.objects.filter(list__remote=collection, pk__in=keys, deleted_at=None)
        gone = list(rows.select_for_update(of=("self",)).order_by("pk"))
        if not gone:
            return
        now = timezone.now()
        unlink_children(gone)
        found = [row.pk for row in gone]
        Todo.objects.filter(pk__in=found).update(deleted_at=now, updated_at=now)
        publish("todo.deleted", {"todo_ids": found}, workspace_id=collection.workspace_id)

    def new_name(self, key: str) -> str:
        """Return the UID."""
        found = Todo.objects.filter(pk=key).values_list("uid", flat=True).first()
        return found or ""

    def write(self, raw: bytes, fields: Fields, changed: frozenset[str], name: str = "") -> bytes:
        """Return the calendar object with what changed of its to-do."""
        uid = str(fields.get("uid", "")) or name
        try:
            return write_todo(raw, fields, changed, uid, timezone.now())
        except _UNREADABLE as error:
            raise UnfitItemError(str(error)) from error

    def title(self, fields: Fields) -> str:
        """Return what is to be done."""
        return str(fields.get("summary", ""))


def _defaults(collection: RemoteCollection) -> QuerySet[TodoList]:
    return TodoList.objects.filter(workspace=collection.workspace_id, is_default=True)


def _takes_over(collection: RemoteCollection) -> bool:
    """Return True where new to-dos belong here: the workspace has used no list of its own yet."""
    if not (collection.is_own and collection.may_write):
        return False
    if _defaults(collection).exclude(account=None).exists():
        return False
    built_in = Todo.objects.filter(workspace=collection.workspace_id, list__account=None)
    return not built_in.exists()


def _free_name(todo_list: TodoList, name: str) -> str:
    """Return the name, or one like it that no other list of the workspace has."""
    rows = TodoList.objects.filter(workspace=todo_list.workspace_id, name__startswith=name[:150])
    taken = set(rows.exclude(pk=todo_list.pk).values_list("name", flat=True)[:_MOST_SAME_NAMES])
    address = todo_list.account.address if todo_list.account else ""
    more = f"{name[:150]} ({address[:30]})"
    names = [name[:200], more, *(f"{more} {number}" for number in range(2, _MOST_SAME_NAMES + 3))]
    return next(one for one in names if one not in taken)
