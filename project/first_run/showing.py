"""A step as a page: under its title, with the line that says how far one is."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from project.first_run.set_up import SetUp
from project.first_run.steps import progress_at


def show_step(
    request: HttpRequest, key: str, set_up: SetUp, more: Mapping[str, Any], *,
    is_refused: bool = False,
) -> HttpResponse:  # fmt: skip
    """Return the page of a step; `more` has its title and what else it shows."""
    context = {
        **admin.site.each_context(request),
        "set_up": progress_at(key, set_up.done),
        "workspace": set_up.workspace,
        "agent": set_up.agent,
        "is_demo": set_up.is_demo,
        **more,
    }
    status = 400 if is_refused else 200
    return TemplateResponse(request, f"chancery/start/{key}.html", context, status=status)
