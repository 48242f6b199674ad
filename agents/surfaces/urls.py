"""The addresses of the API, under `/api/`."""

from django.urls import path

from agents.surfaces.openapi import docs_page, openapi_view
from agents.surfaces.resources import resource_paths
from agents.surfaces.rest import NowhereView, tool_paths

urlpatterns = [
    path("openapi.json", openapi_view, name="openapi"),
    path("docs", docs_page, name="api-docs"),
    *tool_paths(),
    *resource_paths(),
    path("", NowhereView.as_view()),
    path("<path:rest>", NowhereView.as_view()),
]
