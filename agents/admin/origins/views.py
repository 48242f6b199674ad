"""The page of where a text came from; whoever decides there raises it, having read it."""

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agents.admin.evidence.references import Reference, name_ids
from agents.admin.files.queries import name_actors
from agents.evidence.explaining import Explanation, explain
from agents.evidence.origins import TRUST, Traced
from agents.evidence.refs import Ref, read_refs
from agents.evidence.texts import read_texts
from agents.models import Origin, Receipt
from agents.operations.origins import RAISABLE, RAISED_TO, raise_origins
from inbox.admin.finding import person_of
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.viewer import Viewer, viewer_of

_MOST_SOURCES = 50


@require_safe
def origin(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show whose words a text holds, what it was made of, and what may raise it."""
    viewer = viewer_of(request)
    ref, named = _find(viewer, public_id)
    told = explain(named.row.workspace_id, [ref])[ref]
    context = {
        **admin.site.each_context(request),
        "title": _("Where it comes from"),
        "named": named,
        "public_id": public_id,
        "told": told,
        "label": Origin(told.found.origin).label,
        "is_strange": told.found.origin == Origin.STRANGER,
        "sources": _sources(viewer, told),
        "text": read_texts(named.row.workspace_id, [ref]).get(ref, ""),
        "written": told.note.receipt.public_id if told.note else "",
        "choices": _choices(viewer, ref, named, told),
        **_names(viewer, told),
    }
    return TemplateResponse(request, "chancery/origins/origin.html", context)


@require_POST
def raise_origin(request: HttpRequest, public_id: str) -> HttpResponse:
    """Raise it to what was chosen, unless it was written anew since the page was drawn."""
    viewer = viewer_of(request)
    ref, named = _find(viewer, public_id)
    shown = Receipt.objects.visible_to(viewer.actor)
    written = shown.with_public_id(request.POST.get("written", "")).first()
    try:
        raise_origins(
            by=person_of(request), workspace_id=named.row.workspace_id,
            seen={ref: written.pk if written else None}, to=request.POST.get("origin", ""),
        )  # fmt: skip
    except DomainError as error:
        messages.error(request, words_of(error))
    else:
        messages.success(
            request, _("Trust raised. If an agent rewrites it, the trust is lowered again.")
        )
    return HttpResponseRedirect(reverse("origin", args=[public_id]))


def _find(viewer: Viewer, public_id: str) -> tuple[Ref, Reference]:
    """Return what an id names; raises Http404 alike for what is not there and what is foreign."""
    named = name_ids(viewer.actor, [public_id]).get(public_id)
    refs = read_refs([public_id])
    if named is None or not refs:
        raise Http404("There is no such text.")
    return refs[0], named


def _names(viewer: Viewer, told: Explanation) -> dict[str, str]:
    """Return who wrote it and who raised it, by name."""
    author, raised_by = told.found.author, told.note.raised_by if told.note else ""
    names = name_actors(viewer, [author, raised_by])
    return {"author": names.get(author, author), "raised_by": names.get(raised_by, raised_by)}


def _sources(viewer: Viewer, told: Explanation) -> list[tuple[Reference, Traced]]:
    """Return what it was made of, as far as the person sees it, with where that came from."""
    named = name_ids(viewer.actor, [one.ref.public_id for one in told.sources[:_MOST_SOURCES]])
    pairs = [(named.get(one.ref.public_id), one) for one in told.sources[:_MOST_SOURCES]]
    return [(reference, one) for reference, one in pairs if reference is not None]


def _choices(viewer: Viewer, ref: Ref, named: Reference, told: Explanation) -> list[Origin]:
    """Return what the person may raise it to, the most trusted last."""
    if ref.kind not in RAISABLE or not viewer.may_decide(named.row.workspace_id):
        return []
    now = TRUST.index(Origin(told.found.origin))
    return [to for to in reversed(RAISED_TO) if TRUST.index(to) < now]
