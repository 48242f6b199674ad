"""Policies, taxonomies and schemas in the admin: one editor for all three."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.forms.fields import InvalidJSONInput
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.urls.resolvers import URLPattern
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from inbox.admin.accounts.lists import OperationAdmin
from inbox.admin.finding import first_or_404, let_manage
from inbox.admin.forms import PolicyForm, SchemaForm, TaxonomyForm
from inbox.admin.understanding import fields_help, trying, versions
from inbox.admin.understanding.lines import compare_lines
from inbox.admin.understanding.sources import find_problem, read_schema
from inbox.admin.understanding.switches import apply_switches, read_switches
from inbox.classify.triage import read_taxonomy
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy, Workspace
from inbox.operations.activities.understanding import DEFAULTS, TAUGHT, save_version, text_of
from inbox.policies import Policy, read_policy
from inbox.reasons.words import worded
from inbox.trials import Scope, try_policy, try_schema, try_taxonomy
from inbox.viewer import viewer_of


class VersionedAdmin(OperationAdmin):
    """Rows that get a new version with each change, in an editor that tries them first."""

    list_display = ("name", "version", "workspace", "updated_at")
    list_select_related = ("workspace",)
    search_fields = ("name",)
    change_form_template = add_form_template = "chancery/understanding/editor.html"
    fields_help: ClassVar[tuple[tuple[str, Any, str], ...]] = ()
    language: ClassVar[str] = "YAML"
    trial_template: ClassVar[str] = ""

    def read(self, text: str) -> Any:
        """Return the content that a text is; raises ValueError."""
        return TAUGHT[self.model].read(text)

    @property
    def content_field(self) -> str:
        """The field that has what is taught."""
        return TAUGHT[self.model].field

    def try_on(self, request: HttpRequest, scope: Scope, row: Any, content: Any) -> Any:
        """Return what the content would say of past mail."""
        raise NotImplementedError

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """The version counts itself."""
        return ("workspace", "version", "updated_at") if obj else ()

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        """Tell the form who acts."""
        made: Any = super().get_form(request, obj, change, **kwargs)
        made.by = viewer_of(request).actor
        return made

    def get_urls(self) -> list[URLPattern]:
        """Add the trying, the checking and the versions."""
        page, name = self.admin_site.admin_view, f"inbox_{self.model._meta.model_name}"
        return [
            path("try/", page(require_POST(self.try_it)), name=f"{name}_try_new"),
            path("check/", page(require_POST(self.check_source)), name=f"{name}_check"),
            path("<int:pk>/try/", page(require_POST(self.try_it)), name=f"{name}_try"),
            path("<int:pk>/versions/", page(require_safe(self.versions)), name=f"{name}_versions"),
            path(
                "<int:pk>/versions/<int:number>/restore/",
                page(require_POST(self.restore)),
                name=f"{name}_restore",
            ),
            *super().get_urls(),
        ]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Show the editor."""
        row = context.get("original")
        context |= self._editor(request, row, context["adminform"].form)
        return super().render_change_form(request, context, *args, **kwargs)

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Stay with what was saved."""
        return self._saved(request, obj)

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        """Stay with what was saved."""
        return self._saved(request, obj)

    def _saved(self, request: HttpRequest, row: Any) -> HttpResponse:
        said = {"name": row.name, "version": row.version}
        messages.success(request, _("Saved %(name)s as version %(version)s.") % said)
        return HttpResponseRedirect(self._url("change", row.pk))

    def check_source(self, request: HttpRequest) -> HttpResponse:
        """Answer whether a text can be read, or where not; asked by the editor while one writes."""
        if not viewer_of(request).may_manage():
            raise PermissionDenied
        problem = find_problem(self._written(request), self.read)
        if problem is None:
            return JsonResponse({"ok": True})
        said = {
            "line": problem.line, "field": problem.field, "message": worded(problem.message),
        }  # fmt: skip
        return JsonResponse({"ok": False, **said})

    def try_it(self, request: HttpRequest, pk: int | None = None) -> HttpResponse:
        """Try what was written on past mail; nothing is saved."""
        row = self._managed(request, pk) if pk else None
        workspace = row.workspace if row else self._workspace(request)
        text = self._written(request)
        problem = find_problem(text, self.read)
        context: dict[str, Any] = {"problem": problem, "row": row}
        if problem is None:
            scope = trying.scope_of(request, viewer_of(request), workspace)
            context["trial"] = self.try_on(request, scope, row, self.read(text))
            context["lines"] = compare_lines(self._text(row), text) if row else []
        context["trial_template"] = self.trial_template
        if request.headers.get("X-Fragment"):
            return TemplateResponse(request, "chancery/understanding/trial.html", context)
        return self._page_with(request, row, workspace, text, context)

    def versions(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the versions there were, each to read, to compare and to restore."""
        row = self._shown(request, pk)
        context = {
            **self.admin_site.each_context(request),
            **versions.read_versions(request, row),
            "title": row.name,
            "row": row,
            "manages": viewer_of(request).may_manage(row.workspace_id),
            "change_url": self._url("change", row.pk),
            "restore_name": self._name("restore"),
        }
        return TemplateResponse(request, "chancery/understanding/versions.html", context)

    def restore(self, request: HttpRequest, pk: int, number: int) -> HttpResponse:
        """Save what an older version said as the next one."""
        row = self._managed(request, pk)
        version = first_or_404(row.versions.filter(version=number), "version")
        problem = find_problem(version.source, self.read)
        if problem is not None:
            messages.error(request, worded(problem.message))
            return HttpResponseRedirect(self._url("versions", row.pk))
        content = version.source if self.content_field == "source" else self.read(version.source)
        saved = save_version(
            self.model, workspace=row.workspace, name=row.name, content=content, stored=row,
            by=viewer_of(request).actor,
        )  # fmt: skip
        return self._saved(request, saved)

    def _page_with(
        self, request: HttpRequest, row: Any, workspace: Workspace, text: str, more: dict[str, Any]
    ) -> HttpResponse:
        """Show the whole editor with what was written, for a browser without scripts."""
        written = text if self.content_field == "source" else InvalidJSONInput(text)
        initial = {
            "workspace": workspace, "name": request.POST.get("name", ""),
            self.content_field: written,
        }  # fmt: skip
        form = self.get_form(request, row, change=row is not None)(instance=row, initial=initial)
        context = {
            **self.admin_site.each_context(request), **self._editor(request, row, form), **more,
            "title": row.name if row else _("New"), "original": row,
            "has_change_permission": True, "has_add_permission": True,
        }  # fmt: skip
        return TemplateResponse(request, "chancery/understanding/editor.html", context)

    def _editor(self, request: HttpRequest, row: Any, form: Any) -> dict[str, Any]:
        viewer = viewer_of(request)
        first = Workspace.objects.filter(pk__in=viewer.managed).order_by("pk").first()
        return {
            "editor_row": row,
            "form": form,
            # Who may not change it has no such field.
            "workspace_field": form["workspace"] if "workspace" in form.fields else None,
            "content": form[self.content_field] if self.content_field in form.fields else None,
            "source_text": self._text(row),
            "manages": viewer.may_manage(row.workspace_id if row else None),
            "content_field": self.content_field,
            "language": self.language,
            "fields_help": self.fields_help,
            "days": trying.DAYS,
            "inboxes": trying.inboxes_of(viewer, row.workspace if row else first),
            "kind": self.model._meta.model_name,
            "kind_words": str(self.model._meta.verbose_name_plural),
            "list_url": self._url("changelist"),
            "save_url": self._url("change", row.pk) if row else self._url("add"),
            "check_url": self._url("check"),
            "try_url": self._url("try", row.pk) if row else self._url("try_new"),
            "versions_url": self._url("versions", row.pk) if row else "",
            "trial_template": self.trial_template,
        }

    def _text(self, row: Any) -> str:
        """Return a row's content as it was written."""
        if row is None:
            return ""
        kept = row.versions.filter(version=row.version).values_list("source", flat=True).first()
        return kept if kept is not None else text_of(getattr(row, self.content_field))

    def _written(self, request: HttpRequest) -> str:
        text: str = request.POST.get(self.content_field, "")[:200_001]
        return text.replace("\r\n", "\n")

    def _workspace(self, request: HttpRequest) -> Workspace:
        managed = viewer_of(request).managed
        chosen = request.POST.get("workspace", "")
        keys = [key for key in managed if str(key) == chosen] or managed[:1]
        if not keys:
            raise PermissionDenied
        return Workspace.objects.get(pk=keys[0])

    def _managed(self, request: HttpRequest, pk: int) -> Any:
        row = self._shown(request, pk)
        let_manage(request, row.workspace_id)
        return row

    def _shown(self, request: HttpRequest, pk: int) -> Any:
        rows = self.get_queryset(request).select_related("workspace")
        return first_or_404(rows.filter(pk=pk), str(self.model._meta.verbose_name))

    def _name(self, what: str) -> str:
        return f"admin:inbox_{self.model._meta.model_name}_{what}"

    def _url(self, what: str, *keys: int) -> str:
        return reverse(self._name(what), args=keys)


