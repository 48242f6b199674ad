"""What a client that knows only an address is told: who lets one in there, and how."""

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views.metadata import (
    OAuthProtectedResourceMetadataView,
    OAuthServerMetadataView,
)

from agents.operations.agents import BASIC_SCOPES
from agents.surfaces.mcp.transports.addresses import METADATA, is_served
from agents.surfaces.mcp.transports.handler import PATH


class ServerMetadata(OAuthServerMetadataView):  # type: ignore[misc]
    """RFC 8414; the same where clients of OpenID Connect look (RFC 8414, section 5)."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return it under the one issuer of this host."""
        told = json.loads(super().get(request, *args, **kwargs).content)
        return JsonResponse(
            {**told, "issuer": oauth2_settings.oauth2_authorization_server_issuer(request)}
        )


class ResourceMetadata(OAuthProtectedResourceMetadataView):  # type: ignore[misc]
    """RFC 9728, for each address of MCP; without one, for `/mcp`."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return it; 404 where MCP is not spoken."""
        if not is_served(_path_of(request)):
            raise Http404
        response: HttpResponse = super().get(request, *args, **kwargs)
        return response

    def get_resource(self, request: HttpRequest) -> str:
        """Return the address as the client wrote it: it compares the two (section 3.3)."""
        return request.build_absolute_uri("/").lower().rstrip("/") + _path_of(request)

    def get_scopes_supported(self) -> list[str]:
        """Return those that most agents need, for many clients ask for all they find."""
        return list(BASIC_SCOPES)


def _path_of(request: HttpRequest) -> str:
    return request.path.removeprefix(METADATA) or PATH
