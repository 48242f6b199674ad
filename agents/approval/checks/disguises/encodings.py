"""Bytes written in letters and digits: base64, base32, base85, hex, bits, numbers of characters."""

import base64 as standard
import binascii
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain

from agents.approval.checks.disguises.reading import CODED, Undone, shifts, without_invisible

_BASE64 = re.compile(
    r"[A-Za-z0-9+/_-]{8,20000}(?:\s[A-Za-z0-9+/_-]{16,20000}){0,200}(?:\s[A-Za-z0-9+/_-]{1,60}={0,2})?"
)
_URL_SAFE = str.maketrans("-_", "+/")
_BASE32 = re.compile(r"[A-Z2-7]{8,20000}|[a-z2-7]{16,20000}")
# So many characters at the end of a group of four or eight are a part of no byte (RFC 4648, 4, 6).
_SAY_NOTHING = {4: {1}, 8: {1, 3, 6}}
_BASE85 = re.compile(r"[!-~]{7,20000}")
# What stands in addresses and sentences, and in no base85 of any shift: decoding it would fail.
_NO_BASE85 = re.compile(r"[\"',./:\[\\\]]")
_QUERY = re.compile(r"https?://[^=\s]{1,500}=")
# What so short a part may say, or it is chance.
_SHORT, _TELLING = 20, re.compile(r"[\w\s.,:;@/+-]*(?:\d[\w\s.,:;@/+-]*){3}")
_SHORT_TURNED = 40
# So many parts of a text are tried in each alphabet.
_MOST_TURNED = 40
_DIGIT, _LEAST_TURNED = re.compile(r"\d"), 10
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){4,10000}[0-9a-fA-F]?")
_PAIR, _LEAST_PAIRS = re.compile(r"(?<!\w)[0-9a-fA-F]{2}(?!\w)"), 8
_BITS = re.compile(r"(?:[01]{8}\s{0,3}){5,10000}")
_NUMBERS = re.compile(r"(?:\d{2,3}[\s,]){5,10000}\d{2,3}")
# A few words between two of them are none of what they say.
_BETWEEN_NUMBERS = re.compile(r"(?<=\d) (?:[^\W\d]{1,12} ){1,3}(?=\d{2,3}\b)")
# Printable characters with nothing between their numbers: three digits begin with a one.
_RUN = re.compile(r"\d{24,20000}")
_NUMBER = re.compile(r"1\d\d|[3-9]\d")


def base64(text: str) -> Iterator[Undone]:
    """Yield what base64 says: of addresses too, in lines, cut anywhere, in any shift."""
    for place, hit in enumerate(_BASE64.finditer(text)):
        first, *more = hit[0].translate(_URL_SAFE).split()
        packed = "".join([first, *more]).rstrip("=")
        for start in range(4):
            # What was cut in two need not begin where four characters do.
            yield from _decoded(standard.b64decode, _padded(packed[start:]), hit[0])
        # The next word need not belong to it.
        yield from _decoded(standard.b64decode, _padded(first.rstrip("=")), first) if more else ()
        if place < _MOST_TURNED and _may_be_turned(hit[0]):
            for turned in chain(shifts(packed), shifts(first) if more else ()):
                yield from _decoded(standard.b64decode, _padded(turned), hit[0], _SHORT_TURNED)


def _may_be_turned(part: str) -> bool:
    """Return True for what is long, or has digits as numbers in base64 have."""
    is_short = len(part) < _LEAST_TURNED or not _DIGIT.search(part)
    return CODED.match(part) is not None or not is_short


def _padded(part: str, group: int = 4) -> str:
    """Return a part in whole groups, as a decoder takes it, without what is a part of no byte."""
    part = part[: len(part) - (len(part) % group in _SAY_NOTHING[group])]
    return part + "=" * (-len(part) % group)


def base32(text: str) -> Iterator[Undone]:
    """Yield what base32 says, in any shift where it is long."""
    for place, hit in enumerate(_BASE32.finditer(text)):
        part = hit[0].upper()
        # What was cut in two has digits as well, where words of small letters have none.
        for start in range(8 if _DIGIT.search(hit[0]) else 1):
            yield from _decoded(standard.b32decode, _padded(part[start:], 8), hit[0])
        if place < _MOST_TURNED and _may_be_turned(hit[0]):
            for turned in shifts(_padded(part, 8)):
                yield from _decoded(standard.b32decode, turned, hit[0], _SHORT_TURNED)


def base85(text: str) -> Iterator[Undone]:
    """Yield what base85 says: cut anywhere, and in any shift where it is long."""
    for place, hit in enumerate(_BASE85.finditer(_QUERY.sub(" ", text))):
        if _NO_BASE85.search(hit[0]):
            continue
        yield from _decoded(standard.b85decode, hit[0], hit[0])
        if place < _MOST_TURNED and CODED.match(hit[0]):
            for start in range(1, 5):
                yield from _decoded(standard.b85decode, hit[0][start:], hit[0])
            for turned in shifts(hit[0]):
                yield from _decoded(standard.b85decode, turned, hit[0])


def hexadecimal(text: str) -> Iterator[Undone]:
    """Yield what hex says: together, in pairs, with words between, and cut within one."""
    for hit in _HEX.finditer(text):
        part = re.sub(r"[ :]", "", hit[0])
        yield from _decoded(bytes.fromhex, part[: len(part) // 2 * 2], hit[0])
        if len(part) % 2:
            yield from _decoded(bytes.fromhex, part[1:], hit[0])
    pairs = _PAIR.findall(text)
    if len(pairs) >= _LEAST_PAIRS:
        yield from _decoded(bytes.fromhex, "".join(pairs), pairs[0])
        yield from _decoded(bytes.fromhex, "".join(one[::-1] for one in pairs), pairs[0])


def bits(text: str) -> Iterator[Undone]:
    """Yield what bits say, eight by eight."""
    for hit in _BITS.finditer(text):
        part = "".join(hit[0].split())
        yield from _decoded(_bytes_of_bits, part, hit[0])


def _bytes_of_bits(bits: str) -> bytes:
    return bytes(int(bits[place : place + 8], 2) for place in range(0, len(bits), 8))


def numbers(text: str) -> Iterator[Undone]:
    """Yield what decimal numbers of characters say, with something between them or nothing."""
    for hit in _NUMBERS.finditer(_BETWEEN_NUMBERS.sub(" ", text)):
        yield from _decoded(_bytes_of_numbers, hit[0], hit[0])
    for hit in _RUN.finditer(text):
        yield from _decoded(_bytes_of_numbers, " ".join(_NUMBER.findall(hit[0])), hit[0])


def _bytes_of_numbers(numbers: str) -> bytes:
    return bytes(int(one) for one in numbers.replace(",", " ").split())


def _decoded(
    decode: Callable[[str], bytes], part: str, excerpt: str, short: int = _SHORT
) -> Iterator[Undone]:
    """Yield what a part says, where it says something in letters: numbers, if it is so `short`."""
    try:
        text = decode(part).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return
    text = without_invisible(text)
    is_chance = len(part) < short and not _TELLING.fullmatch(text)
    if text and not is_chance and _is_shown(text):
        yield Undone(text, excerpt)


def _is_shown(text: str) -> bool:
    """Return True if nine of ten characters are letters that somebody sees, or white space."""
    least, unknown = 0.9 * len(text), text.count("\ufffd")
    if len(text) - unknown < least:
        return False
    times = Counter(text).items()
    return sum(much for it, much in times if it.isprintable() or it.isspace()) - unknown >= least
