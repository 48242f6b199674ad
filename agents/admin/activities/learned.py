"""The page of what is learned from decisions: versions, how sure they are, where they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from agents.operations import correcting, learning
from inbox.admin.finding import first_or_404, let_decide, let_manage, person_of
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import CorrectionOffer, LearnedModel, LearnedOpinion
from inbox.operations.learned.backend import readable
from inbox.operations.learned.decisions import labels_since
from inbox.operations.learned.offers import dismiss_offer
from inbox.operations.learned.training import ask_training
from inbox.viewer import Viewer, viewer_of

MOST_VERSIONS = 30
MOST_OPINIONS = 50
MOST_OFFERS = 20
LABELS: dict[str, Any] = {
    "unwanted": gettext_lazy("unwanted"), "aside": gettext_lazy("can wait"),
    "wanted": gettext_lazy("worth a look"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Version:
    """A version as the page shows it; shares are whole percent, `bins` count, said and was."""

    model: LearnedModel
    title: Any
    decisions: tuple[tuple[Any, int], ...]
    accuracy: int
    off_by: int
    bins: tuple[tuple[int, int, int], ...]
    heaviest: tuple[tuple[Any, str], ...]
    may_manage: bool
    workspace: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a version differs from the rules; `decided` is what a person said since, if anybody."""

    opinion: LearnedOpinion
    said: Any
    confidence: int
    words: str
    decided: Any
    is_right: bool


@require_safe
def learned(request: HttpRequest) -> HttpResponse:
    """Show the newest versions, their differences from the rules, and what is offered."""
    viewer = viewer_of(request)
    rows = LearnedModel.objects.visible_to(viewer.actor).defer("content")
    versions = rows.select_related("taxonomy").order_by("-trained_at", "-pk")[:MOST_VERSIONS]
    offers = CorrectionOffer.objects.visible_to(viewer.actor).filter(closed_at=None)
    context = {
        **admin.site.each_context(request),
        "title": _("Learned from decisions"),
        "versions": [_version(model, viewer) for model in versions],
        "differences": _differences(viewer),
        "offers": offers.select_related("activity").order_by("-pk")[:MOST_OFFERS],
        "may_decide": viewer.may_decide(),
        "may_train": bool(viewer.managed),
    }
    return TemplateResponse(request, "chancery/activities/learned.html", context)


def _version(model: LearnedModel, viewer: Viewer) -> Version:
    figures = model.figures
    judges = model.taxonomy is None
    return Version(
        model=model,
        title=_("Who should see a message") if judges else model.taxonomy,
        decisions=tuple(
            (LABELS.get(label, label) if judges else label, count)
            for label, count in figures.get("decisions", {}).items()
        ),
        accuracy=_percent(figures.get("accuracy", 0)),
        off_by=_percent(figures.get("calibration_error", 0)),
        bins=tuple((n, _percent(said), _percent(was)) for n, said, was in figures.get("bins", ())),
        heaviest=tuple(
            (LABELS.get(label, label) if judges else label, _words(top))
            for label, top in list(figures.get("heaviest", {}).items())[:20]
        ),
        may_manage=viewer.may_manage(model.workspace_id),
        workspace=viewer.names.get(model.workspace_id, "") if viewer.has_several else "",
    )


def _words(weights: Sequence[Sequence[Any]]) -> str:
    """Return the features that speak for it, the heaviest first."""
    return ", ".join(readable(name) for name, weight in weights if weight > 0)


def _percent(share: float) -> int:
    return round(share * 100)


def _differences(viewer: Viewer) -> list[Difference]:
    rows = LearnedOpinion.objects.visible_to(viewer.actor).select_related("activity", "model")
    newest = list(rows.defer("model__content").order_by("-pk")[:MOST_OPINIONS])
    decided = labels_since(one.activity_id for one in newest)
    return [
        Difference(
            opinion=one,
            said=LABELS.get(one.said, one.said),
            confidence=_percent(one.confidence),
            words=_words(one.weights),
            decided=LABELS.get(decided.get(one.activity_id, ""), ""),
            is_right=decided.get(one.activity_id) == one.said,
        )
        for one in newest
    ]


@require_safe
def learned_version(request: HttpRequest, public_id: str) -> HttpResponse:
    """Lead to where a version stands on the page."""
    rows = LearnedModel.objects.visible_to(viewer_of(request).actor).defer("content")
    found = first_or_404(rows.with_public_id(public_id), "learned version")
    return HttpResponseRedirect(f"{reverse('learned')}#{found.public_id}")


@require_POST
def switch(request: HttpRequest, public_id: str) -> HttpResponse:
    """Turn a version on or, with `off`, off; for owners."""
    rows = LearnedModel.objects.visible_to(viewer_of(request).actor).defer("content")
    model = first_or_404(rows.with_public_id(public_id), "learned version")
    let_manage(request, model.workspace_id)
    try:
        if request.POST.get("off"):
            learning.switch_off(model=model, by=person_of(request))
            messages.success(request, _("It is off. New mail is classified without it."))
        else:
            learning.switch_on(model=model, by=person_of(request))
            messages.success(request, _("It is on. New mail is classified with it."))
    except DomainError as error:
        messages.error(request, words_of(error))
    return _back()


@require_POST
def train(request: HttpRequest) -> HttpResponse:
    """Have the decisions of the workspaces that somebody owns learned from, in the background."""
    managed = viewer_of(request).managed
    if not managed:
        raise PermissionDenied
    for workspace_id in managed:
        ask_training(workspace_id)
    messages.success(request, _("Training has begun. It takes a minute or two."))
    return _back()


@require_POST
def offer(request: HttpRequest, public_id: str) -> HttpResponse:
    """Make the correction that is offered or, with `dismiss`, offer it no more."""
    rows = CorrectionOffer.objects.visible_to(viewer_of(request).actor)
    found = first_or_404(rows.with_public_id(public_id), "offer")
    let_decide(request, found.workspace_id)
    try:
        if request.POST.get("dismiss"):
            dismiss_offer(offer=found, by=person_of(request))
            messages.success(request, _("It is not offered again."))
        else:
            correcting.take_offer(offer=found, by=person_of(request))
            messages.success(request, _("The correction is active for new mail."))
    except DomainError as error:
        messages.error(request, words_of(error))
    return _back()


def _back() -> HttpResponse:
    return HttpResponseRedirect(reverse("learned"))
