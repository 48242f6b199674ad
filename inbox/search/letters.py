"""Words by their letters: found however these are written, and how far one is from another.

Letters are written marked, spelled out, or as ligatures.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache

# Where letters with marks stand: Latin, Greek, Cyrillic, and Latin with two marks.
_RANGES = ((0xC0, 0x250), (0x370, 0x530), (0x1E00, 0x2000))
# One letter that is written as two as well.
_SPELLED = {"ae": "äæ", "oe": "öøœ", "ue": "ü", "aa": "å", "ss": "ß", "th": "þ"}
# Base letters with a stroke, which Unicode does not take apart.
_STRUCK = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i"}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_PIECES = re.compile("|".join([*_SPELLED, "."]), re.DOTALL)


@cache
def _written() -> dict[str, str]:
    """Return by each letter without a mark all in which it is written, itself included."""
    found: dict[str, list[str]] = {}
    for start, end in _RANGES:
        for letter in map(chr, range(start, end)):
            small = letter.lower()
            plain = _STRUCK.get(small) or unicodedata.normalize("NFKD", small)[0]
            if plain != letter and letter.isalpha():
                found.setdefault(plain, [plain, plain.upper()]).append(letter)
    return {plain: "".join(dict.fromkeys(letters)) for plain, letters in found.items()}


@lru_cache(maxsize=4096)
def any_writing(word: str) -> str:
    """Return the pattern of a word that is folded; it has no group, and goes for any database.

    Large letters hit as well where they have marks; ASCII is left to who uses it.
    """
    return "".join(_piece(found) for found in _PIECES.findall(word))


def _piece(letters: str) -> str:
    if len(letters) == 2:
        ligatures = _SPELLED[letters]
        one = "".join(dict.fromkeys(ligatures + ligatures.upper().replace("SS", "ẞ")))
        return f"(?:{_piece(letters[0])}{_piece(letters[1])}|[{one}])"
    written = _written().get(letters)
    return f"[{written}]" if written else re.escape(letters)


@cache
def _one_letter() -> dict[int, str]:
    """Return by each letter with a mark, or of two in one, the one letter that is left of it."""
    marked = {ord(one): plain for plain, all_ in _written().items() for one in all_}
    joined = {ord(one): two[0] for two, ones in _SPELLED.items() for one in ones}
    return marked | joined


def plain_letters(text: str) -> str:
    """Return a text in lower case without marks, as long as it was: of `ß` one `s` is left."""
    if text.isascii():
        return text
    letters = _one_letter()
    return _NOT_ASCII.sub(lambda found: found[0].translate(letters), text)


def spelled_as_one(word: str) -> str:
    """Return what `plain_letters` leaves of a word that was spelled out: `strasse` → `strase`."""
    return _PIECES.sub(lambda found: found[0][0], word)


def one_of(patterns: Iterable[str]) -> str:
    """Return the pattern of any of these, the longest first."""
    return f"(?:{'|'.join(sorted(dict.fromkeys(patterns), key=len, reverse=True))})"


def may_be_near(one: str, other: str, most: int) -> bool:
    """Return False where it is plain, and quick to see, that more than so many letters are off."""
    if abs(len(one) - len(other)) > most:
        return False
    return len(set(one) ^ set(other)) <= 2 * most


def distance(one: str, other: str, most: int) -> int:
    """Return how many letters are off (Damerau, two neighbours exchanged count once).

    Where it is more than `most`, any number above it.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for place, its in enumerate(other, 1):
            best = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != its))
            is_exchanged = at > 1 and place > 1 and letter == other[place - 2]
            if is_exchanged and its == one[at - 2]:
                best = min(best, earlier[place - 2] + 1)
            row.append(best)
        if min(row) > most and min(before) > most:
            return most + 1
    return row[-1]
