"""The one admin site: every page of Chancery that a person sees."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.urls import reverse

from inbox.viewer import viewer_of

# What the top of every page leads to: a name, and the name of its address.
PLACES = (
    ("Queue", "queue"),
    ("Threads", "admin:inbox_thread_changelist"),
    ("People", "admin:inbox_person_changelist"),
    ("Agents", "admin:agents_agent_changelist"),
    ("Receipts", "admin:agents_receipt_changelist"),
    ("Policies", "admin:inbox_replypolicy_changelist"),
    ("Everything", "everything"),
)


class ChanceryAdminSite(AdminSite):
    """Django's admin under Chancery's name."""

    site_title = "Chancery"
    site_header = "Chancery"
    index_title = "Everything"
    site_url = None
    enable_nav_sidebar = False

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add where the top of the page leads, and who looks."""
        context = super().each_context(request)
        if not context["has_permission"]:
            return context
        places = [{"name": name, "url": reverse(view)} for name, view in PLACES]
        found = max(
            (place for place in places if request.path.startswith(place["url"])),
            key=lambda place: len(place["url"]),
            default=None,
        )
        for place in places:
            place["current"] = "yes" if place is found else ""
        return {**context, "places": places, "viewer": viewer_of(request)}
