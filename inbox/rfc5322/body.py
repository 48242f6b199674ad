"""The parts of a message put together: its text, its HTML, its attachments."""

import re
from html import escape
from typing import NamedTuple

from inbox.html import SafeHtml, sanitise
from inbox.rfc5322.charsets import decode
from inbox.rfc5322.filenames import safe_filename
from inbox.rfc5322.headers import decode_line, read_headers
from inbox.rfc5322.mime import Part
from inbox.rfc5322.parameters import Parameters, parse_parameters
from inbox.rfc5322.parsed import ParsedAttachment, UninspectablePart
from inbox.rfc5322.text.alternatives import alternatives_differ
from inbox.rfc5322.text.flowed import unescape_from, unflow
from inbox.rfc5322.text.quotes import new_text
from inbox.rfc5322.text.unicode_text import clean
from inbox.rfc5322.transfer import decode_transfer, extract_uuencoded

_BODY_TYPES = frozenset({"text/plain", "text/html"})
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]{2,40})", re.IGNORECASE)
_ENCRYPTED = frozenset(
    {"application/pgp-encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"}
)
_PGP_MESSAGE = b"-----BEGIN PGP MESSAGE-----"
_ELSEWHERE = {"message/partial": "partial", "message/external-body": "external"}

# Characters of text, and bytes of HTML, that are read; the whole is in the stored message.
MAX_TEXT = 5_000_000


class Body(NamedTuple):
    """What all the parts amount to."""

    text: str
    new_text: str
    html: str
    attachments: tuple[ParsedAttachment, ...]
    uninspectable: tuple[UninspectablePart, ...]


class _Segment:
    """A stretch of the message's text in one or two forms."""

    __slots__ = ("alternative", "html", "plain")

    def __init__(self, alternative: int) -> None:
        self.alternative = alternative
        self.plain: list[str] = []
        self.html: list[str] = []