@admin.register(ReplyPolicy)
class PolicyRows(VersionedAdmin):
    """What a reply must be and must not be."""

    form = PolicyForm
    fields_help = fields_help.POLICY
    trial_template = "chancery/understanding/policy_trial.html"

    def get_urls(self) -> list[URLPattern]:
        """Add the switches, for a new policy and one that is there."""
        page, switch = self.admin_site.admin_view, require_POST(self.switch)
        return [
            path("switch/", page(switch), name="inbox_replypolicy_switch_new"),
            path("<int:pk>/switch/", page(switch), name="inbox_replypolicy_switch"),
            *super().get_urls(),
        ]

    def switch(self, request: HttpRequest, pk: int | None = None) -> HttpResponse:
        """Set rules in the text that was written, or begin with the default's; nothing is saved."""
        row = self._managed(request, pk) if pk else None
        workspace = row.workspace if row else self._workspace(request)
        text = self._written(request)
        problem = find_problem(text, self.read)
        if "default" in request.POST:
            text, problem = (DEFAULTS / "reply_policy.yaml").read_text("utf-8"), None
        elif problem is None:
            try:
                several = dict(request.POST.lists())
                text = apply_switches(text, request.POST.dict(), several)
            except ValueError:
                words = _("This YAML can only be edited by hand, below.")
                messages.error(request, words)
        before = self._text(row)
        context = {
            "problem": problem, "row": row, "switched": problem is None and text != before,
            "lines": compare_lines(before, text),
        }  # fmt: skip
        return self._page_with(request, row, workspace, text, context)

    def _editor(self, request: HttpRequest, row: Any, form: Any) -> dict[str, Any]:
        shown = super()._editor(request, row, form)
        content = shown["content"]
        text = (content.value() if content is not None else "") or ""
        return shown | {
            "switches": read_switches(str(text).replace("\r\n", "\n")),
            "switch_url": self._url("switch", row.pk) if row else self._url("switch_new"),
            "is_empty": not str(text).strip(),
        }

    def try_on(self, request: HttpRequest, scope: Scope, row: Any, content: Any) -> Any:
        """Try it on messages that were sealed or sent."""
        now = read_policy(row.source) if row else Policy()
        return try_policy(scope=scope, now=now, then=content)


@admin.register(Taxonomy)
class TaxonomyRows(VersionedAdmin):
    """Intents with their signals and routes."""

    form = TaxonomyForm
    fields_help = fields_help.TAXONOMY
    trial_template = "chancery/understanding/taxonomy_trial.html"

    def try_on(self, request: HttpRequest, scope: Scope, row: Any, content: Any) -> Any:
        """Try it on messages that came in."""
        now = read_taxonomy(row.source) if row else None
        return try_taxonomy(scope=scope, now=now, then=content)


@admin.register(ExtractionSchema)
class SchemaRows(VersionedAdmin):
    """What to find in a message."""

    form = SchemaForm
    language = "JSON"
    fields_help = fields_help.SCHEMA
    trial_template = "chancery/understanding/schema_trial.html"

    def read(self, text: str) -> Any:
        """Return the schema."""
        return read_schema(text)

    def try_on(self, request: HttpRequest, scope: Scope, row: Any, content: Any) -> Any:
        """Try it on messages that came in, or on the one that was chosen."""
        messages_chosen = trying.chosen_message(request, scope)
        now = row.schema if row else None
        return try_schema(scope=scope, now=now, then=content, messages=messages_chosen)
