"""The OpenAPI 3.1 document, and the page to browse it."""

from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from drf_spectacular.generators import SchemaGenerator

from agents.errors import ToolError
from agents.surfaces.openapi.operations import ContractSchema
from agents.surfaces.openapi.parts import CONTACT, LICENSE, SECURITY_SCHEMES, TAGS

__all__ = ["ContractSchema", "docs_page", "openapi_document", "openapi_view"]


@cache
def openapi_document() -> dict[str, Any]:
    """Return the document; nothing in it changes while the application runs."""
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    document["components"]["securitySchemes"] = SECURITY_SCHEMES
    document["info"] |= {"license": LICENSE, "contact": {**CONTACT, "url": settings.BASE_URL}}
    # Wherever the document itself was read: one host has several names.
    return {**document, "servers": [{"url": "/"}], "tags": TAGS}


def openapi_view(request: HttpRequest) -> HttpResponse:
    """Serve the document; it is public, like the contracts."""
    return _refuse_writing(request) or JsonResponse(
        openapi_document(), content_type="application/vnd.oai.openapi+json"
    )


def docs_page(request: HttpRequest) -> HttpResponse:
    """Show the API, to read and to try."""
    return _refuse_writing(request) or render(request, "chancery/api_docs.html")


def _refuse_writing(request: HttpRequest) -> HttpResponse | None:
    if request.method in {"GET", "HEAD"}:
        return None
    error = ToolError("method_not_allowed", "This is only read", {"accepted": "GET, HEAD"})
    response = JsonResponse(error.as_json(), status=error.status)
    response["Allow"] = "GET, HEAD"
    return response
