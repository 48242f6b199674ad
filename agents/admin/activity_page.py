"""An activity: the message, why it stands where it stands, and where a person may move it."""

from dataclasses import replace
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents import dispatch
from agents.errors import ToolError
from agents.models import Approval, ApprovalState
from inbox.admin.reading import Reading, read_message
from inbox.models import Activity, ActivityStatus, Attachment, Person
from inbox.viewer import viewer_of

# Where a person may move it, and what the button says.
MOVES: dict[str, str] = {
    ActivityStatus.SURFACED: "Surface",
    ActivityStatus.NEEDS_REVIEW: "To review",
    ActivityStatus.PROCESSED: "Done",
    ActivityStatus.ARCHIVED: "Dismiss",
    ActivityStatus.QUARANTINED: "Quarantine",
}
TIERS = {
    1: "handled silently",
    2: "noted",
    3: "a request, to be drafted or suggested",
    4: "urgent or weighty",
}


@require_safe
def activity(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show it, with the answer to `why was this surfaced?`."""
    return _show(request, _find(request, public_id))


@require_POST
def move(request: HttpRequest, public_id: str) -> HttpResponse:
    """Move it to another status, as a call of `update_activities` that leaves its receipt."""
    found, viewer = _find(request, public_id), viewer_of(request)
    if not viewer.may_decide(found.workspace_id):
        raise PermissionDenied
    status = request.POST.get("status", "")
    if status not in MOVES:
        return _show(request, found, status=400, refusal="It cannot be moved there.")
    person = replace(viewer.actor, workspace_ids=(found.workspace_id,))
    arguments = {"activity_ids": [found.public_id], "updates": {"status": status}}
    try:
        dispatch.call("update_activities", arguments, person)
    except ToolError as error:
        return _show(request, found, status=error.status, refusal=error.message)
    messages.success(request, f"Moved to {ActivityStatus(status).label.lower()}.")
    return HttpResponseRedirect(reverse("activity", args=[found.public_id]))


def _find(request: HttpRequest, public_id: str) -> Activity:
    rows = Activity.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    rows = rows.select_related("person", "workspace", "message__thread", "message__inbox")
    found: Activity | None = rows.first()
    if found is None:
        raise Http404("There is no such activity.")
    return found


def _show(
    request: HttpRequest, found: Activity, *, status: int = 200, refusal: str = ""
) -> HttpResponse:
    viewer = viewer_of(request)
    context = {
        **admin.site.each_context(request),
        "title": found.title or "(no subject)",
        "activity": found,
        "person": _person(request, found),
        "reading": _read(request, found),
        "tier_words": TIERS.get(found.autonomy_tier or 0, ""),
        "moves": [
            {"status": key, "name": name} for key, name in MOVES.items() if key != found.status
        ],
        "may_decide": viewer.may_decide(found.workspace_id),
        "workspace_name": found.workspace.name if viewer.has_several else "",
        "waiting": _waiting(request, found),
        "refusal": refusal,
    }
    return TemplateResponse(request, "chancery/activity.html", context, status=status)


def _read(request: HttpRequest, found: Activity) -> Reading | None:
    message = found.message
    if message is None or message.deleted_at is not None:
        return None
    files = Attachment.objects.visible_to(viewer_of(request).actor).filter(message=message)
    return read_message(message, files)


def _person(request: HttpRequest, found: Activity) -> Person | None:
    """Return who sent it, as far as we know them."""
    if found.person is not None:
        return found.person
    known = Person.objects.visible_to(viewer_of(request).actor)
    person: Person | None = known.filter(
        workspace_id=found.workspace_id, emails__email=found.sender.lower()
    ).first()
    return person


def _waiting(request: HttpRequest, found: Activity) -> Any:
    """Return what waits for a person about this, or about its thread."""
    rows = Approval.objects.visible_to(viewer_of(request).actor)
    rows = rows.filter(state=ApprovalState.WAITING).select_related("agent")
    about = rows.filter(activities=found)
    if found.message is not None:
        about = about | rows.filter(submission__thread=found.message.thread_id)
    return about.distinct().defer("submission__mime")[:5]
