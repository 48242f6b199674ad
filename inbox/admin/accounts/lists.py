"""Workspaces, who belongs to them, accounts, identities and inboxes."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from django.urls.resolvers import URLPattern
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from inbox.admin.accounts import account_page, connect_page, sign_in_pages
from inbox.admin.accounts.account_page import standing_of
from inbox.admin.base import OwnPageAdmin, WorkspaceAdmin
from inbox.models import Account, Identity, Inbox, SyncState, SyncStatus, Workspace
from inbox.providers import hosts_of, stays_here
from inbox.providers.presets import preset_of
from inbox.templatetags.chancery import age


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


@admin.register(Account)
class AccountRows(OwnPageAdmin):
    """Mail accounts: connected in steps of their own, each with its own page."""

    may_add = may_change = True
    list_display = ("address", "standing", "name", "reached_by", "seen", "workspace")
    list_select_related = ("workspace", "sync")
    search_fields = ("address", "name")
    ordering = ("address",)
    sortable_by = ()

    @admin.display(description=_("state"))
    def standing(self, account: Account) -> SafeString:
        """How its mirror does."""
        state = _state(account)
        if state is None:
            return SafeString("")
        standing, share = standing_of(state, account), ""
        if state.status == SyncStatus.FIRST and state.total:
            share = f" {min(100 * state.done // state.total, 100)} %"
        return format_html(
            '<span class="chip chip-{}">{}{}</span>', standing.tone, standing.word, share
        )

    @admin.display(description=_("provider"))
    def reached_by(self, account: Account) -> str:
        """Where its mail lies."""
        if stays_here(account.provider):
            return gettext("this server")
        preset = preset_of(account.settings)
        host = next(iter(hosts_of(account.provider, account.settings).values()), "")
        return preset.title if preset else str(host)

    @admin.display(description=_("as of"))
    def seen(self, account: Account) -> SafeString:
        """When it was last known to be as its provider has it."""
        state = _state(account)
        return age(state.current_at) if state else SafeString("")

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lead through connecting; not in Django's form, which holds a transaction."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        return connect_page.connect(request)

    def page_of(self, request: HttpRequest, row: Account) -> HttpResponse:
        """Show the account's page."""
        return account_page.account_page(request, row)

    def get_urls(self) -> list[URLPattern]:
        """Add what the page shows anew by itself."""
        view = self.admin_site.admin_view
        code = "sign-in/code/<str:key>/"
        return [
            path("<int:pk>/mirror/", view(require_safe(self.mirror)), name="inbox_account_mirror"),
            path("sign-in/help/", view(sign_in_pages.help_page), name="inbox_account_sign_in_help"),
            path(code, view(sign_in_pages.code_page), name="inbox_account_sign_in_code"),
            path(f"{code}state/", view(sign_in_pages.code_state), name="inbox_account_code_state"),
            path(
                "sign-in/<str:provider>/", view(sign_in_pages.begin), name="inbox_account_sign_in"
            ),
            path(
                "sign-in/<str:provider>/back/",
                view(sign_in_pages.come_back),
                name="inbox_account_signed_in",
            ),
            *super().get_urls(),
        ]

    def mirror(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show how the mirror of an account does."""
        account = self.get_queryset(request).filter(pk=pk).first()
        if account is None:
            raise Http404("There is no such account.")
        return account_page.mirror(request, account)


def _state(account: Account) -> SyncState | None:
    return getattr(account, "sync", None)


@admin.register(Identity)
class IdentityRows(WorkspaceAdmin):
    """Addresses that accounts may send as."""

    may_change = True
    list_display = ("email", "name", "account", "is_default", "is_listed")
    list_select_related = ("account",)
    search_fields = ("email", "name")
    fields = ("account", "email", "name", "is_default", "is_listed")
    readonly_fields = ("account", "email", "is_default", "is_listed")


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
