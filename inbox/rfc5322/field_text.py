"""Text of outgoing header fields: checked, encoded (RFC 2047, RFC 2231), folded (RFC 5322)."""

import binascii
import re
import unicodedata
from urllib.parse import quote

from inbox.reasons import phrase as _
from inbox.rfc5322.text.unicode_text import clean

_LINE = 76
_MAX_ENCODED_WORD = 75
_PHRASE = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+")
_PLAIN_Q = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!*+-/")
_TOKEN = re.compile(r"[A-Za-z0-9!#$&+.^_`{|}~-]+")


def require_header_text(field: str, text: str) -> None:
    """Raise ValueError naming `field` where `text` cannot stand in a header.

    Refused are all control characters, line and paragraph separators, halves of surrogate pairs,
    and characters that a reader would not see or that turn the text's direction.
    """
    if text.isascii() and text.isprintable():
        return
    for letter in text:
        if unicodedata.category(letter) in ("Cc", "Zl", "Zp", "Cs"):
            raise ValueError(
                _(
                    "%(field)s: it contains the control character U+%(letter)s; enter one line "
                    "of text",
                    field=field,
                    letter=f"{ord(letter):04X}",
                )
            )
    if clean(text)[0] != unicodedata.normalize("NFC", text):
        raise ValueError(
            _(
                "%(field)s: it contains invisible characters or characters that change the text "
                "direction",
                field=field,
            )
        )


def encode_unstructured(field: str, text: str, lead: int) -> list[str]:
    """Return `text` as tokens to fold between; `lead` bytes stand before the first."""
    require_header_text(field, text)
    text = text.strip()
    tokens = text.split(" ")
    plain = text.isascii() and "=?" not in text and all(0 < len(token) <= 60 for token in tokens)
    if plain or not text:
        return tokens if text else []
    return _encode_words(text, lead)


def encode_phrase(field: str, name: str) -> list[str]:
    """Return a display name as atoms, a quoted string or encoded words."""
    require_header_text(field, name)
    name = " ".join(name.split())
    if not name:
        return []
    if not name.isascii() or "=?" in name or len(name) > 60:
        return _encode_words(name, 10)
    if _PHRASE.fullmatch(name):
        return name.split(" ")
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return [f'"{escaped}"']


def _encode_words(text: str, lead: int) -> list[str]:
    """Return encoded words of whole characters, none longer than RFC 2047 2 allows."""
    text = unicodedata.normalize("NFC", text)
    data = text.encode("utf-8")
    dense = sum(1 for byte in data if byte not in _PLAIN_Q and byte != 0x20) * 3 > len(data)
    words: list[str] = []
    piece = ""
    for letter in text:
        room = _MAX_ENCODED_WORD - (lead if not words else 0)
        if piece and len(_encoded_word(piece + letter, dense)) > room:
            words.append(_encoded_word(piece, dense))
            piece = ""
        piece += letter
    return [*words, _encoded_word(piece, dense)]


def _encoded_word(text: str, dense: bool) -> str:
    data = text.encode("utf-8")
    if dense:
        return f"=?utf-8?b?{binascii.b2a_base64(data, newline=False).decode('ascii')}?="
    letters = "".join(
        "_" if byte == 0x20 else chr(byte) if byte in _PLAIN_Q else f"={byte:02X}" for byte in data
    )
    return f"=?utf-8?q?{letters}?="


def encode_parameter(name: str, value: str) -> list[str]:
    """Return a MIME parameter as tokens, in numbered sections where it is long (RFC 2231 3)."""
    # Some end a value at a semicolon though it stands in quotes: `offer.pdf;.exe` would be cut.
    if value.isascii() and len(value) <= 60 and ";" not in value:
        if _TOKEN.fullmatch(value):
            return [f"{name}={value}"]
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return [f'{name}="{escaped}"']
    encoded = [quote(letter, safe="") for letter in unicodedata.normalize("NFC", value)]
    if sum(map(len, encoded)) <= 60:
        return [f"{name}*=utf-8''{''.join(encoded)}"]
    sections: list[str] = [""]
    for letter in encoded:
        if len(sections[-1]) + len(letter) > 50:
            sections.append("")
        sections[-1] += letter
    lines = [
        f"{name}*{index}*={section}" if index else f"{name}*0*=utf-8''{section}"
        for index, section in enumerate(sections)
    ]
    return [*(f"{line};" for line in lines[:-1]), lines[-1]]


def fold(name: str, tokens: list[str]) -> bytes:
    """Return a header field with its tokens on lines of at most 78 bytes where that can be."""
    lines: list[str] = []
    line = f"{name}:"
    for token in tokens:
        if len((line + token).encode()) > _LINE and line.strip() and line != f"{name}:":
            lines.append(line)
            line = ""
        line += f" {token}"
    lines.append(line)
    return "\r\n".join(lines).encode("utf-8")
