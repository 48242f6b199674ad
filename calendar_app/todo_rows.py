"""Todos in the admin: read, and restored where they were deleted."""

from django.contrib import admin
from django.db.models import Model
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from calendar_app.models import Todo, TodoList, TodoStatus
from calendar_app.operations.todos import restore_todo
from inbox.admin.base import WorkspaceAdmin
from inbox.admin.restoring import DeletedFilter, RestoringAdmin
from inbox.templatetags.chancery import mail, when


@admin.register(TodoList)
class TodoListRows(WorkspaceAdmin):
    """Lists of todos."""

    list_display = ("name", "is_default")
    fields = ("name", "is_default", "created_at")


@admin.register(Todo)
class TodoRows(RestoringAdmin):
    """Todos in the order of their lists; deleted ones are restored here with all under them."""

    list_display = ("summary_line", "due_at", "state", "star", "part_of", "list")
    list_select_related = ("list", "parent")
    list_filter = (DeletedFilter, "status", "starred")
    search_fields = ("summary", "description")
    ordering = ("list_id", "position", "id")
    fields = (
        "summary", "description", "due_at", "state", "star", "parent", "list", "changed",
        "deleted_at",
    )  # fmt: skip
    readonly_fields = ("due_at", "state", "star", "changed")

    def restore(self, row: Model) -> None:
        """Bring it back with all that was deleted together with it."""
        if isinstance(row, Todo):
            restore_todo(todo=row)

    @admin.display(description=_("what"), ordering="summary")
    def summary_line(self, todo: Todo) -> SafeString:
        """Say what is to be done."""
        return mail(todo.summary, 160)

    @admin.display(description=_("part of"))
    def part_of(self, todo: Todo) -> SafeString:
        """Name the todo above it."""
        return mail(todo.parent.summary if todo.parent else "", 80)

    @admin.display(description=_("due"), ordering="due")
    def due_at(self, todo: Todo) -> SafeString:
        """Until when."""
        return when(todo.due)

    @admin.display(description=_("state"), ordering="status")
    def state(self, todo: Todo) -> SafeString | str:
        """Whether it is done, and since when."""
        if todo.status != TodoStatus.COMPLETED:
            return gettext("open")
        return format_html(gettext("done {}"), when(todo.completed_at))

    @admin.display(description=_("starred"), ordering="starred")
    def star(self, todo: Todo) -> str:
        """Whether it is marked."""
        return "★" if todo.starred else ""

    @admin.display(description=_("changed"))
    def changed(self, todo: Todo) -> SafeString:
        """When anything of it was last changed."""
        return when(todo.updated_at)