class BodyReader:
    """Reads the leaves of one message; `as_it_stands` leaves the conventions of text alone."""

    def __init__(self, raw: bytes, *, as_it_stands: bool = False) -> None:
        self.raw = raw
        self.as_it_stands = as_it_stands
        self.problems: set[str] = set()
        self.segments: list[_Segment] = []
        self.attachments: list[ParsedAttachment] = []
        self.uninspectable: dict[UninspectablePart, None] = {}
        self.spare_text: bytes | None = None

    def read(self, parts: list[Part]) -> Body:
        """Return the text, the safe HTML and the attachments of `parts`."""
        for part in parts:
            self._read_part(part, only=len(parts) == 1)
        return self._join()

    def _read_part(self, part: Part, only: bool) -> None:
        disposition, parameters = parse_parameters(part.headers.raw("content-disposition"))
        encoding = part.headers.raw("content-transfer-encoding").partition(";")[0].strip(" \t\"'")
        content, broken = decode_transfer(self.raw[part.start : part.end], encoding.lower())
        named = parameters.get("filename") or part.parameters.get("name") or ""
        if broken:
            self.problems.add("broken_encoding")
            self._note("encoding", part, named)
        if _PGP_MESSAGE in content[:1000]:
            self._note("encrypted", part, named)
        if self._is_body(part, disposition, named, only):
            self._add_text(part, content)
        else:
            self._add_attachment(part, content, disposition, named)

    def _note(self, reason: str, part: Part, named: str = "") -> None:
        """Keep that a part cannot be seen as it may be read."""
        name = safe_filename(decode_line(named)[0]) or part.content_type
        self.uninspectable[UninspectablePart(reason, name)] = None

    def _is_body(self, part: Part, disposition: str, named: str, only: bool) -> bool:
        """Return True if a part is the message's text.

        That is text/plain or text/html that is no attachment by its disposition; where it has a
        file name it must be the first text, or stand in an alternative.
        """
        if part.content_type not in _BODY_TYPES or disposition == "attachment":
            return False
        first = only or not self.segments
        return not named or part.alternative > 0 or (first and disposition != "inline") or only

    def _add_text(self, part: Part, content: bytes) -> None:
        segment = self.segments[-1] if self.segments else None
        if segment is None or not part.alternative or segment.alternative != part.alternative:
            segment = _Segment(part.alternative)
            self.segments.append(segment)
        charset = part.parameters.get("charset", "")
        if len(content) > MAX_TEXT:
            content = _cut(content)
            self.problems.add("long_text")
            self._note("cut", part)
        if part.content_type == "text/html":
            self._note("html", part)
            segment.html.append(self._decode_html(content, charset, part))
        else:
            segment.plain.append(self._decode_plain(content, charset, part))

    def _decode(self, content: bytes, charset: str, part: Part | None) -> str:
        text, wrong = decode(content, charset)
        if wrong:
            self.problems.add("bad_charset")
        if wrong and part is not None:
            self._note("charset", part)
        return text

    def _decode_html(self, content: bytes, charset: str, part: Part) -> str:
        if not charset and not content.isascii():
            meta = _META_CHARSET.search(content, 0, 4096)
            charset = meta[1].decode("ascii") if meta else ""
        text = self._decode(content, charset, part)
        if "\ud800" <= max(text, default="") <= "\udfff":
            text = text.encode("utf-8", "replace").decode()
        return text

    def _decode_plain(self, content: bytes, charset: str, part: Part | None) -> str:
        text, removed = clean(self._decode(content, charset, part))
        if removed:
            self.problems.add("invisible_characters")
        if self.as_it_stands:
            return text
        if "\nbegin" in text or text.startswith("begin"):
            files, text = extract_uuencoded(text)
            for name, data in files:
                self._append(safe_filename(name), "application/octet-stream", "", False, data)
        parameters: Parameters = part.parameters if part else {}
        if parameters.get("format", "").strip().lower() == "flowed":
            text = unflow(text, parameters.get("delsp", "").strip().lower() == "yes")
        return unescape_from(text)

    def _add_attachment(self, part: Part, content: bytes, disposition: str, named: str) -> None:
        line, _, hidden = decode_line(named)
        filename = safe_filename(line)
        if filename != line or hidden or "\x00" in named:
            self.problems.add("unsafe_filename")
        if part.content_type == "message/rfc822" and not filename:
            headers, _ = read_headers(content, 0, len(content))
            filename = safe_filename(f"{headers.line('subject')[:100] or 'message'}.eml")
        if part.content_type in _ENCRYPTED or part.container == "encrypted":
            self.problems.add("encrypted")
            self._note("encrypted", part, named)
        if part.content_type in _ELSEWHERE:
            self._note(_ELSEWHERE[part.content_type], part, named)
        content_id = decode_line(part.headers.raw("content-id"))[0].strip("<> ")
        inline = disposition == "inline" or (
            bool(content_id) and part.container == "related" and disposition != "attachment"
        )
        if self.spare_text is None and part.content_type.startswith("text/") and not filename:
            self.spare_text = content
        self._append(filename, part.content_type, content_id[:1000], inline, content)

    def _append(
        self, filename: str, content_type: str, content_id: str, inline: bool, content: bytes
    ) -> None:
        self.attachments.append(
            ParsedAttachment(
                len(self.attachments), filename, content_type, content_id, inline, content
            )
        )

    def _join(self) -> Body:
        """Put the segments together; text in HTML alone is laid out from it."""
        texts, fresh, pages = [], [], []
        has_html = any(segment.html for segment in self.segments)
        for segment in self.segments:
            plain = "\n\n".join(segment.plain)
            new = plain
            if segment.html:
                # Nothing of what leaves may be hidden; agents read mail as a person would see it.
                safe = sanitise("\n".join(segment.html), with_hidden=self.as_it_stands)
                if safe.hidden_text:
                    self.problems.add("hidden_text")
                if plain.strip() and _differ(plain, safe):
                    self.problems.add("alternatives_differ")
                pages.append(safe.html)
                if not plain.strip():
                    plain, new = safe.text, safe.new_text
            elif has_html and plain.strip():
                pages.append(_as_html(plain))
            texts.append(plain)
            fresh.append(new)
        text = "\n\n".join(texts) if len(texts) > 1 else "".join(texts)
        if not text.strip() and self.spare_text is not None and not self.as_it_stands:
            text = self._decode_plain(self.spare_text, "", None)
            fresh = [text]
        new = new_text("\n\n".join(fresh)) or text.strip()
        return Body(text, new, "\n".join(pages), tuple(self.attachments), tuple(self.uninspectable))


def _differ(plain: str, safe: SafeHtml) -> bool:
    return alternatives_differ(plain, safe.text, (target for _, target in safe.links))


def _cut(content: bytes) -> bytes:
    """Cut content to MAX_TEXT bytes at most, not inside a character of UTF-8."""
    end = MAX_TEXT
    while end > MAX_TEXT - 4 and content[end] & 0xC0 == 0x80:
        end -= 1
    return content[:end]


def _as_html(plain: str) -> str:
    return f"<div>{escape(plain, quote=False).replace(chr(10), '<br>')}</div>"
