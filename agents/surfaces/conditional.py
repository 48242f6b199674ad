"""Answers with an entity tag: whoever has the same content is spared it (RFC 9110 13)."""

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified

from agents.lists.etags import etag_of, names_weakly

# What a 304 says again (RFC 9110 15.4.5), and whose call it was.
_KEPT = ("ETag", "Cache-Control", "Vary", "Chancery-Receipt")


def make_conditional(request: HttpRequest, response: HttpResponse, etag: str = "") -> HttpResponse:
    """Return the answer with its ETag, or 304 where `If-None-Match` names that.

    It is the caller's own, kept by nobody between us, and asked about each time.
    """
    response["ETag"] = etag or etag_of(response.content)
    response["Cache-Control"] = "private, no-cache"
    response["Vary"] = "Authorization, Cookie"
    known = request.headers.get("If-None-Match")
    if known is None or not names_weakly(known, response["ETag"]):
        return response
    unchanged = HttpResponseNotModified()
    for name in _KEPT:
        if name in response:
            unchanged[name] = response[name]
    return unchanged
