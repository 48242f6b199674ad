"""The addresses of the API, under `/api/`."""

from django.urls import path

from agents.surfaces.exchange import exchange_paths
from agents.surfaces.files import file_paths
from agents.surfaces.interrupts import interrupt
from agents.surfaces.openapi.document import docs_page, openapi_view
from agents.surfaces.resources import resource_paths
from agents.surfaces.rest import UnknownAddressView, tool_paths
from agents.surfaces.tool_list import ToolListView

urlpatterns = [
    path("openapi.json", openapi_view, name="openapi"),
    path("docs", docs_page, name="api-docs"),
    path("tools", ToolListView.as_view()),
    *tool_paths(),
    path("v1/approvals/<str:approval_id>/interrupt", interrupt),
    *resource_paths(),
    *exchange_paths(),
    *file_paths(),
    path("", UnknownAddressView.as_view()),
    path("<path:rest>", UnknownAddressView.as_view()),
]
