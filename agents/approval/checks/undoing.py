"""What a text says once encodings are undone, one over the other; pure, and linear in its length.

base64, base32, base85, hex, bits and decimal numbers of characters, percent and quoted-printable,
entities and escapes, characters set apart, turned round, styled or of another script, numbers in
words and digits for letters. A shift of the alphabet needs none: `likeness` compares by steps.
"""

import base64
import binascii
import html
import quopri
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import regex

from inbox.extract.readers.calendar_words import number_words
from inbox.extract.readers.spoken_numbers import find_spoken
from inbox.languages import words_of
from inbox.rfc5322.addresses.lookalikes import fold_imitators

# So many readings of a text, so long, so many encodings on top of each other.
_MOST, _LONGEST, _DEEPEST = 32, 20_000, 4
_MOST_SPOKEN = 8
_INVISIBLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")
_APART = re.compile(r"(?<!\S)(?:\S {1,12}){11,10000}\S(?!\S)")
_JOINED = re.compile(r"(?:\S([._*-]))(?:[^\n]\1){11,10000}\S")
_BASE64 = re.compile(
    r"[A-Za-z0-9+/_-]{8,20000}(?:\s[A-Za-z0-9+/_-]{16,20000}){0,200}(?:\s[A-Za-z0-9+/_-]{1,60}={0,2})?"
)
_URL_SAFE = str.maketrans("-_", "+/")
_BASE32 = re.compile(r"[A-Z2-7]{8,20000}|[a-z2-7]{16,20000}")
_BASE85 = re.compile(r"[!-~]{7,20000}")
# What stands in addresses and sentences, and in no base85 of any shift: decoding it would fail.
_NO_BASE85 = re.compile(r"[\"',./:\[\\\]]")
# What so short a part may say, or it is chance.
_SHORT, _TELLING = 20, re.compile(r"[\w\s.,:;@/+-]*(?:\d[\w\s.,:;@/+-]*){3}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){6,10000}")
_PAIR, _LEAST_PAIRS = re.compile(r"(?<!\w)[0-9a-fA-F]{2}(?!\w)"), 8
_BITS = re.compile(r"(?:[01]{8}\s?){5,10000}")
_NUMBERS = re.compile(r"(?:\d{2,3}[ ,]){5,10000}\d{2,3}")
# A few words between two of them are none of what they say.
_BETWEEN_NUMBERS = re.compile(r"(?<=\d) (?:[^\W\d]{1,12} ){1,3}(?=\d{2,3}\b)")
_QUOTED = re.compile(r"=[0-9A-Fa-f]{2}|=\n")
_ENTITY = re.compile(r"&#x?[0-9A-Fa-f]{1,6};")
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})")
_LEET = re.compile(r"(?<=[A-Za-z])[013457]|[013457](?=[A-Za-z])")
_LETTERS_OF_LEET = str.maketrans("013457", "oieast")
_CODED, _CODED_WORD = re.compile(r"\S{24}"), re.compile(r"\S{24,20000}")
_QUERY = re.compile(r"https?://[^=\s]{1,500}=")
# A word that may be an article counts as a number between two others.
_SHORT_DIGIT = r"(?<!\w)(?:WORDS)(?=\s{1,3}\d)|(?<=\d[ ])[ ]?(?:WORDS)(?=\s{0,3}(?:[.,;:]|$))"
_AMIDST = re.compile(r"[ ]{1,2}(\d)[ ]{1,2}")


class Undone(NamedTuple):
    """A reading of a text, and the words of the text that it was made of."""

    text: str
    excerpt: str


_Decoder = Callable[[str], Iterator[Undone]]


@lru_cache(maxsize=8)
def undo(text: str) -> tuple[Undone, ...]:
    """Return the readings of a text beside the one that it has, the nearest first.

    The last texts' are kept, for the checks of one message that ask for them.
    """
    found: dict[str, Undone] = {}
    seen = {text}
    level = [Undone(text[:_LONGEST], "")]
    for _ in range(_DEEPEST):
        level = list(islice(_next(level, seen), _MOST - len(found)))
        found |= {one.text: one for one in level}
        if not level or len(found) >= _MOST:
            break
    return tuple(found.values())


