"""The first page: the queue."""

from urllib.parse import urlencode

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from agents.admin.queue import TABS, count_tabs, read_place, read_queue
from inbox.viewer import viewer_of

# What an empty tab says.
REST: dict[str, tuple[str, str]] = {
    "needs-you": ("All quiet.", "Nothing needs you. What comes in will be here."),
    "waiting": ("Nothing waits for a seal.", "What agents propose to send comes up here."),
    "surfaced": ("Nothing surfaced.", "What is urgent or weighty comes up here."),
    "review": ("Nothing to review.", "Requests that want a decision come up here."),
    "quarantine": ("Quarantine is empty.", "What could not be judged is kept here."),
    "done": ("Nothing done yet.", "What was decided, and what was handled silently, is kept here."),
}  # fmt: skip


@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """Show a tab of the queue, `?tab=` and `?after=`."""
    viewer = viewer_of(request)
    tab = request.GET.get("tab", "needs-you")
    tab = tab if tab in TABS else "needs-you"
    page = read_queue(viewer, tab, read_place(request.GET.get("after", "")))
    counts = count_tabs(viewer)
    home = reverse("queue")
    tabs = [
        {
            "name": name, "count": counts.get(key, ""), "current": key == tab,
            "url": home if key == "needs-you" else f"{home}?{urlencode({'tab': key})}",
        }
        for key, name in TABS.items()
    ]  # fmt: skip
    context = {
        **admin.site.each_context(request),
        "title": TABS[tab],
        "tabs": tabs,
        "page": page,
        "next_url": f"{home}?{urlencode({'tab': tab, 'after': page.after})}",
        "rest": REST[tab],
    }
    return TemplateResponse(request, "chancery/queue.html", context)
