"""The one admin site: every page of Chancery that a person sees."""

from functools import lru_cache, partial
from typing import Any, cast

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext_lazy as _

from inbox.onward import onward_of
from inbox.viewer import viewer_of
from project.first_run.steps import progress_on_the_way

# What the top of every page leads to: a name, the key after `g`, the name of its address, and where
# else it shows.
PLACES: tuple[tuple[Any, str, str, tuple[str, ...]], ...] = (
    (_("Queue"), "q", "queue", ("review/", "write/", "activities/", "queue/")),
    (_("Threads"), "t", "admin:inbox_thread_changelist", ("threads/",)),
    (_("People"), "p", "admin:inbox_person_changelist", ("people/",)),
    (_("Calendar"), "c", "calendar", ("calendar_app/", "events/", "todos/")),
    (_("Files"), "f", "files", ("inbox/filenode/",)),
    (_("Agents"), "a", "admin:agents_agent_changelist", ("device/", "connect/")),
    (_("Oversight"), "o", "oversight", ()),
    (_("Receipts"), "r", "admin:agents_receipt_changelist", ()),
    (_("Accounts"), "m", "admin:inbox_account_changelist", ("accounts/", "sources/")),
    (_("Policies"), "y", "admin:inbox_replypolicy_changelist", ("corrections/",)),
    (_("Everything"), "e", "everything", ("",)),
)
_OWN = ("me/", "members/", "password", "start/")


class ChanceryAdminSite(AdminSite):
    """Django's admin under Chancery's name."""

    site_title = "Chancery"
    site_header = "Chancery"
    index_title = _("Everything")
    site_url = None
    enable_nav_sidebar = False

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add where the top of the page leads, and who looks."""
        context = super().each_context(request)
        if not context["has_permission"]:
            return context
        on_the_way = progress_on_the_way(request)
        return {
            **context,
            **dict(zip(("places", "current_place"), _places(request.path), strict=True)),
            "viewer": viewer_of(request),
            "untold": _untold(request),
            **({"set_up": on_the_way, "onward": onward_of(request)} if on_the_way else {}),
        }

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        """Return all tables by app, gathered once a page shows them: every page asks, few show."""
        gather = partial(super().get_app_list, request, app_label)
        return cast("list[dict[str, Any]]", SimpleLazyObject(gather))


def _untold(request: HttpRequest) -> list[str]:
    """Return where this person decides and nobody would be told: said where one looks first."""
    if request.path not in {reverse("queue"), reverse("oversight")}:
        return []
    viewer = viewer_of(request)
    return [viewer.names[key] for key in sorted(viewer.untold) if viewer.may_decide(key)]


@lru_cache(maxsize=2000)
def _places(path: str) -> tuple[tuple[dict[str, Any], ...], str]:
    """Return the places and the key of the one that a page belongs to; the rest is Everything's."""
    home = reverse("queue")
    places: list[dict[str, Any]] = []
    here = ""
    # Of what a person sets for themselves, none is.
    is_found = any(path.startswith(home + own) for own in _OWN)
    for name, key, view, others in PLACES:
        url = reverse(view)
        is_here = path == url or (url != home and path.startswith(url))
        is_here = is_here or any(path.startswith(home + other) for other in others)
        is_here, is_found = is_here and not is_found, is_found or is_here
        here = key if is_here else here
        places.append({"name": name, "key": key, "url": url, "current": is_here})
    return tuple(places), here
