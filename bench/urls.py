"""What the project serves, and the anchor of every tool call: a view that does nothing."""

from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from project.urls import urlpatterns as project_urlpatterns


@csrf_exempt
def bare(_: HttpRequest) -> JsonResponse:
    """Answer with JSON, by nobody's leave and without a database."""
    return JsonResponse({"status": "ok"})


# The same view by the long way, which pages take, and by the short way of the API.
urlpatterns = [path("bare", bare), path("api/bare", bare), *project_urlpatterns]
