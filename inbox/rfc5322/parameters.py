"""Parameters of MIME header fields (RFC 2045 5.1), with RFC 2231 and what mailers do instead."""

import re
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from inbox.rfc5322.charsets import decode
from inbox.rfc5322.encoded_words import decode_words

# A forgotten semicolon is forgiven where a line was folded.
_PARAMETER = re.compile(
    r'(?:;|(?<=\s))\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*+)"?|([^;]*+))', re.DOTALL
)
_SECTION = re.compile(r"([^*]+)(?:\*(\d{1,4}))?(\*)?")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# A backslash before anything but a quote or a backslash is a Windows path, not an escape.
_TRUE_ESCAPE = re.compile(r'\\(["\\])')
_NOT_TOKEN = re.compile(r"[^a-z0-9!#$&^_.+/-]+")
MAX_PARAMETERS = 200

Parameters = dict[str, str]


def parse_parameters(value: str) -> tuple[str, Parameters]:
    """Return what stands before the first `;` in lower case, and the parameters decoded."""
    if len(value) <= 300:
        return _parse_cached(value)
    return _parse(value)


def _parse(value: str) -> tuple[str, Parameters]:
    main = _main_value(value)
    plain: Parameters = {}
    sections: dict[str, dict[int, tuple[str, bool]]] = {}
    for count, found in enumerate(_PARAMETER.finditer(value)):
        if count >= MAX_PARAMETERS:
            break
        name = _SECTION.fullmatch(found[1].lower())
        text = _TRUE_ESCAPE.sub(r"\1", found[2]) if found[2] is not None else found[3].strip()
        if name is None:
            continue
        if name[2] is None and name[3] is None:
            plain.setdefault(name[1], text)
        else:
            pieces = sections.setdefault(name[1], {})
            pieces.setdefault(int(name[2] or 0), (text, name[3] is not None))
    # Encoded words have no place in parameters (RFC 2047 5), and stand there all the same.
    decoded = {name: decode_words(text)[0] for name, text in plain.items()}
    decoded.update((name, _join_sections(pieces)) for name, pieces in sections.items())
    return main, decoded


_parse_cached = lru_cache(maxsize=2048)(_parse)


def _main_value(value: str) -> str:
    """Return the value before the parameters, without comments, blanks and what no token holds."""
    head = value.partition(";")[0].partition("(")[0]
    words = head.split()
    if words and "=" in words[-1] and len(words) > 1:
        words.pop()
    return _NOT_TOKEN.sub("", "".join(words).lower())


def _join_sections(pieces: dict[int, tuple[str, bool]]) -> str:
    """Join the numbered sections of an RFC 2231 parameter and decode it."""
    charset = ""
    data = b""
    for count, number in enumerate(sorted(pieces)):
        text, extended = pieces[number]
        if extended and count == 0 and text.count("'") >= 2:
            charset, _, text = text.split("'", 2)
        raw = text.encode("utf-8", "surrogateescape")
        data += unquote_to_bytes(raw) if extended else raw
    return decode(data, charset or "utf-8")[0]
