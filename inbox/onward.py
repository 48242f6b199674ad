"""Where a page leads when it is done, for those that are a step of something longer."""

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme


def onward_of(request: HttpRequest) -> str:
    """Return the page of this site that `?next=` asks to go on to; empty where it names none."""
    asked = request.GET.get("next", "")
    is_here = url_has_allowed_host_and_scheme(asked, allowed_hosts=None)
    return asked if is_here and asked.startswith(reverse("admin:index")) else ""
