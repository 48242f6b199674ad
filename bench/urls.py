"""What the project serves, and the anchors: a view that does nothing, and a plain list of rows."""

from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from inbox.models import Thread
from project.urls import urlpatterns as project_urlpatterns


@csrf_exempt
def bare(_: HttpRequest) -> JsonResponse:
    """Answer with JSON, by nobody's leave and without a database."""
    return JsonResponse({"status": "ok"})


@csrf_exempt
def values(_: HttpRequest) -> JsonResponse:
    """Answer with the 50 newest threads, as short as Django has it."""
    rows = Thread.objects.filter(merged_into=None, message_count__gt=0)
    shown = rows.order_by("-updated_at", "-id").values(
        "id", "inbox_id", "subject", "status", "participants", "updated_at"
    )
    return JsonResponse({"threads": list(shown[:50])})


# The same view by the long way, which pages take, and by the short way of the API.
urlpatterns = [
    path("bare", bare),
    path("api/bare", bare),
    path("api/values", values),
    *project_urlpatterns,
]
