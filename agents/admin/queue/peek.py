"""A look at one item from within the list, from where it can be decided too."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from agents.admin.queue.batch import ActivityItem, ApprovalItem, read_batch
from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.snooze import offered_snoozes
from agents.admin.review import presets
from agents.admin.review.forms import WordsForm
from agents.admin.review.queue_path import read_wanted
from agents.admin.review.sighting import stamp_page
from inbox.viewer import viewer_of, zone_of


@require_safe
def peek(request: HttpRequest, public_id: str) -> HttpResponse:
    """Answer an item with what it rests on, as a part of a page; what is decided leads back there.

    `after` is the place from which the list that one looks at goes on.
    """
    wanted = read_wanted(request)
    items = read_batch(viewer_of(request), [public_id], wanted)
    if not items:
        raise Http404("There is no such item.")
    context = {
        "item": items[0],
        "query": wanted.to_query(),
        "opened": stamp_page(request, public_id),
        "after": request.GET.get("after", ""),
        "snoozes": _snoozes(request, items[0]),
        **_ways(items[0], wanted),
    }
    return TemplateResponse(request, "chancery/queue/peek.html", context)


def _snoozes(request: HttpRequest, item: ApprovalItem | ActivityItem) -> list[tuple[str, Any, Any]]:
    expires_at = item.approval.expires_at if isinstance(item, ApprovalItem) else None
    return offered_snoozes(timezone.now(), zone_of(request), expires_at)


def _ways(item: ApprovalItem | ActivityItem, wanted: QueueCriteria) -> dict[str, Any]:
    """Return where its decisions go, and the reasons that are offered."""
    if isinstance(item, ActivityItem):
        names = {"move_url": "activity-move", "snooze_url": "activity-snooze"}
        return {
            key: wanted.item_url(reverse(name, args=[item.public_id]))
            for key, name in names.items()
        }
    reasons = presets.REASONS if item.message else presets.CALL_REASONS
    return {
        "snooze_url": reverse("review-snooze", args=[item.public_id]),
        "reasons": reasons,
        "reject_form": WordsForm(auto_id="peek_%s"),
    }
