"""Header text: encoded words (RFC 2047) and raw 8-bit, as mail really writes them."""

import binascii
import re

from inbox.rfc5322.charsets import decode
from inbox.rfc5322.transfer import decode_base64

# The text may hold spaces and question marks, though it must not; it never holds the next start.
_WORD = re.compile(
    r"=\?([^?\s=]{1,60})\?([bBqQ])\?((?:(?!=\?[^?\s=]{1,60}\?[bBqQ]\?).)*?)\?=", re.DOTALL
)
_CUT = re.compile(r"=\?([^?\s=]{1,60})\?([bBqQ])\?([^?\s]*)\??\Z")


_SPECIALS = re.compile(r'[",:;<>()@]')


def protect_words(text: str) -> str:
    """Return `text` with the encoded words that hold marks of address syntax written in base64."""
    if "=?" not in text:
        return text
    return _WORD.sub(_protected, text)


def _protected(word: re.Match[str]) -> str:
    if not _SPECIALS.search(word[3]):
        return word[0]
    data = binascii.b2a_base64(_word_bytes(word[2], word[3]), newline=False)
    return f"=?{word[1]}?B?{data.decode('ascii')}?="


def decode_words(text: str) -> tuple[str, bool]:
    """Return `text` with its encoded words read, and whether a charset was wrong.

    Neighbours in one charset are joined before they are decoded, so that a character that was
    cut in half by its writer is whole again (RFC 2047 5 forbids it, mailers do it).
    """
    if "=?" not in text:
        return text, False
    pieces: list[str] = []
    position, bad = 0, False
    pending, charset = b"", ""
    end_of_words = text.rfind("?=") + 2
    for word in _WORD.finditer(text, 0, end_of_words):
        between = text[position : word.start()]
        label = word[1].lower()
        if pending and (between.strip() or label != charset):
            decoded, wrong = decode(pending, charset)
            pieces.append(decoded)
            pending, bad = b"", bad or wrong
        if between.strip() or position == 0:
            pieces.append(between)
        pending += _word_bytes(word[2], word[3])
        charset, position = label, word.end()
    if pending:
        decoded, wrong = decode(pending, charset)
        pieces.append(decoded)
        bad = bad or wrong
    tail, wrong = _decode_cut(text[position:])
    pieces.append(tail)
    return "".join(pieces), bad or wrong


def _decode_cut(tail: str) -> tuple[str, bool]:
    """Read a word whose end was cut off with the header's."""
    cut = _CUT.search(tail) if "=?" in tail[-200:] else None
    if cut is None:
        return tail, False
    decoded, _ = decode(_word_bytes(cut[2], cut[3]), cut[1])
    return tail[: cut.start()] + decoded, True


def _word_bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if encoding in "bB":
        return decode_base64(data)[0]
    return binascii.a2b_qp(data, header=True)
