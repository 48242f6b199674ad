"""The page of planted items: the owner's switch, and what reviewers caught and missed."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agents.admin.oversight.people import decisions_in, read_planted
from agents.admin.oversight.people_tables import planted_tables
from agents.admin.oversight.scope import SPANS, Scope, read_choices, read_scope
from agents.models import PlantedItem, PlantingSetting
from agents.models.oversight import MOST_A_DAY, MOST_PERCENT
from agents.planted.counting import export_planted
from agents.planted.deck import deck
from agents.planted.switching import switch_planting
from agents.planted.told import PlantedTold, read_told
from inbox.admin.finding import first_or_404, let_manage, person_of
from inbox.admin.messages.downloads import as_download
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Workspace
from inbox.viewer import Viewer, viewer_of, zone_of

# As many of those that people decided on are listed, the newest.
LISTED = 20


class PlantingForm(forms.Form):
    """Whether, how many a day, and of how many decisions."""

    is_on = forms.BooleanField(
        label=gettext_lazy("Mix planted items into the queue"), required=False
    )
    most_a_day = forms.IntegerField(
        label=gettext_lazy("At most a day"), min_value=1, max_value=MOST_A_DAY
    )
    percent = forms.IntegerField(
        label=gettext_lazy("At most in a hundred decisions"), min_value=1, max_value=MOST_PERCENT
    )


@dataclass(frozen=True, slots=True)
class Switch:
    """A workspace, its switch, and the form of it for an owner."""

    workspace: Workspace
    setting: PlantingSetting
    form: PlantingForm | None


@require_safe
def planted(request: HttpRequest) -> HttpResponse:
    """Show the switch of each workspace, the figures, and what was told of."""
    return _show(request)


@require_safe
def figures(request: HttpRequest) -> HttpResponse:
    """Hand out the figures as JSON, `?days=`, `?workspace=`."""
    scope = _scope(request)
    found = export_planted(decisions_in(scope), scope.begins, scope.ends)
    content = found.model_dump_json(indent=2).encode()
    return as_download(content, "planted-items.json", "application/json")


@require_POST
def switch(request: HttpRequest, workspace_id: int) -> HttpResponse:
    """Set a workspace's switch; only its owners may."""
    viewer = viewer_of(request)
    rows = Workspace.objects.visible_to(viewer.actor).filter(pk=workspace_id)
    workspace = first_or_404(rows, "workspace")
    let_manage(request, workspace_id)
    form = PlantingForm(request.POST, prefix=str(workspace_id))
    if form.is_valid():
        try:
            setting = switch_planting(
                workspace=workspace, by=person_of(request), **form.cleaned_data
            )
        except DomainError as error:
            form.add_error(error.field if error.field in form.fields else None, words_of(error))
        else:
            words = _("Planted items are on.") if setting.is_on else _("Planted items are off.")
            messages.success(request, words)
            return HttpResponseRedirect(reverse("oversight-planted"))
    return _show(request, {workspace_id: form}, status=400)


def _show(
    request: HttpRequest, filled: dict[int, PlantingForm] | None = None, *, status: int = 200
) -> HttpResponse:
    viewer, scope = viewer_of(request), _scope(request)
    counts = read_planted(scope, get_language() or "en")
    context = {
        **admin.site.each_context(request),
        "title": _("Planted items"),
        "scope": scope,
        "spans": [(span, scope.query(days=span)) for span in SPANS],
        "switches": _switches(viewer, filled or {}),
        "kinds": len(deck()),
        "whole": counts.whole,
        "bounds": [f"{share * 100:.0f}" for share in counts.whole.misses.interval],
        "tables": planted_tables(counts),
        "newest": _newest(scope),
        "zone": str(zone_of(request)),
    }
    return TemplateResponse(request, "chancery/oversight/planted.html", context, status=status)


def _scope(request: HttpRequest) -> Scope:
    viewer = viewer_of(request)
    asked = request.GET.dict()
    return read_scope(viewer, asked, read_choices(viewer), timezone.now(), zone_of(request))


def _switches(viewer: Viewer, filled: dict[int, PlantingForm]) -> list[Switch]:
    rows = PlantingSetting.objects.visible_to(viewer.actor)
    settings = {row.workspace_id: row for row in rows.select_related("changed_by")}
    switches = []
    for workspace in Workspace.objects.visible_to(viewer.actor).order_by("name", "pk"):
        setting = settings.get(workspace.pk) or PlantingSetting(workspace=workspace)
        form = filled.get(workspace.pk) or PlantingForm(
            initial={
                "is_on": setting.is_on, "most_a_day": setting.most_a_day,
                "percent": setting.percent,
            },
            prefix=str(workspace.pk),
        )  # fmt: skip
        switches.append(
            Switch(workspace, setting, form if viewer.may_manage(workspace.pk) else None)
        )
    return switches


def _newest(scope: Scope) -> list[tuple[PlantedItem, PlantedTold | None, Any]]:
    """Return the newest that people decided on, with what is told of each."""
    rows = (
        PlantedItem.objects.visible_to(scope.actor)
        .exclude(verdict="")
        .filter(planted_at__gte=scope.begins, planted_at__lt=scope.ends)
    )
    rows = rows.select_related("approval__decided_by", "approval__planted")
    found = rows.defer("approval__arguments", "approval__marks", "approval__risk_flags")
    newest = found.order_by("-planted_at", "-pk")[:LISTED]
    return [(row, read_told(row.approval), row.approval.decided_by) for row in newest]
