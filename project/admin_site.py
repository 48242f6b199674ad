"""The one admin site: every page of Chancery that a person sees."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.urls import reverse

from inbox.viewer import viewer_of

# What the top of every page leads to: a name, the name of its address, and where else it shows.
PLACES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Queue", "queue", ("review/", "activities/")),
    ("Threads", "admin:inbox_thread_changelist", ("threads/",)),
    ("People", "admin:inbox_person_changelist", ()),
    ("Calendar", "admin:calendar_app_event_changelist", ("calendar_app/",)),
    ("Files", "admin:inbox_filenode_changelist", ("files/",)),
    ("Agents", "admin:agents_agent_changelist", ("device/",)),
    ("Receipts", "admin:agents_receipt_changelist", ()),
    ("Accounts", "admin:inbox_account_changelist", ()),
    ("Policies", "admin:inbox_replypolicy_changelist", ()),
    ("Everything", "everything", ("",)),
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
        return {**context, "places": _places(request.path), "viewer": viewer_of(request)}


def _places(path: str) -> list[dict[str, Any]]:
    """Return the places, the one that a page belongs to marked; the rest is Everything's."""
    home = reverse("queue")
    places: list[dict[str, Any]] = []
    is_found = False
    for name, view, others in PLACES:
        url = reverse(view)
        is_here = path == url or (url != home and path.startswith(url))
        is_here = is_here or any(path.startswith(home + other) for other in others)
        places.append({"name": name, "url": url, "current": is_here and not is_found})
        is_found = is_found or is_here
    return places
