"""From an address to the session resource (RFC 8620 2.2): well-known, or found by DNS."""

from collections.abc import Callable, Iterator
from typing import TypeAlias
from urllib.parse import urlsplit

from inbox.providers.dav.hrefs import (
    UnfitAddressError,
    checked,
    host_of,
    is_related,
    origin,
    resolved,
)
from inbox.providers.dav.service_names import service_host
from inbox.providers.http.failures import redirected, refusal
from inbox.providers.http.reading import Answer
from inbox.providers.jmap.resource import SessionResource, read_resource
from inbox.providers.mail_store import StoreError
from inbox.providers.web import GarbledAnswerError, is_loopback
from inbox.reasons import phrase as _

WELL_KNOWN = "/.well-known/jmap"
LONGEST_RESOURCE = 1024 * 1024
_MOST_REDIRECTS = 5
_NOTHING_THERE = frozenset({404, 405, 410})


# What an address answers, signed in.
Ask: TypeAlias = Callable[[str], Answer]


def find_resource(ask: Ask, begin: str) -> SessionResource:
    """Return the session resource that an address leads to; raises StoreError."""
    for url in _starts(begin):
        answer = _follow(ask, url)
        if answer.status in _NOTHING_THERE:
            continue
        if not answer.is_good:
            raise refusal(host_of(answer.url), answer.status, answer.headers, answer.body)
        try:
            fields = answer.fields()
        except GarbledAnswerError:
            continue
        return read_resource(answer.url, fields)
    place = host_of(begin)
    raise StoreError("permanent", _("No JMAP server was found at %(place)s.", place=place))


def _starts(begin: str) -> Iterator[str]:
    """Yield where to ask: the address; of one without a path, what its name stands for."""
    if urlsplit(begin).path != "/":
        yield begin
        return
    if place := _named(begin):
        yield f"{place}{WELL_KNOWN}"
    yield f"{origin(begin)}{WELL_KNOWN}"


def _named(url: str) -> str:
    """Return the server that a domain's SRV record names (RFC 8620 2.2), beside or below it."""
    domain = host_of(url)
    if is_loopback(domain) or urlsplit(url).port:
        return ""
    try:
        host, port = service_host(f"_jmap._tcp.{domain}")
        place = checked(f"https://{host}:{port}/") if host else ""
    except (StoreError, UnfitAddressError):
        return ""
    # Names are not signed: a credential does not go wherever one says.
    return origin(place) if place and is_related(host, domain) else ""


def _follow(ask: Ask, url: str) -> Answer:
    """Return what an address answers, or the one to which it leads on the same host."""
    for _number in range(_MOST_REDIRECTS):
        answer = ask(url)
        target = answer.headers.get("location", "")
        if not (300 <= answer.status < 400 and target):
            return answer
        try:
            found = resolved(url, target)
        except UnfitAddressError:
            raise redirected(host_of(url)) from None
        if origin(found) != origin(url):
            raise redirected(host_of(url))
        url = found
    raise redirected(host_of(url))
