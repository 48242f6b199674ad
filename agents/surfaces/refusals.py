"""What Django itself refuses: in the house shape under `/api/`, as a page everywhere else."""

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.views import defaults

from agents.errors import ToolError
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
        return defaults.page_not_found(request, exception)
    return render_error(ToolError("not_found", "There is nothing at this address"))


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer what went wrong before any view was asked; Django has logged it."""
    if not _is_api(request):
        return defaults.server_error(request)
    return render_error(ToolError("internal", "Something went wrong; it has been logged"))


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/")
