"""What safe HTML says of itself: what was hidden, what was not loaded, where its links lead.

Exact on what `sanitise` writes: every attribute has a double-quoted value, and links never nest.
`regex`, for early releases of Python 3.11 lose matches of possessive groups.
"""

from collections.abc import Iterator
from html import escape, unescape
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import regex

from inbox.rfc5322.addresses.lookalikes import domain_deceives, unicode_domain

# As much of it is looked through for what was hidden and where links lead.
LONGEST_HTML = 200_000
_HIDDEN = regex.compile(r'<mark class="hidden-text">([^<]++)</mark>')
# Elements begin and end within a passage; it goes on all the same.
_GOES_ON = regex.compile(r'</mark>(?:<(?!mark\b)/?[a-z][^>]*+>)*+<mark class="hidden-text">')
_IMAGE = 'class="image-blocked"'
_LINK = regex.compile(r'(<a(?: [^\s=">]+="[^"]*+")*+>)((?:[^<]++|<(?!/a>))*+)</a>')
_HREF = regex.compile(r' href="([^"]*+)"')
_TAG = regex.compile(r"<[^>]*+>")
_LONGEST_HOST = 80
# Browsers skip any number of slashes before the host, of either kind (URL Standard, 4.4).
_BEFORE_HOST = regex.compile(r"^(https?):[/\\]*", regex.IGNORECASE)
_AROUND_WORD = ".,;:!?()[]{}<>\"'“”„«»"
# A label that says where it leads: a domain, with what may stand around it. A name has up to 127
# labels (RFC 1035); `regex` takes time by the square of how many there may be.
_SAYS_HOST = regex.compile(
    r"^(?:[a-z]+://)?(?:www\.)?((?:[^\W_][\w-]*\.){1,126}[^\W\d_]{2,24})(?:[/?#:]\S*)?$",
    regex.IGNORECASE,
)


class Link(NamedTuple):
    """A link: its words on one line, where it leads, and the host or address of that."""

    label: str
    href: str
    host: str

    @property
    def misleads(self) -> bool:
        """Whether its words name a host other than the one it leads to."""
        said = _SAYS_HOST.match(self.label)
        if said is None or not self.host or "@" in self.host:
            return False
        named, host = unicode_domain(said[1]), unicode_domain(self.host)
        return domain_deceives(host) or not (named == host or host.endswith(f".{named}"))


def hidden_passages(safe_html: str, most: int = 5, longest: int = 300) -> tuple[str, ...]:
    """Return the first passages that the sender hid from the eye, each cut at `longest`."""
    found: list[str] = []
    for match in _HIDDEN.finditer(_GOES_ON.sub(" ", safe_html)):
        words = " ".join(unescape(match[1]).split())
        if words and words not in found:
            found.append(words if len(words) <= longest else words[:longest] + "…")
        if len(found) == most:
            break
    return tuple(found)


def count_images(safe_html: str) -> int:
    """Return how many images stand in it as placeholders."""
    return safe_html.count(_IMAGE)


def links_of(safe_html: str, most: int = 200) -> tuple[Link, ...]:
    """Return its first links, in order, each once."""
    found: dict[Link, None] = {}
    for match in _LINK.finditer(safe_html):
        href = _HREF.search(match[1])
        if href is not None:
            target = unescape(href[1])
            label = " ".join(unescape(_TAG.sub("", match[2])).split())
            found[Link(label, target, host_of(target))] = None
        if len(found) == most:
            break
    return tuple(found)


def show_hosts(safe_html: str) -> str:
    """Return the HTML with each link's host behind its words, where they do not say it."""
    return "".join(_with_hosts(safe_html))


def _with_hosts(safe_html: str) -> Iterator[str]:
    at = 0
    for match in _LINK.finditer(safe_html):
        yield safe_html[at : match.end()]
        at = match.end()
        href = _HREF.search(match[1])
        host = host_of(unescape(href[1])) if href else ""
        if host and not _says(unescape(_TAG.sub("", match[2])).lower(), host):
            yield f' <span class="leads-to" dir="ltr">→ {escape(host)}</span>'
    yield safe_html[at:]


def _says(label: str, host: str) -> bool:
    """Whether the words of a link name the host that it leads to, or its address, and no other."""
    words = [word.strip(_AROUND_WORD).lower() for word in label.split()]
    named = {said[1] for word in words if (said := _SAYS_HOST.match(word))}
    if "@" in host:
        return host.lower() in words
    return named == {host.removeprefix("www.")}


def host_of(href: str) -> str:
    """Return the host that a link leads to, or the address it writes to; never what only looks so.

    What stands before an `@` in an authority is no host: `https://bank.example@evil.example`.
    """
    if href.lower().startswith("mailto:"):
        return href[7:].partition("?")[0][:_LONGEST_HOST]
    try:
        place = _BEFORE_HOST.sub(r"\1://", href).replace("\\", "/")
        host = unquote(urlsplit(place).hostname or "")
    except ValueError:
        return ""
    return host if len(host) <= _LONGEST_HOST else f"…{host[-_LONGEST_HOST:]}"
