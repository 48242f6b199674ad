"""The language of a page: the browser's; all that agents read is in English."""

from django.http import HttpRequest
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

ENGLISH = "en"
_OF_AGENTS = ("/api/", "/mcp")


class PageLanguage(LocaleMiddleware):
    """Answers pages in the language that the browser asks for, and the API in English."""

    def process_request(self, request: HttpRequest) -> None:
        """Choose the language for the time of this request."""
        if request.path_info.startswith(_OF_AGENTS):
            translation.activate(ENGLISH)
            request.LANGUAGE_CODE = ENGLISH
            return
        super().process_request(request)
