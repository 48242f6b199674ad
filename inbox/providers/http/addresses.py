"""Where an interface answers, as settings say, and addresses below it."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from inbox.providers.mail_store import StoreError
from inbox.providers.web import is_safe
from inbox.reasons import phrase as _


def address_of(settings: Mapping[str, Any], usual: str = "") -> str:
    """Return the address below which all lies, without a slash at its end.

    `usual` where the settings name none in `api_url`. Raises StoreError for one that is not safe.
    """
    url = str(settings.get("api_url") or "").strip().rstrip("/") or usual
    if url and (not is_safe(url) or any(mark in url for mark in "?#\\")):
        words = _(
            "The account's %(name)s must be %(wanted)s.",
            name="api_url",
            wanted=_("an address that begins with https://"),
        )
        raise StoreError("permanent", words)
    return url


def part(text: str) -> str:
    """Return a segment of a path."""
    return quote(text, safe="")
