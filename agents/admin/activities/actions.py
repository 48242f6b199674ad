"""What a person does with an activity. Nothing is done by GET; each action leaves its receipt."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from agents.admin.activities.finding import (
    find_to_change,
    go_on,
    place_in,
    say_done,
    url_of,
    wanted_of,
)
from agents.admin.activities.views import show
from agents.admin.queue.snooze import SNOOZES, snooze_end
from agents.dispatching import dispatch
from agents.errors import ToolError
from agents.models import Agent
from agents.operations import correcting
from agents.operations.asking import ask_for_draft
from agents.operations.snoozing import snooze_activity, wake_activity
from inbox.admin.finding import person_of
from inbox.errors import DomainError
from inbox.models import Activity, ActivityChange, ActivityStatus
from inbox.viewer import viewer_of, zone_of

# Where a person may move it, and what the page then says of it.
MOVED: dict[str, Any] = {
    ActivityStatus.PROCESSED: gettext_lazy("Done: {title}"),
    ActivityStatus.ARCHIVED: gettext_lazy("Dismissed: {title}"),
    ActivityStatus.SURFACED: gettext_lazy("Surfaced: {title}"),
    ActivityStatus.NEEDS_REVIEW: gettext_lazy("Sent to review: {title}"),
    ActivityStatus.QUARANTINED: gettext_lazy("Quarantined: {title}"),
}
_LONGEST_TITLE = 80


@require_POST
def move(request: HttpRequest, public_id: str) -> HttpResponse:
    """Move it to another status, as a call of `update_activities`, and go on to the next."""
    found = find_to_change(request, public_id)
    status = request.POST.get("status", "")
    if status not in MOVED:
        return show(request, found, status=400, refusal=_("It cannot be moved there."))
    wanted = wanted_of(request)
    place = place_in(found, wanted)
    person = viewer_of(request).actor.within(found.workspace_id)
    arguments = {"activity_ids": [found.public_id], "updates": {"status": status}}
    try:
        dispatch.call("update_activities", arguments, person)
    except ToolError as error:
        return show(request, found, status=error.status, refusal=error.message)
    _say_moved(request, found, status)
    return go_on(request, wanted, place)


def _say_moved(request: HttpRequest, found: Activity, status: str) -> None:
    """Say what was done; Undo names the change, so that it takes back this and no other."""
    actor = viewer_of(request).actor
    rows = ActivityChange.objects.visible_to(actor).filter(activity=found, by=actor.key)
    change = rows.order_by("-id").first()
    words = str(MOVED[status]).format(title=_titled(found))
    if change is None or change.after.get("status") != status:
        say_done(request, words)
        return
    url = url_of(found, wanted_of(request), "activity-undo")
    say_done(request, words, url, change=change.public_id)


@require_POST
def undo(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take a change of it back."""
    found = find_to_change(request, public_id)
    rows = ActivityChange.objects.visible_to(viewer_of(request).actor)
    change = rows.with_public_id(request.POST.get("change", "")).filter(activity=found).first()
    if change is None:
        return show(
            request, found, status=400, refusal=_("This change does not exist or cannot be undone.")
        )
    try:
        correcting.take_back(change=change, by=person_of(request))
    except DomainError as error:
        return show(request, found, status=409, refusal=error.message)
    say_done(request, _("Undone."))
    return HttpResponseRedirect(url_of(found, wanted_of(request)))


@require_POST
def snooze(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put it off, and go on to the next."""
    found, code = find_to_change(request, public_id), request.POST.get("until", "")
    if code not in dict(SNOOZES):
        return show(request, found, status=400, refusal=_("It cannot be snoozed until then."))
    wanted = wanted_of(request)
    place = place_in(found, wanted)
    until = snooze_end(code, timezone.now(), zone_of(request))
    try:
        snooze_activity(activity=found, by=person_of(request), until=until)
    except DomainError as error:
        return show(request, found, status=409, refusal=error.message)
    words = _("Snoozed: {title}").format(title=_titled(found))
    say_done(request, words, url_of(found, wanted, "activity-wake"))
    return go_on(request, wanted, place)


@require_POST
def wake(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put what was put off back at its place."""
    found = find_to_change(request, public_id)
    wake_activity(activity=found, by=person_of(request))
    say_done(request, _("Snooze ended."))
    return HttpResponseRedirect(url_of(found, wanted_of(request)))


@require_POST
def ask(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask an agent for a draft, in a person's own words."""
    found = find_to_change(request, public_id)
    rows = Agent.objects.visible_to(viewer_of(request).actor)
    agent = rows.with_public_id(request.POST.get("agent", "")).first()
    wish = "\n".join(
        words for name in ("preset", "wish") if (words := request.POST.get(name, "").strip())
    )
    if agent is None:
        return show(
            request, found, status=400, asking=wish, refusal=_("This agent does not exist.")
        )
    try:
        ask_for_draft(activity=found, agent=agent, by=person_of(request), wish=wish)
    except ToolError as error:
        words = _("Say what the draft is for.")
        if wish:
            words = _("Say what the draft is for in at most 4000 characters.")
        return show(request, found, status=error.status, asking=wish, refusal=words)
    say_done(request, _("Asked {agent} for a draft.").format(agent=agent.name))
    return HttpResponseRedirect(url_of(found, wanted_of(request)))


def _titled(found: Activity) -> str:
    title = " ".join((found.title or _("(no subject)")).split())
    return title if len(title) <= _LONGEST_TITLE else title[:_LONGEST_TITLE] + "…"
