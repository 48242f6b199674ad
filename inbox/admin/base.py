"""What every list and form of the admin shares: tenants stay apart, and roles decide."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.utils import get_model_from_relation
from django.contrib.admin.widgets import ForeignKeyRawIdWidget, RelatedFieldWidgetWrapper
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Field, ForeignKey, ManyToManyField, Model, QuerySet
from django.forms import Media, ModelChoiceField, ModelMultipleChoiceField
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.functional import cached_property

from inbox.admin.generic import AnyInline, AnyModelAdmin, AnyPaginator
from inbox.admin.search_kinds import Kind, kinds_of
from inbox.models.base import VisibleQuerySet
from inbox.viewer import Viewer, viewer_of

LONGEST_TITLE = 120
# What the admin needs of Django's scripts for lists, and for forms with dates.
LIGHT_MEDIA = Media(js=["admin/js/core.js", "admin/js/actions.js"])


class BoundedPaginator(AnyPaginator):
    """Pages of a list that is not counted beyond a bound: nobody turns so many."""

    LONGEST = 10_000

    @cached_property
    def count(self) -> int:
        """How many rows there are, or the bound."""
        rows: Any = self.object_list
        return int(rows.order_by()[: self.LONGEST].count())


class KeptRawIdWidget(ForeignKeyRawIdWidget):
    """A key typed by hand, which is named only where it is one of those on offer."""

    def __init__(self, widget: ForeignKeyRawIdWidget, offered: QuerySet[Any]) -> None:
        super().__init__(widget.rel, widget.admin_site, widget.attrs, widget.db)
        self.offered = offered

    def label_and_url_for_value(self, value: Any) -> tuple[str, str]:
        """Return what the row is called and where its page is; nothing for any other row."""
        try:
            is_offered = self.offered.filter(pk=value).exists()
        except (ValueError, ValidationError):
            is_offered = False
        return super().label_and_url_for_value(value) if is_offered else ("", "")


class WorkspaceAdmin(AnyModelAdmin):
    """Rows of the viewer's workspaces only; owners change them where `may_change` says so."""

    # What owners may do; a row that an operation or an agent makes is read only.
    may_add: ClassVar[bool] = False
    may_change: ClassVar[bool] = False
    may_delete: ClassVar[bool] = False
    # As which kind its search is explained (`search_kinds.KINDS`); "": it takes words alone.
    searched_as: ClassVar[str] = ""
    # Where a row says which workspace it is of.
    workspace_path: ClassVar[str] = "workspace_id"

    actions = None
    list_per_page = 50
    # A count over everything is dear in a large table and tells nobody anything.
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator

    @property
    def search_kinds(self) -> list[Kind]:
        """What can be typed into its search box."""
        return kinds_of(self.searched_as)

    @property
    def media(self) -> Media:
        """Django's scripts for ticking rows and for dates, without jQuery and what is built on it.

        Keys typed by hand need that, and choices that are searched: who sets such fields has it.
        """
        if self.raw_id_fields or self.autocomplete_fields or self.prepopulated_fields:
            return super().media
        return LIGHT_MEDIA

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Only what the person may see."""
        rows = super().get_queryset(request)
        return self.visible(rows, viewer_of(request))

    def visible(self, rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
        """Keep the rows that this viewer may see."""
        if isinstance(rows, VisibleQuerySet):
            return rows.visible_to(viewer.actor)
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
        field: Any = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and isinstance(field.widget, RelatedFieldWidgetWrapper):
            field.widget = field.widget.widget
        if field is not None and isinstance(field.widget, ForeignKeyRawIdWidget):
            field.widget = KeptRawIdWidget(field.widget, field.queryset)
        return field

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Guard whatever leads to other rows: what it offers is of the viewer's workspaces."""
        return [_guard(one) for one in super().get_list_filter(request)]

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


