"""The addresses of the API, under `/api/`."""

from django.urls import path

from agents.surfaces.rest import NowhereView, tool_paths

urlpatterns = [
    *tool_paths(),
    path("<path:rest>", NowhereView.as_view()),
]
