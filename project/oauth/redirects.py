"""Where a client may have its person's browser sent back to."""

from urllib.parse import urlsplit

from project.oauth.settings import PRIVATE_SCHEMES

MOST = 10
LONGEST = 500
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_ACCEPTED = (
    "https://…, http:// at 127.0.0.1, [::1] or localhost, or one of the schemes "
    + ", ".join(PRIVATE_SCHEMES)
)


class BadRedirect(Exception):  # noqa: N818
    """An address to which nobody is sent, in words that name what would be."""


def check_redirects(given: object) -> list[str]:
    """Return the redirect URIs of a client; raises BadRedirect unless all of them will do."""
    if not isinstance(given, list) or not 0 < len(given) <= MOST:
        raise BadRedirect(f"redirect_uris is no list of 1 to {MOST} addresses")
    return [_check(each) for each in given]


def _check(uri: object) -> str:
    if not isinstance(uri, str) or len(uri) > LONGEST or not uri.isascii():
        raise BadRedirect(f"redirect_uris has no address of at most {LONGEST} plain characters")
    if not uri.isprintable() or set(uri) & set(' "<>\\^`{|}#') or not _may_be(uri):
        raise BadRedirect(f"redirect_uris has {uri[:80]!r}; accepted are {_ACCEPTED}")
    return uri


def _may_be(uri: str) -> bool:
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return False
    if "@" in parts.netloc or not parts.netloc:
        return False
    if parts.scheme == "http":
        return parts.hostname in LOOPBACK
    return parts.scheme == "https" or parts.scheme in PRIVATE_SCHEMES


def returns_here(uri: str) -> bool:
    """Return True if a browser that is sent there stays on its own machine."""
    parts = urlsplit(uri)
    return parts.scheme in PRIVATE_SCHEMES or parts.hostname in LOOPBACK


def place_of(uri: str) -> str:
    """Return where a URI leads, for people: a host, or the scheme of a program."""
    parts = urlsplit(uri)
    return f"{parts.scheme}:" if parts.scheme in PRIVATE_SCHEMES else parts.netloc


def as_source(uri: str) -> str:
    """Return what a Content Security Policy calls the place that a URI leads to."""
    parts = urlsplit(uri)
    is_private = parts.scheme in PRIVATE_SCHEMES
    return f"{parts.scheme}:" if is_private else f"{parts.scheme}://{parts.netloc}"
