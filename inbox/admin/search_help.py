"""The page that says what the search of each kind of rows takes."""

from django.contrib import admin
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from inbox.admin.search_kinds import KINDS


@require_safe
def search_help(request: HttpRequest) -> TemplateResponse:
    """Show what can be typed into the search boxes."""
    context = {**admin.site.each_context(request), "kinds": KINDS}
    return TemplateResponse(request, "chancery/search_help.html", context)