class OwnPageAdmin(WorkspaceAdmin):
    """Rows with a page of their own, in the place of the admin's form."""

    # The names of the page of a row and, where the list is one too, of that of the list.
    page: ClassVar[str] = ""
    list_page: ClassVar[str] = ""

    def page_of(self, request: HttpRequest, row: Any) -> HttpResponse | None:
        """Return the page of a row, or what leads there; None where it is the form after all."""
        return HttpResponseRedirect(reverse(self.page, args=[row.public_id]))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the page of the row."""
        row = self.get_object(request, object_id)
        if row is None and self.list_page:
            return HttpResponseRedirect(reverse(self.list_page))
        shown = None
        if row is not None and self.has_view_permission(request, row):
            shown = self.page_of(request, row)
        return shown or super().change_view(request, object_id, form_url, extra_context)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list, or lead to its page."""
        if self.list_page:
            return HttpResponseRedirect(reverse(self.list_page))
        return super().changelist_view(request, extra_context)


class KeptInline(AnyInline):
    """Rows that belong to one that is shown, and are as unchangeable: whoever sees it sees them."""

    template = "chancery/lists/kept_rows.html"
    extra = 0
    max_num = 0
    can_delete = False
    # Nothing is added or taken away, so no script has to.
    media = Media()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Only what the person may see, where the rows say whose they are."""
        rows: QuerySet[Any] = super().get_queryset(request)
        if isinstance(rows, VisibleQuerySet):
            return rows.visible_to(viewer_of(request).actor)
        return rows

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever sees the row above."""
        return True

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody: they are what happened."""
        return False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody: they are what happened."""
        return False


# -- filters of a list -----------------------------------------------------------------------------
class _RelatedRows:
    """Mixed into Django's filter by a related row: only those that the list leads to."""

    field_path: str
    field_admin_ordering: Callable[..., Any]

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        """Return keys and names."""
        rows = _led_to(get_model_from_relation(field), self.field_path, request, model_admin)
        return field.get_choices(
            include_blank=False,
            ordering=self.field_admin_ordering(field, request, model_admin),
            limit_choices_to={"pk__in": rows.values("pk")},
        )


class _RelatedValues:
    """Mixed into Django's filter by every value of a column: only those of such rows."""

    def __init__(self, field: Any, *given: Any, field_path: str) -> None:
        super().__init__(field, *given, field_path=field_path)  # type: ignore[call-arg]
        request, _, _, model_admin = given
        path = field_path.rpartition("__")[0]
        if path:
            rows = _led_to(field.model, path, request, model_admin)
            values = rows.order_by(field.name).values_list(field.name, flat=True)
            self.lookup_choices = values.distinct()


def _guard(list_filter: Any) -> Any:
    """Return an entry of `list_filter` whose choices stay within the viewer's workspaces.

    A filter of one's own without a column (`SimpleListFilter`) says itself what it offers.
    """
    if isinstance(list_filter, (tuple, list)):
        path, chosen = list_filter
        return path, _guarded(chosen)
    if isinstance(list_filter, type):
        return list_filter
    return list_filter, _by_column


def _by_column(field: Any, *args: Any, **kwargs: Any) -> Any:
    """Make the filter that Django has for a column of this type, guarded."""
    stock: Any = admin.FieldListFilter
    for fits, chosen in stock._field_list_filters:
        if fits(field):
            return _guarded(chosen)(field, *args, **kwargs)
    return None


def _guarded(chosen: Any) -> Any:
    for stock, guard in (
        (admin.RelatedFieldListFilter, _RelatedRows),
        (admin.AllValuesFieldListFilter, _RelatedValues),
    ):
        if isinstance(chosen, type) and issubclass(chosen, stock):
            return type(chosen.__name__, (guard, chosen), {})
    return chosen


def _led_to(model: Any, path: str, request: HttpRequest, model_admin: Any) -> QuerySet[Any]:
    """Return the rows to which `path` leads from those of the list, as far as one may see them."""
    listed = model_admin.get_queryset(request).order_by()
    rows: QuerySet[Any] = model._default_manager.filter(pk__in=listed.values(f"{path}__pk"))
    actor = viewer_of(request).actor
    if isinstance(rows, VisibleQuerySet):
        return rows.visible_to(actor)
    if model._meta.model_name == "workspace":
        return rows.filter(pk__in=actor.workspace_ids)
    if any(field.name == "workspace" for field in model._meta.fields):
        return rows.filter(workspace__in=actor.workspace_ids)
    return rows
