"""Lists with what was deleted in them, which reviewers and owners bring back."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from inbox.admin.base import WorkspaceAdmin
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.viewer import viewer_of


class DeletedFilter(admin.SimpleListFilter):
    """What is there, unless what was deleted is asked for."""

    title = _("deleted")
    parameter_name = "deleted"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The one choice beside the usual one."""
        return [("yes", gettext("Deleted"))]

    def choices(self, changelist: Any) -> Any:
        """Call the usual choice what it is."""
        usual, *others = super().choices(changelist)
        yield {**usual, "display": gettext("Existing")}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the ones or the others."""
        return queryset.filter(deleted_at__isnull=self.value() != "yes")


class RestoringAdmin(WorkspaceAdmin):
    """Rows with `deleted_at`; the action “Restore” brings chosen ones back."""

    actions: Any = ("restore_chosen",)
    list_filter: ClassVar[tuple[Any, ...]] = (DeletedFilter,)

    def restore(self, row: Model) -> None:
        """Bring one row back; raises DomainError."""
        raise NotImplementedError

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Offer to restore where what was deleted is listed."""
        actions: dict[str, Any] = super().get_actions(request)
        if request.GET.get(DeletedFilter.parameter_name) != "yes":
            actions.pop("restore_chosen", None)
        return actions

    def has_restore_permission(self, request: HttpRequest) -> bool:
        """Whoever decides somewhere; each row is looked at once more."""
        return viewer_of(request).may_decide()

    @admin.action(description=_("Restore"), permissions=["restore"])
    def restore_chosen(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        """Bring the chosen rows back, as far as the person decides in their workspaces."""
        viewer, restored = viewer_of(request), 0
        for row in rows.exclude(deleted_at=None):
            if not viewer.may_decide(self.workspace_of(row)):
                continue
            try:
                self.restore(row)
            except DomainError as error:
                self.message_user(request, f"{row}: {words_of(error)}", messages.ERROR)
            else:
                restored += 1
        self.message_user(
            request, gettext("Restored: %(number)s.") % {"number": restored}, messages.SUCCESS
        )
