"""Lists of todos (RFC 5545 3.6.2)."""

from typing import ClassVar, Self

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import pgettext_lazy

from inbox.actor import Actor
from inbox.models import Account, RemoteCollection, Workspace
from inbox.models.base import PublicModel, VisibleQuerySet


class TodoListQuerySet(VisibleQuerySet["TodoList"]):
    """Lists of todos."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces, but for lists of accounts it was not granted."""
        rows = super().visible_to(actor)
        if actor.account_ids is None:
            return rows
        return rows.filter(Q(account=None) | Q(account__in=actor.account_ids))


class TodoList(PublicModel):
    """A list of todos of a workspace, which all in it share; or one that lies at a server.

    The latter is its account's, and seen by who sees the account.
    """

    ID_PREFIX = "tdl"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="todo_lists")
    account = models.ForeignKey(
        Account, models.CASCADE, null=True, blank=True, related_name="todo_lists",
        verbose_name=pgettext_lazy("field", "account"),
    )  # fmt: skip
    # Where it lies at a server as well; null: nowhere else.
    remote = models.OneToOneField(
        RemoteCollection, models.SET_NULL, null=True, blank=True, related_name="todo_list"
    )
    name = models.CharField(pgettext_lazy("field", "name"), max_length=200)
    is_default = models.BooleanField(pgettext_lazy("field", "is default"), default=False)
    created_at = models.DateTimeField(pgettext_lazy("field", "created at"), auto_now_add=True)

    objects = TodoListQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "todo list")
        verbose_name_plural = pgettext_lazy("rows", "todo lists")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["workspace", "name"], name="todo_list_name_once"),
            models.UniqueConstraint(
                fields=["workspace"],
                condition=models.Q(is_default=True),
                name="todo_list_default_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class TodoStatus(models.TextChoices):
    """Where a todo stands (RFC 5545 3.8.1.11)."""

    NEEDS_ACTION = "needs-action", pgettext_lazy("choice", "Needs Action")
    COMPLETED = "completed", pgettext_lazy("choice", "Completed")


class TodoQuerySet(VisibleQuerySet["Todo"]):
    """Todos."""

    def visible_to(self, actor: Actor) -> Self:
        """Keep those of the actor's workspaces, but for lists of accounts it was not granted."""
        rows = super().visible_to(actor)
        if actor.account_ids is None:
            return rows
        # Not a join: it would change the plan of every page of todos.
        withheld = TodoList.objects.filter(pk=OuterRef("list_id"), account__isnull=False)
        return rows.exclude(Exists(withheld.exclude(account__in=actor.account_ids)))

    def kept(self) -> Self:
        """Leave out what was deleted."""
        return self.filter(deleted_at=None)


class Todo(PublicModel):
    """A todo (RFC 5545 3.6.2). Deleted ones stay for 30 days, in which a person restores them."""

    ID_PREFIX = "tdo"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    list = models.ForeignKey(
        TodoList, models.CASCADE, related_name="todos", verbose_name=pgettext_lazy("field", "list")
    )
    uid = models.CharField(max_length=255)
    summary = models.CharField(pgettext_lazy("field", "summary"), max_length=1024)
    description = models.TextField(pgettext_lazy("field", "description"), blank=True)
    due = models.DateTimeField(null=True, blank=True)
    status = models.CharField(
        pgettext_lazy("field", "status"), max_length=12, choices=TodoStatus,
        default=TodoStatus.NEEDS_ACTION,
    )  # fmt: skip
    completed_at = models.DateTimeField(null=True, blank=True)
    # RELATED-TO with RELTYPE=PARENT (RFC 5545 3.8.4.5). Nothing cascades by it, for chains may be
    # longer than Python recurses.
    parent = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="children",
        verbose_name=pgettext_lazy("field", "parent"),
    )  # fmt: skip
    # Its UID as a server has it, whose parent may come later, or never.
    parent_uid = models.CharField(max_length=255, blank=True, editable=False)
    starred = models.BooleanField(pgettext_lazy("field", "starred"), default=False)
    # The order within the list.
    position = models.PositiveBigIntegerField(default=0)
    # The actor's key, like `agent:7`.
    created_by = models.CharField(max_length=40)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    # Those that were deleted together have the same time.
    deleted_at = models.DateTimeField(pgettext_lazy("field", "deleted at"), null=True, blank=True)

    objects = TodoQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("rows", "todo")
        verbose_name_plural = pgettext_lazy("rows", "todos")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["list", "uid"], name="todo_uid_once"),
            models.CheckConstraint(
                condition=~models.Q(parent=models.F("id")), name="todo_is_not_its_own_parent"
            ),
            models.CheckConstraint(
                condition=models.Q(status=TodoStatus.COMPLETED) | models.Q(completed_at=None),
                name="todo_completed_when",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["list", "-status", "position", "id"],
                condition=models.Q(deleted_at=None),
                name="todo_in_order",
            ),
            models.Index(fields=["workspace", "-updated_at", "-id"], name="todo_newest"),
            models.Index(fields=["workspace", "created_at", "id"], name="todo_by_creation"),
            models.Index(fields=["workspace", "due", "id"], name="todo_by_due"),
            models.Index(
                fields=["deleted_at"],
                condition=models.Q(deleted_at__isnull=False),
                name="todo_deleted",
            ),
        ]

    def __str__(self) -> str:
        return self.summary
