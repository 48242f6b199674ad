"""Bytes to text whatever the label says: real mail mislabels its charsets."""

import codecs
import re
from functools import lru_cache

# As browsers do (WHATWG Encoding): the label means the larger set that is really used.
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_ALIASES = {
    "unicode-1-1-utf-7": "utf-7",
    "unicode-1-1-utf-8": "utf-8",
    "utf-8mb4": "utf-8",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "x-sjis": "cp932",
    "shift-jis": "cp932",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gb18030",
    "x-big5": "big5hkscs",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "iso-8859-8-e": "iso8859-8",
    "ansi_x3.4-1968": "ascii",
    "ansi_x3.110-1983": "cp1252",
    "x-mac-roman": "mac_roman",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "dos-874": "cp874",
    "koi8": "koi8-r",
    "win-1251": "cp1251",
}
# Python's registry also holds codecs that are no charsets (zlib, unicode_escape, punycode, …).
_CHARSET = re.compile(
    r"ascii|cp\d+|iso8859-\d+|iso2022_\w+|koi8[-_]\w|mac[-_]\w+|utf-(?:8|7|16|32)(?:-[lb]e)?|big5\w*"
    r"|gb\w+|euc_\w+|shift_jis\w*|johab|hz|ptcp154|kz1048|tis-620|utf-8-sig"
)
# Their text is made of ASCII bytes, so that plain ASCII tells nothing.
_SEVEN_BIT = re.compile(r"iso2022|utf-7|hz|utf-16|utf-32")
_ISO_2022_ESCAPE = re.compile(rb"\x1b(?:\$[@BC(]|\([BJI])")
_SINGLE_WESTERN = frozenset({"cp1252", "iso8859-15", "cp1254"})
_MULTIBYTE_GUESSES = ("euc_jp", "cp932", "gb18030", "cp949")


@lru_cache(maxsize=512)
def codec_for(label: str) -> str:
    """Return the Python codec that mail so labelled really uses; "" for an unknown label."""
    name = label.strip(" \t'\"<>").lower().partition("*")[0]
    name = _ALIASES.get(name, name)
    if not name.isascii() or not name or len(name) > 40:
        return ""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    found = _MEANT.get(found, found)
    return found if _CHARSET.fullmatch(found) else ""


def decode(data: bytes, label: str = "") -> tuple[str, bool]:
    """Return the text of `data`, and whether its charset was unknown, missing or wrong."""
    codec = codec_for(label) if label else ""
    if data.isascii():
        if codec and _SEVEN_BIT.match(codec):
            return _decode_as(data, codec)
        if b"\x1b" in data and _ISO_2022_ESCAPE.search(data):
            return _decode_as(data, "iso2022_jp_ext")[0], not codec
        return data.decode("ascii"), bool(label) and not codec
    if codec == "utf-8":
        return _decode_utf8(data)
    if not codec or codec in _SINGLE_WESTERN:
        # Whatever is valid UTF-8 beyond ASCII is UTF-8: by chance it almost never is.
        try:
            return data.decode("utf-8"), True
        except UnicodeDecodeError:
            pass
    if not codec:
        return _guess(data), True
    return _decode_as(data, codec)


def _decode_as(data: bytes, codec: str) -> tuple[str, bool]:
    try:
        return data.decode(codec), False
    except (UnicodeDecodeError, ValueError):
        pass
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError:
        return data.decode(codec, "replace"), True


def _decode_utf8(data: bytes) -> tuple[str, bool]:
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError:
        pass
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    good = sum(1 for byte in data[:100_000] if byte >= 0xC2) - broken
    # Mostly good UTF-8 with a few broken bytes (a cut character) stays UTF-8.
    return (text if good > broken or (broken == 1 and good >= 0) else _guess(data)), True


def _guess(data: bytes) -> str:
    """Return 8-bit text that has no (true) label, guessed from a sample."""
    sample = data[:4000]
    high = sum(1 for byte in sample if byte >= 0x80)
    if high >= 6 and high * 3 > sum(1 for byte in sample if byte > 0x20):
        for codec in _MULTIBYTE_GUESSES:
            text = sample.decode(codec, "ignore")
            if _looks_east_asian(text, high):
                return data.decode(codec, "replace")
        cyrillic = _cyrillic_codec(sample)
        if cyrillic:
            return data.decode(cyrillic, "replace")
    return data.decode("cp1252", "replace")


def _looks_east_asian(text: str, high: int) -> bool:
    common = sum(
        1
        for letter in text
        if "\u3040" <= letter <= "\u30ff"
        or "\u4e00" <= letter <= "\u9fff"
        or "\uac00" <= letter <= "\ud7a3"
        or "\u3000" <= letter <= "\u3003"
        or "\uff01" <= letter <= "\uff1f"
    )
    return common * 2 > high * 0.9


def _cyrillic_codec(sample: bytes) -> str:
    """Return the codec in which most letters are small Cyrillic ones; "" when in none."""
    best, most = "", 0
    high = sum(1 for byte in sample if byte >= 0xC0)
    for codec in ("koi8-r", "cp1251", "iso8859-5"):
        text = sample.decode(codec, "ignore")
        small = sum(1 for letter in text if "\u0430" <= letter <= "\u044f")
        if small > most:
            best, most = codec, small
    return best if most * 10 > high * 6 else ""
