"""Words without case, marks and ligatures, or with umlauts spelled out."""

import re
import unicodedata

_MARKS = re.compile("[\u0300-\u036f]")
# Letters that are no base letter with a mark, and how they are written without.
LETTERS = {
    "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ß": "ss"
}  # fmt: skip
_LETTERS = str.maketrans(LETTERS)
_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "ß": "ss"})


def folded(word: str) -> str:
    """Return a word in lower case without ligatures and marks: `Straße` → `strasse`."""
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKC", word).casefold().translate(_LETTERS)
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", plain)))


def spelled_out(word: str) -> str:
    """Return a word as it is typed without umlauts: `Müller` → `mueller`."""
    return folded(unicodedata.normalize("NFKC", word).lower().translate(_SPELLED))
