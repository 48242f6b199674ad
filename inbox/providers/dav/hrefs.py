"""Addresses at a server, in one spelling: servers write the same one in many ways.

An item's id is the path of its address, each part percent-encoded as RFC 3986 has it and no
further; a collection's is the whole address, ending in a slash.
"""

import ipaddress
import re
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

from inbox.providers.web import can_be_looked_up, is_loopback

# What may stand in a part of a path as it is (RFC 3986 3.3).
_PLAIN = "-._~!$&'()*+,;=:@"
LONGEST = 1000
# A path that nothing of is to be resolved or spelled anew, as most servers write most of them.
_IN_OUR_SPELLING = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+/?")
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")
_PORTS = {"http": 80, "https": 443}


class UnfitAddressError(ValueError):
    """An address that nothing is sent to."""


def spelled(path: str) -> str:
    """Return a path in our spelling: it names the same."""
    return "/".join(quote(unquote_to_bytes(part), safe=_PLAIN) for part in path.split("/"))


def part(name: str) -> str:
    """Return a name as one part of a path."""
    return quote(name.encode("utf-8", "surrogatepass"), safe=_PLAIN)


def checked(url: str) -> str:
    """Return an address in our spelling; raises UnfitAddressError for one we send nothing to.

    It begins with https://, or with http:// on this machine, and has no user, query or fragment.
    """
    if len(url) > LONGEST or any(ord(letter) < 33 for letter in url):
        raise UnfitAddressError(f"it is no address of at most {LONGEST} characters")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise UnfitAddressError("it is no address") from error
    if not _HOST.fullmatch(host) or not can_be_looked_up(host) or "@" in parts.netloc:
        raise UnfitAddressError("it must name a host, and no user")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise UnfitAddressError("it must begin with https://")
    place = f"[{host}]" if ":" in host else host
    if port and port != _PORTS[parts.scheme]:
        place = f"{place}:{port}"
    return f"{parts.scheme}://{place}{spelled(parts.path or '/')}"


def origin(url: str) -> str:
    """Return scheme, host and port of an address in our spelling."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def host_of(url: str) -> str:
    """Return the host of an address."""
    return urlsplit(url).hostname or ""


def resolved(base: str, href: str) -> str:
    """Return what a href in an answer from `base` names; raises UnfitAddressError."""
    try:
        joined = urljoin(base, href.strip())
    except ValueError as error:
        raise UnfitAddressError("it is no address") from error
    return checked(joined.partition("#")[0].partition("?")[0])


@lru_cache(maxsize=4096)
def path_at(base: str, href: str) -> str | None:
    """Return the path that a href in an answer from `base` names; None: it is at another host."""
    if _IN_OUR_SPELLING.fullmatch(href) and len(base) + len(href) <= LONGEST and _is_own(base):
        return href
    try:
        found = resolved(base, href)
    except UnfitAddressError:
        return None
    return urlsplit(found).path if origin(found) == origin(base) else None


@lru_cache(maxsize=256)
def _is_own(base: str) -> bool:
    """Return True if what is below an answer's own host is at its host."""
    try:
        return origin(resolved(base, "/")) == origin(base)
    except UnfitAddressError:
        return False


def as_collection(url: str) -> str:
    """Return an address with the slash that a collection's ends in."""
    return url if url.endswith("/") else f"{url}/"


def is_related(host: str, known: str) -> bool:
    """Return True if a host stands beside or below a known one: p42.dav.example and dav.example.

    A server that keeps its accounts on many machines names them so.
    """
    parent = known.split(".", 1)[1] if known.count(".") >= 2 else known
    return not _is_address(known) and (host == known or host.endswith(f".{parent}"))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
