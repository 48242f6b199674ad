"""One conditional GET of a calendar (RFC 9110 13.1), in bounds; without credentials."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from inbox.providers.http.failures import failures_of
from inbox.providers.mail_store import StoreError, StoreErrorKind
from inbox.providers.tls import tls_context
from inbox.providers.web import can_be_looked_up, is_loopback, read_retry_after
from inbox.reasons import phrase as _

LONGEST_FILE = 50 * 1024 * 1024
LONGEST_URL = 1000
# Seconds: for a piece of the answer, and for all of it.
_PATIENCE, _LONGEST = 30.0, 300.0
_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Answer:
    """A file as it was handed out."""

    headers: Mapping[str, str]
    body: bytes


def address_of(settings: Mapping[str, Any]) -> str:
    """Return the address of a source's settings; raises StoreError where it cannot be used.

    `webcal:` is another way to write `https:`.
    """
    url = str(settings.get("url") or "").strip()
    scheme, between, rest = url.partition("://")
    if scheme.lower() in {"webcal", "webcals"}:
        url = f"https{between}{rest}"
    if not _is_fit(url):
        raise StoreError("permanent", _("The address must begin with https:// or webcal://."))
    return url


def host_of(settings: Mapping[str, Any]) -> str:
    """Return the host that the settings name; empty where they name none."""
    try:
        return urlsplit(address_of(settings)).hostname or ""
    except StoreError:
        return ""


def ask(settings: Mapping[str, Any], url: str, known: Mapping[str, Any]) -> Answer | None:
    """Return the file, None where it is as it was; raises StoreError.

    `known` has the `etag` and `last_modified` of the last answer.
    """
    headers = {"User-Agent": "Chancery", "Accept": "text/calendar, */*;q=0.5"}
    if known.get("etag"):
        headers["If-None-Match"] = str(known["etag"])
    if known.get("last_modified"):
        headers["If-Modified-Since"] = str(known["last_modified"])
    with failures_of(urlsplit(url).hostname or ""), _client(settings) as client:
        for _number in range(_MOST_REDIRECTS + 1):
            with client.stream("GET", url, headers=headers) as answer:
                if answer.status_code in _REDIRECTS:
                    url = _next(url, answer.headers.get("location", ""))
                    continue
                if answer.status_code == 304:
                    return None
                if answer.status_code != 200:
                    raise _refusal(url, answer)
                return Answer(answer.headers, b"".join(_pieces(answer)))
    raise StoreError("permanent", _("The address redirects in a circle."))


def _client(settings: Mapping[str, Any]) -> httpx.Client:
    return httpx.Client(
        verify=tls_context(settings.get("ca_file")), timeout=_PATIENCE, follow_redirects=False,
        trust_env=False,
    )  # fmt: skip


def _is_fit(url: str) -> bool:
    if len(url) > LONGEST_URL or any(ord(letter) < 33 for letter in url):
        return False
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _port = parts.port
    except ValueError:
        return False
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
    return can_be_looked_up(host) and is_safe and "@" not in parts.netloc


def _next(url: str, target: str) -> str:
    found = urljoin(url, target)
    if not target or not _is_fit(found):
        raise StoreError("permanent", _("The address redirects to one that cannot be used."))
    return found


def _pieces(answer: httpx.Response) -> Iterator[bytes]:
    end, size = time.monotonic() + _LONGEST, 0
    for piece in answer.iter_bytes():
        size += len(piece)
        if size > LONGEST_FILE:
            most = LONGEST_FILE // 1024**2
            raise StoreError("permanent", _("The calendar is larger than %(most)s MB.", most=most))
        if time.monotonic() > end:
            raise StoreError("transient", _("The server did not finish its answer in time."))
        yield piece


def _refusal(url: str, answer: httpx.Response) -> StoreError:
    status, host = answer.status_code, urlsplit(url).hostname or ""
    words = _("%(host)s does not give out the calendar (HTTP %(code)s).", host=host, code=status)
    wait = read_retry_after(answer.headers.get("retry-after", ""))
    return StoreError(_kind(status), words, retry_after=wait)


def _kind(status: int) -> StoreErrorKind:
    if status in {429, 503}:
        return "throttled"
    return "transient" if status >= 500 or status == 408 else "permanent"
