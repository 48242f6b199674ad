"""The address itself: a calendar for whoever has it, to be read by calendar programs."""

from allauth.core.internal import ratelimit
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, quote_etag
from django.views.decorators.http import require_safe

from calendar_app.feeds.reading import find_feed, look_at, write_feed

# Of one network address; what was right is never counted.
_MISSES = {"calendar_feed_missed": "60/m/ip"}
_RETRY_AFTER = 60


@require_safe
def serve_feed(request: HttpRequest, secret: str) -> HttpResponse:
    """Answer with the calendar, or that it has not changed.

    What was revoked, deleted or never there is answered alike.
    """
    feed = find_feed(secret)
    if feed is None:
        return _miss(request)
    look = look_at(feed)
    etag, changed_at = quote_etag(look.etag), int(look.changed_at.timestamp())
    response = get_conditional_response(request, etag=etag, last_modified=changed_at)
    if response is None:
        response = HttpResponse(write_feed(look), content_type="text/calendar; charset=utf-8")
        response["Content-Disposition"] = 'inline; filename="calendar.ics"'
    response["ETag"], response["Last-Modified"] = etag, http_date(changed_at)
    return _guarded(response)


def _miss(request: HttpRequest) -> HttpResponse:
    """Answer a wrong address; of very many from one place only that they are too many."""
    tried = ratelimit.consume(
        request, app="calendar_app", action="calendar_feed_missed", config=_MISSES, limit_get=True
    )
    if tried is None:
        response = HttpResponse("Too many wrong addresses.\n", "text/plain", status=429)
        response["Retry-After"] = str(_RETRY_AFTER)
        return _guarded(response)
    return _guarded(HttpResponse("There is no such calendar.\n", "text/plain", status=404))


def _guarded(response: HttpResponse) -> HttpResponse:
    """Keep it out of shared caches and of search engines; ask each time whether it still holds."""
    response["Cache-Control"] = "private, no-cache"
    response["X-Robots-Tag"] = "noindex"
    return response
