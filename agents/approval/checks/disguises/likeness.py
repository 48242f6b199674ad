"""Whether two texts say the same, however one of them is written; pure.

Letters are compared by the steps between them, which no shift of the alphabet changes; turned
round, or with the alphabet mirrored, the steps are turned or mirrored. Numbers are compared without
what stands between their digits.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

# So many letters running are no chance: as they stand, and by another alphabet or direction.
_LEAST_PLAIN, _LEAST_OTHER = 48, 24
# So much of a text is compared.
_LONGEST = 20_000
_LEAST_DIGITS, _LEAST_TELLING, _LEAST_WHOLE = 5, 3, 6
_MOST_HITS = 3
# What may stand between the digits of a number.
BETWEEN = r"[\s.,'\u2019/_*\u202f\u00a0-]{0,2}"
_NUMBER = re.compile(rf"\d(?:{BETWEEN}\d){{0,40}}")
_NO_DIGIT = re.compile(r"\D+")
# A day, in the notations that stand in every other message, and a time.
_DAY = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2(?:19|20)?\d\d)(?!\d)"
)
_MIRROR = bytes.maketrans(bytes(range(26)), bytes((26 - step) % 26 for step in range(26)))


class Steps(NamedTuple):
    """The steps from letter to letter of a text, and the letters, a to z without marks."""

    letters: str
    steps: bytes


def letters_of(text: str) -> str:
    """Return the letters a to z of a text, in lower case and without marks."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
    return "".join(one for one in text[: 2 * _LONGEST].lower() if "a" <= one <= "z")[:_LONGEST]


def steps_of(letters: str) -> Steps:
    """Return letters with the steps between them, 0 to 25."""
    codes = letters.encode("ascii")
    return Steps(letters, bytes((two - one) % 26 for one, two in pairwise(codes)))


class Written:
    """A text as others are compared with it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def forward(self) -> Steps:
        """Its letters as they stand."""
        return steps_of(letters_of(self.text))

    @cached_property
    def ways(self) -> list[Steps]:
        """Its letters in each way in which they may have been written."""
        words = self.text[:_LONGEST].split()
        turned = (
            self.forward.letters, self.forward.letters[::-1],
            letters_of(" ".join(word[::-1] for word in words)), letters_of(" ".join(words[::-1])),
        )  # fmt: skip
        plain = [steps_of(letters) for letters in dict.fromkeys(turned)]
        return [*plain, *(Steps(one.letters, one.steps.translate(_MIRROR)) for one in plain)]

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Its numbers of five digits and more that tell something, whatever stands between them."""
        return frozenset(one for one in self.pieces if _tells(one))

    @cached_property
    def pieces(self) -> frozenset[str]:
        """All its numbers."""
        return frozenset(numbers_in(self.text))

    @cached_property
    def turned(self) -> frozenset[str]:
        """Its numbers from the last digit to the first."""
        return frozenset(one[::-1] for one in self.numbers)


def numbers_in(text: str) -> Iterator[str]:
    """Yield the numbers of a text as digits alone: whole, and by their parts."""
    for hit in _NUMBER.finditer(_DAY.sub(" ", text)):
        yield _NO_DIGIT.sub("", hit[0])
        for part in hit[0].split():
            yield _NO_DIGIT.sub("", part)
        yield from filter(None, _NO_DIGIT.split(hit[0]))


def digits_of(text: str) -> str:
    """Return the digits of a text alone."""
    return _NO_DIGIT.sub("", text)


def _tells(digits: str) -> bool:
    """Return True for what is no round sum: `10000` stands in many a text."""
    return len(digits) >= _LEAST_DIGITS and len(digits.strip("0")) >= _LEAST_TELLING


def shared_letters(said: Written, kept: Written, *, plain: bool) -> str:
    """Return the letters, as `kept` has them, of a run that both have; "" where there is none.

    `plain`: also as they stand, in which case it takes more of them.
    """
    for way in said.ways:
        found = _shared(way, kept.forward, plain=plain)
        if found:
            return found
    return ""


def _shared(said: Steps, kept: Steps, *, plain: bool) -> str:
    width = _LEAST_OTHER // 2
    for start in range(0, len(said.steps) - width + 1, width):
        window, at = said.steps[start : start + width], -1
        for _ in range(_MOST_HITS):
            at = kept.steps.find(window, at + 1)
            if at < 0:
                break
            begin, end = _grown(said.steps, kept.steps, start, at, width)
            letters = kept.letters[at - begin : at + end + 1]
            same = letters == said.letters[start - begin : start + end + 1]
            if len(letters) > (_LEAST_PLAIN if same and plain else _LEAST_OTHER):
                return letters
    return ""


def _grown(said: bytes, kept: bytes, start: int, at: int, width: int) -> tuple[int, int]:
    """Return how far to the left, and from there to the right, both go on alike."""
    begin, end = 0, width
    while begin < min(start, at) and said[start - begin - 1] == kept[at - begin - 1]:
        begin += 1
    most = min(len(said) - start, len(kept) - at)
    while end < most and said[start + end] == kept[at + end]:
        end += 1
    return begin, end


def in_two(number: str, now: frozenset[str], earlier: frozenset[str]) -> bool:
    """Return True if a number is said in two parts, one of them now.

    Of three digits each; of two where the number has six, and of one where it has seven or more.
    """
    every = now | earlier
    least = max(1, min(_LEAST_TELLING, _LEAST_WHOLE + 2 - len(number)))
    parts = ((number[:place], number[place:]) for place in range(least, len(number) - least + 1))
    return any(one in every and two in every and (one in now or two in now) for one, two in parts)
