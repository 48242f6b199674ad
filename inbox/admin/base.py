"""What every list and form of the admin shares: tenants stay apart, and roles decide."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.core.exceptions import PermissionDenied
from django.db.models import Field, ForeignKey, ManyToManyField, Model, QuerySet
from django.forms import ModelChoiceField, ModelMultipleChoiceField
from django.http import HttpRequest, HttpResponse
from django.utils.functional import cached_property

from inbox.admin.generic import AnyInline, AnyModelAdmin, AnyPaginator
from inbox.viewer import Viewer, viewer_of

LONGEST_TITLE = 120


class BoundedPaginator(AnyPaginator):
    """Pages of a list that is not counted beyond a bound: nobody turns so many."""

    LONGEST = 10_000

    @cached_property
    def count(self) -> int:
        """How many rows there are, or the bound."""
        rows: Any = self.object_list
        return int(rows.order_by()[: self.LONGEST].count())


class WorkspaceAdmin(AnyModelAdmin):
    """Rows of the viewer's workspaces only; owners change them where `may_change` says so."""

    # What owners may do; a row that an operation or an agent makes is read only.
    may_add: ClassVar[bool] = False
    may_change: ClassVar[bool] = False
    may_delete: ClassVar[bool] = False
    # Where a row says which workspace it is of.
    workspace_path: ClassVar[str] = "workspace_id"

    actions = None
    list_per_page = 50
    # A count over everything is dear in a large table and tells nobody anything.
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Only what the person may see."""
        rows = super().get_queryset(request)
        return self.visible(rows, viewer_of(request))

    def visible(self, rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
        """Keep the rows that this viewer may see."""
        visible_to = getattr(rows, "visible_to", None)
        if visible_to is not None:
            kept: QuerySet[Any] = visible_to(viewer.actor)
            return kept
        return rows.filter(**{f"{self.workspace_path}__in": viewer.actor.workspace_ids})

    def workspace_of(self, row: Model) -> int:
        """Return the key of the workspace that a row belongs to."""
        value: Any = row
        for name in self.workspace_path.split("__"):
            value = getattr(value, name)
        return int(value)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Members see that it is there."""
        return viewer_of(request).is_member(None)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Members of the workspace."""
        return viewer_of(request).is_member(self.workspace_of(obj) if obj else None)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Owners, where rows are made by hand at all."""
        return self.may_add and viewer_of(request).may_manage()

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Owners of the row's workspace, where rows are changed by hand at all."""
        return self.may_change and self._manages(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Owners of the row's workspace, where rows are removed by hand at all."""
        return self.may_delete and self._manages(request, obj)

    def _manages(self, request: HttpRequest, obj: Any) -> bool:
        return viewer_of(request).may_manage(self.workspace_of(obj) if obj else None)

    def formfield_for_foreignkey(
        self, db_field: "ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        """Offer only rows of the workspaces that the person sets up."""
        kwargs.setdefault("queryset", self._choices(db_field, request))
        if db_field.name == "workspace" and len(viewer_of(request).managed) == 1:
            kwargs.setdefault("empty_label", None)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(
        self, db_field: "ManyToManyField[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> ModelMultipleChoiceField[Any] | None:
        """Offer only rows of the workspaces that the person sets up."""
        kwargs.setdefault("queryset", self._choices(db_field, request))
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def formfield_for_dbfield(
        self, db_field: "Field[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Leave out Django's buttons beside a choice: what they open is a list of its own here."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and isinstance(field.widget, RelatedFieldWidgetWrapper):
            field.widget = field.widget.widget
        return field

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Head the list with what is in it."""
        name = str(self.model._meta.verbose_name_plural)
        context = {"title": name[:1].upper() + name[1:], **(extra_context or {})}
        return super().changelist_view(request, context)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Head the page with what the row is called."""
        row = context.get("original")
        if row is not None:
            context |= {"title": str(row)[:LONGEST_TITLE], "subtitle": None}
        return super().render_change_form(request, context, *args, **kwargs)

    def _choices(self, db_field: "Field[Any, Any]", request: HttpRequest) -> QuerySet[Any]:
        model: Any = db_field.related_model
        managed = viewer_of(request).managed
        if model._meta.model_name == "workspace":
            rows: QuerySet[Any] = model.objects.filter(pk__in=managed)
            return rows
        if any(field.name == "workspace" for field in model._meta.fields):
            return model.objects.filter(workspace_id__in=managed)  # type: ignore[no-any-return]
        return model.objects.none()  # type: ignore[no-any-return]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save, unless the row would land in a workspace that the person does not set up."""
        if not viewer_of(request).may_manage(self.workspace_of(obj)):
            raise PermissionDenied
        super().save_model(request, obj, form, change)

    def log_addition(self, *args: Any, **kwargs: Any) -> Any:
        """Keep no second log beside the receipts."""

    def log_change(self, *args: Any, **kwargs: Any) -> Any:
        """Keep no second log beside the receipts."""

    def log_deletions(self, *args: Any, **kwargs: Any) -> Any:
        """Keep no second log beside the receipts."""


class KeptInline(AnyInline):
    """Rows that belong to one that is shown, and are as unchangeable: whoever sees it sees them."""

    extra = 0
    max_num = 0
    can_delete = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever sees the row above."""
        return True

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody: they are what happened."""
        return False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody: they are what happened."""
        return False