def _next(level: list[Undone], seen: set[str]) -> Iterator[Undone]:
    for before in level:
        for decode in _DECODERS:
            for one in decode(before.text):
                if one.text and one.text not in seen:
                    seen.add(one.text)
                    yield Undone(one.text[:_LONGEST], before.excerpt or one.excerpt)


def _plain(text: str) -> Iterator[Undone]:
    """Yield it in usual letters, without what nobody sees."""
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
        yield Undone(fold_imitators(folded), "")


def _together(text: str) -> Iterator[Undone]:
    """Yield characters that were set apart, together again."""
    apart = _APART.sub(lambda hit: re.sub(r" (?! )|(?<=\S) (?= )", "", hit[0]), text)
    joined = _JOINED.sub(lambda hit: hit[0][::2], text)
    for one in (apart, joined):
        if one != text:
            yield Undone(re.sub(r" {2,}", " ", one), "")


def _backwards(text: str) -> Iterator[Undone]:
    if _CODED.search(text):
        yield Undone(text[::-1], "")


def _base64(text: str) -> Iterator[Undone]:
    for hit in _BASE64.finditer(text):
        first, *more = hit[0].translate(_URL_SAFE).split()
        packed = "".join([first, *more]).rstrip("=")
        for start in range(4):
            # What was cut in two need not begin where four characters do.
            yield from _decoded(base64.b64decode, _padded(packed[start:]), hit[0])
        # The next word need not belong to it.
        yield from _decoded(base64.b64decode, _padded(first.rstrip("=")), first) if more else ()
        if _CODED.match(hit[0]):
            for turned in _shifts(packed):
                yield from _decoded(base64.b64decode, _padded(turned), hit[0])


def _padded(part: str) -> str:
    part = part[: len(part) - (len(part) % 4 == 1)]
    return part + "=" * (-len(part) % 4)


def _shifts(text: str) -> Iterator[str]:
    """Yield a text in each other shift of the alphabet, and in the alphabet turned round."""
    low, high = string.ascii_lowercase, string.ascii_uppercase
    yield text.translate(str.maketrans(low + high, low[::-1] + high[::-1]))
    for by in range(1, 26):
        turned = low[by:] + low[:by] + high[by:] + high[:by]
        yield text.translate(str.maketrans(low + high, turned))


def _base32(text: str) -> Iterator[Undone]:
    for hit in _BASE32.finditer(text):
        part = hit[0].upper()
        part = part[: len(part) - (len(part) % 8 in {1, 3, 6})]
        yield from _decoded(base64.b32decode, part + "=" * (-len(part) % 8), hit[0])


def _base85(text: str) -> Iterator[Undone]:
    for hit in _BASE85.finditer(_QUERY.sub(" ", text)):
        if _NO_BASE85.search(hit[0]):
            continue
        yield from _decoded(base64.b85decode, hit[0], hit[0])
        if _CODED.match(hit[0]):
            for turned in _shifts(hit[0]):
                yield from _decoded(base64.b85decode, turned, hit[0])


def _hex(text: str) -> Iterator[Undone]:
    for hit in _HEX.finditer(text):
        part = re.sub(r"[ :]", "", hit[0])
        yield from _decoded(bytes.fromhex, part, hit[0])
    # Pairs with words between them.
    pairs = _PAIR.findall(text)
    if len(pairs) >= _LEAST_PAIRS:
        yield from _decoded(bytes.fromhex, "".join(pairs), pairs[0])


def _bits(text: str) -> Iterator[Undone]:
    for hit in _BITS.finditer(text):
        part = "".join(hit[0].split())
        yield from _decoded(_bytes_of_bits, part, hit[0])


def _bytes_of_bits(bits: str) -> bytes:
    return bytes(int(bits[place : place + 8], 2) for place in range(0, len(bits), 8))


def _numbers(text: str) -> Iterator[Undone]:
    for hit in _NUMBERS.finditer(_BETWEEN_NUMBERS.sub(" ", text)):
        yield from _decoded(_bytes_of_numbers, hit[0], hit[0])


