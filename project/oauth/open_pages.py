"""Addresses that pages of any origin may use: they take no cookie, and say who asks themselves."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

_HEADERS = "authorization, content-type, mcp-protocol-version"


def open_to_pages(view: Callable[..., HttpResponse], *methods: str) -> Callable[..., HttpResponse]:
    """Return a view for these methods, with what lets a page read its answers (Fetch, 3.2)."""

    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "OPTIONS":
            response = HttpResponse(status=204)
            response["Access-Control-Allow-Methods"] = ", ".join(methods)
            response["Access-Control-Allow-Headers"] = _HEADERS
        elif request.method not in methods:
            response = HttpResponse(status=405)
            response["Allow"] = ", ".join(methods)
        else:
            response = view(request, *args, **kwargs)
        response["Access-Control-Allow-Origin"] = "*"
        return response

    return answer
