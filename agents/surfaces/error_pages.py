"""What a person is shown where there is nothing, nothing for them, or something went wrong."""

import logging
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template import loader

log = logging.getLogger("chancery.pages")


def render_error_page(request: HttpRequest, *, status: int, template: str = "") -> HttpResponse:
    """Return the page of a status, with the way to all others for whoever is signed in.

    It says the same whatever is at the address. Where it cannot be known who asks, since the
    database fails too, it is the page without anybody's name.
    """
    page = loader.get_template(template or f"{status}.html")
    try:
        words = page.render(_frame(request), request)
    except Exception:  # whatever it is, there is a page
        log.warning("The page of an error has no header", exc_info=True)
        words = page.render()
    return HttpResponse(words, status=status)


def _frame(request: HttpRequest) -> dict[str, Any]:
    frame = admin.site.each_context(request)
    return {**frame, "is_stranger": not frame["has_permission"]}
