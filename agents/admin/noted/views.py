"""The queue of what agents noted of strangers' words, its pages, and forgetting a source."""

from datetime import datetime

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agents.admin.noted.queries import Noted, find_noted, read_beside, read_sources, read_waiting
from agents.models import Memory
from agents.operations.sharing.forgetting import ToForget, find_what_came_from, forget
from agents.operations.sharing.reviewing import (
    approve_context,
    approve_memory,
    reject_context,
    reject_memory,
)
from inbox.admin.finding import let_decide, person_of
from inbox.admin.refusals import words_of
from inbox.errors import DomainError, invalid
from inbox.reasons import phrase
from inbox.viewer import viewer_of, zone_of


@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """List what waits for review."""
    viewer = viewer_of(request)
    context = {
        **admin.site.each_context(request), "title": _("Notes from strangers' words"),
        "rows": read_waiting(viewer), "may_forget": viewer.may_decide(),
    }  # fmt: skip
    return TemplateResponse(request, "chancery/noted/queue.html", context)


@require_safe
def item(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show one, what it came from, and what it would replace or contradicts."""
    viewer, noted = viewer_of(request), _find(request, public_id)
    sources = read_sources(viewer, noted)
    context = {
        **admin.site.each_context(request), "title": _("Notes from strangers' words"),
        "noted": noted, "beside": read_beside(noted), "sources": sources,
        "authors": sorted({one.author for _ref, one in sources if one.origin == "stranger"} - {""}),
        "decides": viewer.may_decide(noted.row.workspace_id),
    }  # fmt: skip
    return TemplateResponse(request, "chancery/noted/item.html", context)


@require_POST
def approve(request: HttpRequest, public_id: str) -> HttpResponse:
    """Approve it, in other words where these were edited."""
    noted = _find(request, public_id)
    let_decide(request, noted.row.workspace_id)
    try:
        _approve(request, noted)
    except DomainError as error:
        messages.error(request, words_of(error))
        return HttpResponseRedirect(reverse("noted", args=[public_id]))
    messages.success(request, _("Approved. Agents can find it now."))
    return HttpResponseRedirect(reverse("noted-queue"))


def _approve(request: HttpRequest, noted: Noted) -> None:
    by, seen = person_of(request), request.POST.get("seen", "")
    # Forms write the ends of lines as CR LF.
    text = request.POST.get("text", noted.text).replace("\r\n", "\n")
    if text == noted.text.replace("\r\n", "\n"):
        text = noted.text
    if isinstance(noted.row, Memory):
        begins, ends = _moment(request, "valid_from"), _moment(request, "expires_at")
        approve_memory(
            by=by, memory=noted.row, seen=seen, content=text, valid_from=begins, expires_at=ends
        )
        return
    pushed = noted.row.pushed_at
    if seen != noted.seen:
        raise DomainError("conflict", phrase("It says something else by now."))
    approve_context(by=by, waiting=noted.row, seen=pushed, text=text)


def _moment(request: HttpRequest, name: str) -> datetime | None:
    """Return a time of the form, on the clock of the person's browser; raises DomainError."""
    given = request.POST.get(name, "").strip()
    try:
        at = parse_datetime(given) if given else None
    except ValueError:
        at = None
    if given and at is None:
        raise invalid(name, phrase("This is no time."), phrase("a date and a time"))
    return at.replace(tzinfo=zone_of(request)) if at and at.tzinfo is None else at


@require_POST
def reject(request: HttpRequest, public_id: str) -> HttpResponse:
    """Reject it."""
    noted = _find(request, public_id)
    let_decide(request, noted.row.workspace_id)
    by = person_of(request)
    try:
        if isinstance(noted.row, Memory):
            reject_memory(by=by, memory=noted.row)
        else:
            reject_context(by=by, waiting=noted.row)
    except DomainError as error:
        messages.error(request, words_of(error))
    else:
        messages.success(request, _("Rejected."))
    return HttpResponseRedirect(reverse("noted-queue"))


@require_safe
def forget_page(request: HttpRequest) -> HttpResponse:
    """Show what came from a source, `?source=`, in each workspace where the person decides."""
    viewer, source = viewer_of(request), request.GET.get("source", "").strip()
    places = [key for key in viewer.actor.workspace_ids if viewer.may_decide(key)]
    found: list[tuple[int, str, ToForget]] = []
    try:
        found = [
            (key, viewer.names[key], find_what_came_from(viewer.actor.within(key), source))
            for key in (places if source else ())
        ]
    except DomainError as error:
        messages.error(request, words_of(error))
    context = {
        **admin.site.each_context(request), "title": _("Forget a source"), "source": source,
        "found": [one for one in found if one[2].count],
    }  # fmt: skip
    return TemplateResponse(request, "chancery/noted/forget.html", context)


@require_POST
def forget_source(request: HttpRequest) -> HttpResponse:
    """Delete what came from a source, as it was shown."""
    given = [request.POST.get(name, "") for name in ("workspace", "count")]
    if not all(one.isdecimal() and one.isascii() and len(one) < 19 for one in given):
        raise Http404("There is no such workspace.")
    workspace_id, count = map(int, given)
    let_decide(request, workspace_id)
    source = request.POST.get("source", "")
    try:
        gone = forget(by=person_of(request), workspace_id=workspace_id, source=source, count=count)
    except DomainError as error:
        messages.error(request, words_of(error))
    else:
        messages.success(request, _("Forgotten: %(number)s.") % {"number": gone})
    return HttpResponseRedirect(reverse("noted-queue"))


def _find(request: HttpRequest, public_id: str) -> Noted:
    noted = find_noted(viewer_of(request), public_id)
    if noted is None:
        raise Http404("Nothing of this name waits.")
    return noted
