"""A reading of a text, and what is coded in a text rather than written."""

import re
import string
from collections.abc import Iterator
from typing import NamedTuple

import regex

# So much of a text is read.
LONGEST = 20_000
CODED = re.compile(r"\S{24}")
_INVISIBLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")


class Undone(NamedTuple):
    """A reading of a text, and the words of the text that it was made of."""

    text: str
    excerpt: str


def without_invisible(text: str) -> str:
    """Return a text without the characters that nobody sees."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def well_formed(text: str) -> str:
    """Return a text with surrogates in pairs as the character that they are, and none alone.

    JSON writes a character beyond the first 65,536 as a pair of escapes; half a pair is no
    character (Unicode 15, 3.8, D71), and no encoding takes it.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def shifts(text: str) -> Iterator[str]:
    """Yield a text in the alphabet turned round, and in each other shift of it."""
    yield shifted(text, 0)
    for by in range(1, 26):
        yield shifted(text, by)


def shifted(text: str, by: int) -> str:
    """Return a text with each letter so many further on; by 0 in the alphabet turned round."""
    low, high = string.ascii_lowercase, string.ascii_uppercase
    turned = low[by:] + low[:by] + high[by:] + high[:by] if by else low[::-1] + high[::-1]
    return text.translate(str.maketrans(low + high, turned))
