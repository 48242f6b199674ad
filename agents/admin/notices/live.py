"""What an open page asks every so often: how much waits, and whether there is news to tell."""

from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from agents.models import Approval, NoticeBundle, NoticeSettings
from agents.notices.bundling import kept_until
from agents.notices.summary import details, headline, summarise
from inbox.viewer import Viewer, viewer_of

MOST = 99
# As many bundles are told as one, after a while without a page.
TOGETHER = 20


@never_cache
@require_safe
def state(request: HttpRequest) -> HttpResponse:
    """Return how much waits; `?since=` names the last bundle that was told, and what came after.

    Reads only. In quiet hours there is no news, but for what breaks them.
    """
    viewer = viewer_of(request)
    settings = NoticeSettings.objects.filter(user_id=viewer.actor.id, by_browser=True)
    settings = settings.select_related("user").prefetch_related("workspaces", "user__memberships")
    answer: dict[str, Any] = {"waiting": _waiting(viewer), "last": 0, "news": None}
    found = settings.first()
    if found is not None:
        answer |= _news(found, request.GET.get("since", ""))
    return JsonResponse(answer)


def _waiting(viewer: Viewer) -> int:
    """Return how many proposals wait, as far as a title can say it."""
    awake = Q(snoozed_until=None) | Q(snoozed_until__lte=timezone.now())
    rows = Approval.objects.visible_to(viewer.actor).in_queue().filter(awake)
    return int(rows.order_by()[: MOST + 1].count())


def _news(settings: NoticeSettings, since: str) -> dict[str, Any]:
    bundles = NoticeBundle.objects.filter(settings=settings).order_by("-pk")
    last = bundles.values_list("pk", flat=True).first() or 0
    if not (since.isascii() and since.isdigit() and len(since) < 19):
        return {"last": last}
    newer = list(bundles.filter(pk__gt=int(since))[:TOGETHER])
    summary = summarise(newer, settings) if newer else None
    if summary is None or not summary.count:
        return {"last": last}
    if kept_until(settings, summary.first_expires_at, timezone.now()):
        return {"last": int(since)}
    words = " ".join(details(summary, settings.quiet_zone))
    return {"last": last, "news": {"title": headline(summary), "text": words, "url": summary.url}}
