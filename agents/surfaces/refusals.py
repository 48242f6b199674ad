"""What Django itself refuses: in the house shape under `/api/`, as a page everywhere else."""

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.views import defaults

from agents.errors import ToolError
from agents.surfaces.error_pages import render_error_page
from agents.surfaces.rest import render_error


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that is none, a foreign `Host` among them."""
    if not _is_api(request):
        return defaults.bad_request(request, exception)
    if isinstance(exception, DisallowedHost):
        details = {"header": "Host", "accepted": "a host name of CHANCERY_HOSTS"}
        return render_error(ToolError("invalid_input", "It is not served as this host", details))
    return render_error(ToolError("invalid_input", "The request cannot be read"))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that leads nowhere."""
    if not _is_api(request):
        return render_error_page(request, status=404)
    return render_error(ToolError("not_found", "There is nothing at this address"))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what is for others to see or to decide."""
    return render_error_page(request, status=403)


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without the proof that it came from here; Django has logged it."""
    return render_error_page(request, status=403, template="403_csrf.html")


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer what went wrong before any view was asked; Django has logged it."""
    if not _is_api(request):
        return render_error_page(request, status=500)
    return render_error(ToolError("internal", "Something went wrong; it has been logged"))


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")
