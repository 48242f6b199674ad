"""What a person does with a thread. Nothing is done by GET; each action leaves its receipt."""

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from agents.admin.activities.finding import say_done
from agents.admin.queue.snooze import SNOOZES, snooze_end
from agents.dispatching import dispatch
from agents.errors import ToolError
from inbox.admin.finding import first_or_404, let_decide
from inbox.models import Thread, ThreadStatus
from inbox.viewer import viewer_of, zone_of

_SAID: dict[str, Any] = {
    ThreadStatus.OPEN: gettext_lazy("Reopened."),
    ThreadStatus.CLOSED: gettext_lazy("Closed. A new message opens it again."),
    ThreadStatus.SNOOZED: gettext_lazy("Snoozed. It reopens then, or when a new message arrives."),
}


@require_POST
def move(request: HttpRequest, public_id: str) -> HttpResponse:
    """Open, close or snooze it; `until` is a code of `SNOOZES`, or a time."""
    found = _find(request, public_id)
    before = _standing(found)
    wanted = {"status": request.POST.get("status", "")}
    if wanted["status"] == ThreadStatus.SNOOZED:
        wanted["snoozed_until"] = _until(request)
    if _update(request, found, **wanted):
        url = reverse("thread-status", args=[found.public_id])
        say_done(request, str(_SAID[wanted["status"]]), url, **before)
    return _back(found)


def _standing(found: Thread) -> dict[str, str]:
    """Return what puts a thread back where it stands now."""
    if found.snoozed_until is not None and found.snoozed_until > timezone.now():
        at = found.snoozed_until.astimezone(UTC).isoformat()
        return {"status": ThreadStatus.SNOOZED, "until": at}
    closed = found.status == ThreadStatus.CLOSED
    return {"status": ThreadStatus.CLOSED if closed else ThreadStatus.OPEN}


def _until(request: HttpRequest) -> str:
    code = request.POST.get("until", "")
    if code not in dict(SNOOZES):
        return code
    end: datetime = snooze_end(code, timezone.now(), zone_of(request))
    return end.astimezone(UTC).isoformat()


@require_POST
def label(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put it under the label `add`, or take it from the label `remove`."""
    found = _find(request, public_id)
    added, removed = request.POST.get("add", "").strip(), request.POST.get("remove", "")
    name, url = added or removed, reverse("thread-label", args=[found.public_id])
    if added and _update(request, found, add_labels=[added]):
        say_done(request, _("Labeled: {label}").format(label=name), url, remove=name)
    elif removed and not added and _update(request, found, remove_labels=[removed]):
        say_done(request, _("Label removed: {label}").format(label=name), url, add=name)
    return _back(found)


def _update(request: HttpRequest, found: Thread, **changes: Any) -> bool:
    """Do it as a call of `thread_update`; where it is refused, say why and return False."""
    person = viewer_of(request).actor.within(found.workspace_id)
    try:
        dispatch.call("thread_update", {"thread_id": found.public_id, **changes}, person)
    except ToolError as error:
        messages.error(request, _why(error))
        return False
    return True


def _why(error: ToolError) -> str:
    problem: dict[str, str] = next(iter(error.details.get("errors", [])), {})
    if error.code == "conflict":
        return _("A message is only in this folder: move the message first.")
    if "labels" in str(problem.get("pointer", "")):
        return _("That name is used by a folder or cannot be a label.")
    return _("It cannot be snoozed until then.")


def _find(request: HttpRequest, public_id: str) -> Thread:
    """Return the thread for somebody who may decide there; raises PermissionDenied otherwise."""
    rows = Thread.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    found = first_or_404(rows.filter(merged_into=None), "thread")
    let_decide(request, found.workspace_id)
    return found


def _back(found: Thread) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("thread", args=[found.public_id]))
