"""Workspaces, who belongs to them, accounts, identities and inboxes."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from inbox.admin.base import WorkspaceAdmin
from inbox.admin.forms import AccountForm, MembershipForm
from inbox.models import Account, Identity, Inbox, Membership, Workspace
from inbox.viewer import viewer_of


@admin.register(Workspace)
class WorkspaceRows(WorkspaceAdmin):
    """Tenants, as their members see them."""

    workspace_path = "id"
    may_change = True
    list_display = ("name", "slug", "created_at")
    fields = ("name", "slug", "created_at")
    readonly_fields = ("slug", "created_at")


class OperationAdmin(WorkspaceAdmin):
    """Rows that an operation makes and changes, through an `OperationForm`."""

    may_add = may_change = True

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """A row stays in its workspace."""
        return ("workspace",) if obj else ()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Leave it: the form's operation has saved it."""


@admin.register(Membership)
class MembershipRows(OperationAdmin):
    """Who may read, decide and set up."""

    form = MembershipForm
    may_delete = True
    list_display = ("user", "workspace", "role")
    list_filter = ("role",)
    list_select_related = ("user", "workspace")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Whose membership it is, and where, never changes."""
        return ("user", "workspace") if obj else ()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """A person is added by name."""
        return ("user", "workspace", "role") if obj else ("workspace", "username", "role")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Owners, but nobody their own: a workspace keeps the owner it has."""
        is_own = obj is not None and obj.user_id == viewer_of(request).actor.id
        return not is_own and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Owners, but nobody their own: a workspace keeps the owner it has."""
        is_own = obj is not None and obj.user_id == viewer_of(request).actor.id
        return not is_own and super().has_delete_permission(request, obj)


@admin.register(Account)
class AccountRows(OperationAdmin):
    """Mail accounts; the password goes in and never comes out."""

    form = AccountForm
    list_display = ("address", "name", "provider", "has_password", "undo_seconds", "workspace")
    list_select_related = ("workspace",)
    search_fields = ("address", "name")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """An account stays in its workspace and keeps its address."""
        return ("workspace", "address") if obj else ()

    @admin.display(boolean=True, description="password kept")
    def has_password(self, account: Account) -> bool:
        """Whether there is a password, which is all that is ever told of it."""
        return bool(account.secret)


@admin.register(Identity)
class IdentityRows(WorkspaceAdmin):
    """Addresses that accounts may send as."""

    may_change = True
    list_display = ("email", "name", "account", "is_default")
    list_select_related = ("account",)
    search_fields = ("email", "name")
    fields = ("account", "email", "name", "is_default")
    readonly_fields = ("account", "email", "is_default")


@admin.register(Inbox)
class InboxRows(WorkspaceAdmin):
    """Addresses that we serve."""

    may_change = True
    list_display = ("address", "status", "account", "workspace")
    list_select_related = ("account", "workspace")
    list_filter = ("status",)
    search_fields = ("address",)
    fields = ("address", "account", "status")
    readonly_fields = ("address", "account")
