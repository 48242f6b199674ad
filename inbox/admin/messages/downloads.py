"""Bytes from mail, handed out so that no browser runs or shows them in our name."""

import re
import unicodedata

from django.http import HttpResponse
from django.utils.http import content_disposition_header

# Whatever a downloaded file is, it gets no script, no network and no origin.
PLAIN_TEXT = "text/plain; charset=utf-8"
LOCKED = "sandbox; default-src 'none'; frame-ancestors 'none'"
# The frame of a message's HTML: our own style sheet and nothing else.
FRAMED = (
    "sandbox; default-src 'none'; style-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
_LONGEST_NAME = 150
_PATH_MARKS = re.compile(r'[\\/:*?"<>|%]+')


def as_download(
    content: bytes, filename: str, content_type: str = "application/octet-stream"
) -> HttpResponse:
    """Return the bytes as a file to save (RFC 6266); never of a type that its sender chose."""
    response = HttpResponse(content, content_type=content_type)
    disposition = content_disposition_header(True, plain_filename(filename))
    response["Content-Disposition"] = disposition or "attachment"
    response["Content-Security-Policy"] = LOCKED
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def as_picture(content: bytes, content_type: str) -> HttpResponse:
    """Return bytes that were found to be a picture of this type, for an `img` of our own pages."""
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = "inline"
    response["Content-Security-Policy"] = LOCKED
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def plain_filename(filename: str) -> str:
    """Return a name that is no path, hides nothing, and fits: what mail says is data."""
    seen = "".join(
        letter for letter in filename if not unicodedata.category(letter).startswith(("C", "Z"))
        or letter == " "
    )  # fmt: skip
    name = _PATH_MARKS.sub("_", seen).strip(" .")
    if len(name) > _LONGEST_NAME:
        stem, dot, ending = name.rpartition(".")
        ending = (dot + ending)[:20] if stem else ""
        name = name[: _LONGEST_NAME - len(ending)] + ending
    return name or "attachment"
