"""HTML mail made harmless, and as text.

`nh3` parses as browsers do and keeps only the listed tags and attributes. Of its canonical output
one pass writes three things: the safe HTML, in which style attributes are gone (what was hidden
shows, as `<mark class="hidden-text">`) and every image is a visible placeholder; the text that the
page would have shown; and that without quoted history.
"""

import re
from dataclasses import dataclass
from html.entities import html5

import nh3

from inbox.html.reader import HtmlReader
from inbox.html.stylesheet import StyleSheet
from inbox.html.tags import ATTRIBUTE_PREFIXES, ATTRIBUTES, DROPPED_WITH_CONTENT, tags_in

# So many are as good as none.
_FEW = 1000
# No letter has so many; of more, what follows the `&` is shown as it is written.
_MOST = 100_000
_REFERENCE = re.compile(
    r"&(?:(?P<number>#(?:[0-9]|[xX][0-9a-fA-F]))"
    r"|(?P<name>[a-zA-Z][a-zA-Z0-9]{0,31})(?P<end>;|(?=[^a-zA-Z0-9=])|\Z)?)?"
)
_AMPERSAND = "&#38;"
# Those that need no semicolon stand for themselves within longer words too, but not everywhere.
_OPEN = {name for name in html5 if not name.endswith(";")}
_LENGTHS = sorted({len(name) for name in _OPEN})


def number_references(html: str) -> str:
    """Return the same document with references by number, where it has very many."""
    return _Numbering().number(html) if html.count("&") > _FEW else html


class _Numbering:
    """Writes each reference by its number; of those that say two things, only the first few."""

    def __init__(self) -> None:
        self.seen = self.doubtful = 0

    def number(self, html: str) -> str:
        """Return the document."""
        return _REFERENCE.sub(self._one, html)

    def _one(self, found: re.Match[str]) -> str:
        self.seen += 1
        if self.seen > _MOST:
            return found[0][1:]
        if found["number"]:
            return found[0]
        name, end = found["name"] or "", found["end"]
        letters = html5.get(f"{name};") if end == ";" else html5.get(name) if end == "" else None
        if letters is not None:
            return "".join(f"&#{ord(letter)};" for letter in letters)
        # `&copy=1` is a sign in a text and none in an address.
        if any(name[:length] in _OPEN for length in _LENGTHS):
            self.doubtful += 1
            if self.doubtful <= _FEW:
                return found[0]
        return _AMPERSAND + found[0][1:]


_SCHEMES = {"http", "https", "mailto"}
_ABOVE = re.compile(r"<(html|body)\b([^>]*+)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([a-zA-Z-]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+)))?")
_MOST_ABOVE = 10_000

# Beyond this size a document is first brought to a depth that parsers take in linear time.
_LARGE = 20_000
_MAX_DEPTH = 300
_MAX_TAG = 512
_MAX_SPACES = 64
_ANY_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)([^>]*+)>")
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'")
_ATTRIBUTE_GAP = re.compile(r"[\s/]+")
# They close by themselves, or hold nothing: they do not make a document deeper.
_FLAT = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "p",
        "li",
        "dd",
        "dt",
        "tr",
        "td",
        "th",
        "tbody",
        "thead",
        "tfoot",
        "option",
        "html",
        "head",
        "body",
    ]
)


@dataclass(frozen=True, slots=True)
class SafeHtml:
    """What is left of an HTML document."""

    html: str
    text: str
    # There was text that the page would not have shown: see HtmlReader for what counts.
    hidden_text: bool
    remote_images: int
    # (text, href) of the links that were kept, in order.
    links: tuple[tuple[str, str], ...]
    # The text without what mail programs mark as quoted or as signature.
    new_text: str


def sanitise(html: str, *, with_hidden: bool = False) -> SafeHtml:
    """Return `html` without anything that runs, fetches, submits or hides. Linear time.

    `with_hidden` has the texts say what the page would not have shown, too.
    """
    html = html.replace("\x00", "")
    if len(html) > _LARGE:
        html = _Flattener().flatten(html)
    canonical = nh3.clean(
        number_references(html),
        tags=tags_in(html),
        clean_content_tags=set(DROPPED_WITH_CONTENT),
        attributes=ATTRIBUTES,
        generic_attribute_prefixes=ATTRIBUTE_PREFIXES,
        url_schemes=_SCHEMES | {"cid"},
        link_rel=None,
    )
    reader = HtmlReader(canonical, StyleSheet(html), _above(html), with_hidden=with_hidden)
    return SafeHtml(**reader.read())


def _above(html: str) -> list[tuple[str, dict[str, str]]]:
    """Return the elements that all others stand in, with their attributes."""
    tags: dict[str, dict[str, str]] = {"html": {}, "body": {}}
    for name, inside in _ABOVE.findall(html[: html.rfind(">") + 1]):
        for attribute, double, single, bare in _ATTRIBUTE.findall(inside[:_MOST_ABOVE]):
            # Of several the first counts (HTML, 13.2.6.4.7).
            tags[name.lower()].setdefault(attribute.lower(), double or single or bare)
    return list(tags.items())


class _Flattener:
    """Drops the tags that would nest deeper than any letter does, and monstrous attributes."""

    def __init__(self) -> None:
        self.open: dict[str, int] = {}
        self.dropped: dict[str, int] = {}
        self.depth = 0

    def flatten(self, html: str) -> str:
        """Return `html` within the bounds."""
        end = html.rfind(">") + 1
        return _ANY_TAG.sub(self._tag, html[:end]) + html[end:]

    def _tag(self, tag: re.Match[str]) -> str:
        name = tag[2].lower()
        if name not in _FLAT and not (self._close(name) if tag[1] else self._open(name)):
            return ""
        if len(tag[3]) > _MAX_TAG:
            gaps = _ATTRIBUTE_GAP.findall(_QUOTED.sub("", tag[3]))
            if len(gaps) > _MAX_SPACES:
                return f"<{name}>"
        return tag[0]

    def _open(self, name: str) -> bool:
        if self.depth >= _MAX_DEPTH:
            self.dropped[name] = self.dropped.get(name, 0) + 1
            return False
        self.open[name] = self.open.get(name, 0) + 1
        self.depth += 1
        return True

    def _close(self, name: str) -> bool:
        """Count a closing tag; the innermost ones belong to those that were dropped."""
        if self.dropped.get(name):
            self.dropped[name] -= 1
            return False
        if self.open.get(name):
            self.open[name] -= 1
            self.depth -= 1
        return True
