"""The one pass over canonical HTML that writes the safe HTML and the texts."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape, unescape
from typing import NamedTuple, TypedDict

from inbox.html.colours import TRANSPARENT, colour, nearly_same
from inbox.html.style import Style, read_style
from inbox.html.stylesheet import StyleSheet
from inbox.html.tags import SHOWN_TAGS
from inbox.html.text import TextWriter
from inbox.rfc5322.text.unicode_text import clean

# Exact on nh3's output: every attribute has a double-quoted value, every `<` in text is escaped.
_TOKEN = re.compile(r'<(/?)([a-z0-9][a-z0-9:._-]*+)((?: [^\s=">]+="[^"]*+")*+)>|([^<]++)')
_ATTRIBUTE = re.compile(r' ([^\s=">]+)="([^"]*+)"')
_VOID = frozenset({"br", "hr", "img", "wbr", "col"})
_KEPT_ATTRIBUTES = frozenset({"colspan", "rowspan", "dir", "lang", "start"})
# What this pass writes itself, and so keeps when it reads its own output.
_KEPT_CLASSES = frozenset({"image-blocked", "hidden-text"})
_PRESENTATIONAL = {"color": "color", "text": "color", "bgcolor": "background-color"}
_VALUE = re.compile(r"[A-Za-z0-9-]{1,35}")
_REMOTE = re.compile(r"\s*(?:https?:|//|[\\/])", re.IGNORECASE)
# What mail programs put around history and around signatures.
_QUOTE = re.compile(
    r"\b(?:gmail_quote|gmail_attr|yahoo_quoted|moz-cite-prefix|moz-forward-container|OutlookMessageHeader|"
    r"divRplyFwdMsg|appendonsend|protonmail_quote|zmail_extra|tutanota_quote|WordSection_quote|"
    r"moz-email-headers-table|x_divRplyFwdMsg|reply-intro|ms-outlook-mobile-reference-message|"
    r"hmquote|quoted-text|stopSpelling)\b"
)
_ALL_AFTER = re.compile(r"\b(?:divRplyFwdMsg|x_divRplyFwdMsg|OutlookMessageHeader|appendonsend)\b")
_SIGNATURE = re.compile(
    r"\b(?:gmail_signature|moz-signature|AppleMailSignature|ms-outlook-mobile-signature|"
    r"protonmail_signature_block|Signature|signature)\b"
)


class Read(TypedDict):
    """The fields of SafeHtml."""

    html: str
    text: str
    hidden_text: bool
    remote_images: int
    links: tuple[tuple[str, str], ...]
    new_text: str


class _Look(NamedTuple):
    """How text looks where we stand."""

    gone: bool = False
    tiny: bool = False
    invisible: bool = False
    colour: str = "000000"
    background: str = "ffffff"

    def hides(self) -> bool:
        """Return True if text here would not be seen."""
        unseen = self.colour == TRANSPARENT or nearly_same(self.colour, self.background)
        return self.gone or self.tiny or self.invisible or unseen

    def with_style(self, style: Style) -> "_Look":
        """Return how text looks inside an element of this style."""
        return _Look(
            self.gone or style.gone,
            self.tiny if style.tiny is None else style.tiny,
            self.invisible if style.invisible is None else style.invisible,
            style.colour or self.colour,
            style.background or self.background,
        )


@dataclass(slots=True)
class _Open:
    """An element that is open."""

    tag: str
    look: _Look
    quoted: bool
    # What its look hides, which is asked of every text in it.
    hides: bool
    href: str = ""
    link_start: int = 0


class HtmlReader:
    """Reads nh3's output once; the texts have what was hidden only where they are to."""

    def __init__(
        self,
        canonical: str,
        sheet: StyleSheet,
        above: Iterable[tuple[str, dict[str, str]]] = (),
        *,
        with_hidden: bool = False,
    ) -> None:
        self.canonical = canonical
        self.with_hidden = with_hidden
        self.sheet = sheet
        self.safe: list[str] = []
        self.writer = TextWriter()
        self.links: list[tuple[str, str]] = []
        self.hidden = False
        self.remote_images = 0
        self.quoted_from_here = False
        look = _Look()
        for tag, attributes in above:
            look = self._look_in(look, tag, attributes)
        self.stack = [_Open("", look, quoted=False, hides=look.hides())]

    def read(self) -> Read:
        """Return the fields of SafeHtml."""
        for token in _TOKEN.finditer(self.canonical):
            closing, tag, attributes, text = token.groups()
            if text is not None:
                self._text(text)
            elif closing:
                self._close(tag)
            else:
                self._open(tag, attributes)
        for element in reversed(self.stack[1:]):
            self._end_link(element)
        return Read(
            html="".join(self.safe),
            text=self.writer.text(),
            hidden_text=self.hidden,
            remote_images=self.remote_images,
            links=tuple(self.links),
            new_text=self.writer.new_text(),
        )

    def _text(self, escaped: str) -> None:
        text = unescape(escaped) if "&" in escaped else escaped
        if not text.isascii():
            cleaned = clean(text)[0]
            if cleaned != text:
                text, escaped = cleaned, escape(cleaned, quote=False)
        here = self.stack[-1]
        if here.hides and text.strip():
            self.hidden = True
            escaped = f'<mark class="hidden-text">{escaped}</mark>'
        self.safe.append(escaped)
        self._write(text, here)

    def _write(self, text: str, here: _Open) -> None:
        """Add to the texts what is seen there."""
        if self.with_hidden or not here.hides:
            self.writer.write(text, here.quoted or self.quoted_from_here)

    def _open(self, tag: str, raw_attributes: str) -> None:
        attributes = dict(_ATTRIBUTE.findall(raw_attributes)) if raw_attributes else {}
        if tag == "img":
            self._image(attributes)
            return
        parent = self.stack[-1]
        element = _Open(tag, parent.look, parent.quoted, parent.hides)
        kept = ""
        if attributes or self.sheet.says_anything:
            element.look = self._look_in(parent.look, tag, attributes)
            element.hides = element.look.hides()
        if attributes:
            kept = self._read_attributes(element, attributes)
        if tag == "blockquote" and (attributes.get("type") == "cite"):
            element.quoted = True
        if tag in SHOWN_TAGS:
            self.safe.append(f"<{tag}{kept}>")
        self.writer.open(tag, element.quoted or self.quoted_from_here)
        if tag not in _VOID:
            element.link_start = self.writer.mark()
            self.stack.append(element)

    def _look_in(self, look: _Look, tag: str, attributes: dict[str, str]) -> _Look:
        """Return how text looks inside an element, by the sheet and its own attributes.

        Of what the sheet may say, that counts which hides it.
        """
        own = unescape(attributes["style"]) if "style" in attributes else ""
        presented = _presented(attributes) if attributes else ""
        looks = [
            look.with_style(read_style(f"{presented}{declared.weaker};{own};{declared.stronger}"))
            if presented or own or any(declared) else look
            for declared in self.sheet.declarations_of(tag, attributes)
        ]  # fmt: skip
        return next((one for one in looks if one.hides()), looks[0])

    def _read_attributes(self, element: _Open, attributes: dict[str, str]) -> str:
        """Take in what the attributes say, and return those that stay."""
        if "background" in attributes or "url(" in attributes.get("style", "").lower():
            self.remote_images += 1
        names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
        if names != " ":
            self._read_names(element, names)
        kept = [
            f' {name}="{value}"'
            for name, value in attributes.items()
            if (name in _KEPT_ATTRIBUTES and _VALUE.fullmatch(value))
            or (name == "class" and value in _KEPT_CLASSES)
        ]
        return "".join(kept) + self._read_href(element, attributes.get("href", ""))

    def _read_names(self, element: _Open, names: str) -> None:
        if _QUOTE.search(names) or _SIGNATURE.search(names):
            element.quoted = True
            # Outlook puts the history after its mark, not inside.
            self.quoted_from_here = self.quoted_from_here or bool(_ALL_AFTER.search(names))

    def _read_href(self, element: _Open, raw_href: str) -> str:
        href = "".join(clean(unescape(raw_href))[0].split()) if raw_href else ""
        if not href.lower().startswith(("http://", "https://", "mailto:")):
            return ""
        element.href = href
        return f' href="{escape(href)}" rel="noopener noreferrer" target="_blank"'

    def _image(self, attributes: dict[str, str]) -> None:
        source = unescape(attributes.get("src", ""))
        if _REMOTE.match(source) or "srcset" in attributes:
            self.remote_images += 1
        alt = " ".join(clean(unescape(attributes.get("alt", "")))[0].split())
        label = f"[image: {alt}]" if alt else "[image]"
        self.safe.append(f'<span class="image-blocked">{escape(label)}</span>')
        if alt:
            self._write(label, self.stack[-1])

    def _close(self, tag: str) -> None:
        if tag in _VOID:
            return
        if len(self.stack) > 1 and self.stack[-1].tag == tag:
            self._end_link(self.stack.pop())
            if tag in SHOWN_TAGS:
                self.safe.append(f"</{tag}>")
            self.writer.close(tag)

    def _end_link(self, element: _Open) -> None:
        if not element.href:
            return
        label = self.writer.since(element.link_start)
        self.links.append((label, element.href))
        target = element.href.removeprefix("mailto:")
        if target.rstrip("/") not in label and label not in target:
            self._write(f" <{element.href}>" if label else f"<{element.href}>", element)


def _presented(attributes: dict[str, str]) -> str:
    """Return what attributes say of the look, as declarations; what is declared goes before it."""
    colours = (
        f"{name}:#{found};"
        for attribute, name in _PRESENTATIONAL.items()
        if attribute in attributes and len(found := colour(attributes[attribute])) == 6
    )
    return "".join(colours) + ("display:none;" if "hidden" in attributes else "")
