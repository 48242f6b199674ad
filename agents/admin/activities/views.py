"""An activity: the message, why it stands where it stands, and what a person may do with it."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.admin.activities.explaining import explain_activity, read_history
from agents.admin.activities.finding import find_activity, place_in, url_of, wanted_of
from agents.admin.activities.queries import read_related, read_sender, read_shown
from agents.admin.queue.neighbours import neighbours
from agents.admin.queue.snooze import offered_snoozes
from agents.operations.asking import agents_for
from inbox.models import Activity, ActivityStatus
from inbox.viewer import viewer_of, zone_of

OPEN = (ActivityStatus.SURFACED, ActivityStatus.NEEDS_REVIEW, ActivityStatus.QUARANTINED)
# Where else a person may move it, besides done and dismissed.
OTHER_MOVES: dict[str, Any] = {
    ActivityStatus.SURFACED: _("Move to queue"),
    ActivityStatus.NEEDS_REVIEW: _("Send to review"),
    ActivityStatus.QUARANTINED: _("Quarantine"),
}
TIERS: dict[int, Any] = {
    1: _("handled silently"),
    2: _("noted"),
    3: _("a request that needs a draft or suggestion"),
    4: _("urgent or important"),
}
# What one often wishes of a draft: the words on the page, and what the agent is told.
WISHES: tuple[tuple[Any, str], ...] = (
    (_("Say yes"), "Agree to what they ask, briefly and warmly."),
    (_("Decline politely"), "Decline what they ask, kindly and without excuses."),
    (_("Ask for what is missing"), "Ask for what is missing before we can answer."),
    (_("Say when we will answer"), "Thank them, and say that a full answer follows."),
)


@require_safe
def activity(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show it, with the answer to `why was this surfaced?`, or why it was not."""
    return show(request, find_activity(request, public_id))


def show(
    request: HttpRequest,
    found: Activity,
    *,
    status: int = 200,
    refusal: str = "",
    asking: str | None = None,
) -> HttpResponse:
    """Show the page; `asking` is what the form for a draft was given where it was refused."""
    viewer, wanted = viewer_of(request), wanted_of(request)
    before, after = neighbours(viewer, wanted, place_in(found, wanted))
    may_decide = viewer.may_decide(found.workspace_id)
    context = {
        **admin.site.each_context(request),
        **_what_it_says(request, found),
        **(_what_may_be_done(request, found) if may_decide else {}),
        "title": found.title or _("(no subject)"),
        "activity": found,
        "queue_url": wanted.url(),
        "previous": before,
        "next": after,
        "may_decide": may_decide,
        "workspace_name": found.workspace.name if viewer.has_several else "",
        "refusal": refusal,
        "asking": asking,
    }
    return TemplateResponse(request, "chancery/activities/activity.html", context, status=status)


def _what_it_says(request: HttpRequest, found: Activity) -> dict[str, Any]:
    actor = viewer_of(request).actor
    return {
        "reading": read_shown(actor, found),
        "why": explain_activity(found),
        "history": read_history(actor, found),
        "sender": read_sender(actor, found),
        "related": read_related(actor, found),
        "tier_words": TIERS.get(found.autonomy_tier or 0, ""),
    }


def _what_may_be_done(request: HttpRequest, found: Activity) -> dict[str, Any]:
    wanted, now = wanted_of(request), timezone.now()
    names = ("activity-move", "activity-snooze", "activity-wake", "activity-ask")
    urls = {name.partition("-")[2]: url_of(found, wanted, name) for name in names}
    actions = [one for one in found.suggested_actions if isinstance(one, str)]
    return {
        "urls": {**urls, "reclassify": url_of(found, wanted, "activity-reclassify")},
        "is_open": found.status in OPEN,
        "is_snoozed": bool(found.snoozed_until and found.snoozed_until > now),
        "snoozes": offered_snoozes(now, zone_of(request)),
        "agents": agents_for(found),
        "wishes": WISHES,
        "actions": actions,
        "moves": [
            {"status": key, "name": name}
            for key, name in OTHER_MOVES.items()
            if key != found.status
        ],
    }