def _bytes_of_numbers(numbers: str) -> bytes:
    return bytes(int(one) for one in numbers.replace(",", " ").split())


def _decoded(decode: Callable[[str], bytes], part: str, excerpt: str) -> Iterator[Undone]:
    """Yield what a part says, where it says something in letters."""
    try:
        text = decode(part).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return
    text = text if text.isascii() else _INVISIBLE.sub("", text)
    is_chance = len(part) < _SHORT and not _TELLING.fullmatch(text)
    if text and not is_chance and _is_shown(text):
        yield Undone(text, excerpt)


def _is_shown(text: str) -> bool:
    """Return True if nine of ten characters are letters that somebody sees, or white space."""
    least, unknown = 0.9 * len(text), text.count("\ufffd")
    if len(text) - unknown < least:
        return False
    times = Counter(text).items()
    return sum(much for it, much in times if it.isprintable() or it.isspace()) - unknown >= least


def _transfer(text: str) -> Iterator[Undone]:
    """Yield it without percent and quoted-printable encoding, entities and escapes."""
    yield Undone(unquote_to_bytes(text).decode("utf-8", "replace"), "")
    if _QUOTED.search(text):
        yield Undone(quopri.decodestring(text.encode()).decode("utf-8", "replace"), "")
    if _ENTITY.search(text):
        yield Undone(html.unescape(text), "")
    yield Undone(_ESCAPE.sub(lambda hit: chr(int(hit[1] or hit[2], 16)), text), "")


def _leet(text: str) -> Iterator[Undone]:
    """Yield it with letters for the digits that stand beside letters."""
    if len(_LEET.findall(text)) > 3:
        yield Undone(_LEET.sub(lambda hit: hit[0].translate(_LETTERS_OF_LEET), text), "")


def _digits(text: str) -> Iterator[Undone]:
    """Yield it with digits for numbers below ten in words."""
    pattern, within, values = _digit_words()
    said = pattern.sub(lambda hit: values[hit[0].casefold()], text)
    # Several without a blank between them are no words of another one.
    said = _CODED_WORD.sub(
        lambda word: word[0] if not within[0].search(word[0]) else within[1].sub(
            lambda hit: values[hit[0].casefold()], word[0]
        ), said,
    )  # fmt: skip
    if said != text:
        said = _short_digits().sub("1", said)
        yield Undone(said, "")
        # Within what is coded the blanks around them are none of it.
        joined = _AMIDST.sub(r"\1", said)
        if joined != said and _CODED.search(joined):
            yield Undone(joined, "")


def _spoken(text: str) -> Iterator[Undone]:
    """Yield the large numbers that are said in words."""
    for one in islice(find_spoken(text), _MOST_SPOKEN):
        yield Undone(str(one.value), text[one.start : one.end])


@cache
def _short_digits() -> re.Pattern[str]:
    """Return what finds a word for one, also where it is too short to be taken for it anywhere."""
    ones = sorted(word for word, number in number_words().items() if number == 1)
    return re.compile(_SHORT_DIGIT.replace("WORDS", "|".join(map(re.escape, ones))), re.IGNORECASE)


@cache
def _digit_words() -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...], dict[str, str]]:
    values = {word: str(number) for word, number in number_words().items() if number < 10}
    values |= dict.fromkeys(words_of(lambda it: it.calendar.zero), "0")
    # An article is not meant as a number.
    values = {word: digit for word, digit in values.items() if len(word) > 2}
    words = "|".join(sorted(map(re.escape, values), key=len, reverse=True))
    patterns = (rf"\b(?:{words})\b", rf"(?:{words}){{4}}", words)
    alone, *within = (re.compile(it, re.IGNORECASE) for it in patterns)
    return alone, tuple(within), values


_DECODERS: tuple[_Decoder, ...] = (
    _plain, _together, _transfer, _hex, _bits, _numbers, _base32, _base64, _base85, _digits,
    _spoken, _leet, _backwards,
)  # fmt: skip
