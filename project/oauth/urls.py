"""The addresses of signing a client in, below the root of the server.

The names are the toolkit's own: it looks up by them what it tells of itself.
"""

from django.contrib import admin
from django.urls import path

from agents.surfaces.mcp.transports.addresses import METADATA
from project.oauth.consent import authorize
from project.oauth.metadata import ResourceMetadata, ServerMetadata
from project.oauth.open_pages import open_to_pages
from project.oauth.registration import register
from project.oauth.tokens import revoke, token

app_name = "oauth2_provider"
_server = open_to_pages(ServerMetadata.as_view(), "GET", "HEAD")
_resource = open_to_pages(ResourceMetadata.as_view(), "GET", "HEAD")

urlpatterns = [
    path("admin/connect/", admin.site.admin_view(authorize), name="authorize"),
    path("oauth/token", open_to_pages(token, "POST"), name="token"),
    path("oauth/revoke", open_to_pages(revoke, "POST"), name="revoke-token"),
    path("oauth/register", open_to_pages(register, "POST"), name="dcr-register"),
    path(".well-known/oauth-authorization-server", _server, name="oauth-server-metadata"),
    path(".well-known/openid-configuration", _server),
    path(METADATA[1:], _resource, name="oauth-resource-metadata"),
    path(f"{METADATA[1:]}/<path:place>", _resource),
]
