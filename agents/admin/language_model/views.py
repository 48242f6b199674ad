"""The page of the language model: whether it can be asked, what for, how much, what it said."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from agents.consulting.switching import switch_model
from inbox.admin.finding import first_or_404, let_manage, person_of
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.language_model.errors import CODES, ModelError
from inbox.language_model.server import ModelServer, is_set, read_server
from inbox.models import ModelAnswer, ModelSetting, ModelTask, ModelUse, Workspace
from inbox.reasons.words import worded
from inbox.viewer import Viewer, viewer_of

# As many answers are listed, the newest, and as many accounts with what they used today.
LISTED, _MOST_ACCOUNTS = 20, 50


class TasksForm(forms.Form):
    """What the model may be used for."""

    tasks = forms.MultipleChoiceField(
        label=gettext_lazy("The model may be used to"), choices=ModelTask.choices, required=False,
        widget=forms.CheckboxSelectMultiple,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace, its switch, and the form of it for an owner."""

    workspace: Workspace
    setting: ModelSetting
    form: TasksForm | None

    @property
    def tasks(self) -> list[str]:
        """What it may be used for, in words."""
        return [str(it.label) for it in ModelTask if it.value in self.setting.tasks]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said once, and what came of it in words."""

    row: ModelAnswer
    task: str
    words: str
    url: str


@require_safe
def language_model(request: HttpRequest) -> HttpResponse:
    """Show whether there is a model, the switch of each workspace, its use, and what it said."""
    return _show(request)


@require_POST
def switch(request: HttpRequest, workspace_id: int) -> HttpResponse:
    """Set what it may be used for in a workspace; only its owners may."""
    viewer = viewer_of(request)
    rows = Workspace.objects.visible_to(viewer.actor).filter(pk=workspace_id)
    workspace = first_or_404(rows, "workspace")
    let_manage(request, workspace_id)
    form = TasksForm(request.POST, prefix=str(workspace_id))
    if form.is_valid():
        try:
            setting = switch_model(
                workspace=workspace, by=person_of(request), tasks=form.cleaned_data["tasks"]
            )
        except DomainError as error:
            form.add_error(error.field if error.field in form.fields else None, words_of(error))
        else:
            said = _("Saved.") if setting.tasks else _("The language model is used for nothing.")
            messages.success(request, said)
            return HttpResponseRedirect(reverse("language-model"))
    return _show(request, {workspace_id: form}, status=400)


def _show(
    request: HttpRequest, filled: Mapping[int, TasksForm] | None = None, *, status: int = 200
) -> HttpResponse:
    viewer = viewer_of(request)
    server, trouble = _state()
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": _("Language model"),
        "server": server,
        "trouble": trouble,
        "is_set": is_set(),
        "workspaces": _places(viewer, filled or {}),
        "uses": _uses(viewer),
        "most_tokens": settings.MODEL_TOKENS_A_DAY,
        "answers": _answers(viewer),
    }
    return TemplateResponse(request, "chancery/language_model/page.html", context, status=status)


def _state() -> tuple[ModelServer | None, str]:
    """Return the model that the settings name, or why it cannot be asked; nothing is sent."""
    try:
        return read_server(), ""
    except ModelError as error:
        return None, worded(error.words)


def _places(viewer: Viewer, filled: Mapping[int, TasksForm]) -> list[Place]:
    rows = ModelSetting.objects.visible_to(viewer.actor).select_related("changed_by")
    kept = {row.workspace_id: row for row in rows}
    places = []
    for workspace in Workspace.objects.visible_to(viewer.actor).order_by("name", "pk"):
        setting = kept.get(workspace.pk) or ModelSetting(workspace=workspace)
        form = filled.get(workspace.pk) or TasksForm(
            initial={"tasks": setting.tasks}, prefix=str(workspace.pk)
        )
        places.append(Place(workspace, setting, form if viewer.may_manage(workspace.pk) else None))
    return places


def _uses(viewer: Viewer) -> list[ModelUse]:
    """Return what accounts used today (UTC), those first that used most."""
    rows = ModelUse.objects.visible_to(viewer.actor).filter(day=datetime.now(UTC).date())
    return list(rows.select_related("account").order_by("-tokens", "pk")[:_MOST_ACCOUNTS])


def _answers(viewer: Viewer) -> list[Answer]:
    rows = ModelAnswer.objects.visible_to(viewer.actor).order_by("-pk")[:LISTED]
    names = dict(ModelTask.choices)
    return [Answer(it, str(names.get(it.task, it.task)), _outcome(it), _url(it)) for it in rows]


def _outcome(row: ModelAnswer) -> str:
    if row.outcome:
        return worded(ModelError(row.outcome).words) if row.outcome in CODES else row.outcome
    if row.dropped:
        return _("Used: %(used)s; dropped, for its quotes stand nowhere: %(dropped)s") % {
            "used": row.used, "dropped": row.dropped,
        }  # fmt: skip
    return _("Used: %(used)s") % {"used": row.used}


def _url(row: ModelAnswer) -> str:
    is_approval = row.about.startswith("apr_")
    return reverse("review", args=[row.about]) if is_approval else ""
