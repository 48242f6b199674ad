"""The pages write and read times in the time zone that the browser told."""

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin

from inbox.viewer import zone_of


class ReaderTimeZone(MiddlewareMixin):
    """Django's own dates on the pages, and those typed there, are in the reader's zone."""

    def process_request(self, request: HttpRequest) -> None:
        """Take the zone for this request."""
        timezone.activate(zone_of(request))

    def process_response(
        self, _request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Leave the thread as it was."""
        timezone.deactivate()
        return response
