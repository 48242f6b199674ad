"""Numbers in words: digit by digit, also turned round or in another alphabet, and large ones."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import islice

from agents.approval.checks.disguises.reading import CODED, Undone, shifted
from inbox.extract.readers.calendar_words import number_words
from inbox.extract.readers.spoken_numbers import find_spoken
from inbox.languages import words_of

_MOST_SPOKEN = 8
_CODED_WORD = re.compile(r"\S{24,20000}")
# A word that may be an article counts as a number between two others.
_SHORT_DIGIT = r"(?<!\w)(?:WORDS)(?=\s{1,3}\d)|(?<=\d[ ])[ ]?(?:WORDS)(?=\s{0,3}(?:[.,;:]|$))"
_AMIDST = re.compile(r"[ ]{1,2}(\d)[ ]{1,2}")
# A character that percent or quoted-printable encoding writes.
_TRANSFERRED = re.compile(r"[=%]\d[\dA-Fa-f]")
_LETTERS = re.compile(r"[a-z]{3,6}")
# So many of them in one other alphabet, or turned round, are no chance.
_LEAST_TURNED = 4
# So many digits in words are what is coded.
_LEAST_CODED = 24
# Digits in words with so little between them are one number, which no card's is that short.
_APART = re.compile(r"(?:(?<!\d)\d(?!\d)\D{1,24}){4,11}\d(?!\d)")


def digits(text: str) -> Iterator[Undone]:
    """Yield it with digits for numbers below ten in words, also where these are turned round."""
    yield from _with_digits(text)
    turned = text[::-1]
    if len(_alone().findall(turned)) >= _LEAST_TURNED:
        yield from _with_digits(turned)


def _with_digits(text: str) -> Iterator[Undone]:
    values = _values()
    said = _alone().sub(lambda hit: values[hit[0].casefold()], text)
    # Several without a blank between them are no words of another one.
    said = _CODED_WORD.sub(
        lambda word: word[0] if not _several().search(word[0]) else _one().sub(
            lambda hit: values[hit[0].casefold()], word[0]
        ), said,
    )  # fmt: skip
    if said == text:
        return
    said = _short_digits().sub("1", said)
    yield Undone(said, "")
    # Within what is coded the blanks around them are none of it.
    joined = _AMIDST.sub(r"\1", said)
    is_coded = CODED.search(joined) or _TRANSFERRED.search(joined)
    if joined != said and (is_coded or len(_AMIDST.findall(said)) >= _LEAST_CODED):
        yield Undone(joined, "")
    # With other words between them they are one number, if there are no more.
    apart = [re.sub(r"\D", "", hit[0]) for hit in _APART.finditer(said)]
    if apart:
        yield Undone("\n".join(apart), "")


def shifted_digits(text: str) -> Iterator[Undone]:
    """Yield it in the other alphabet in which several of its words are those of digits."""
    found: Counter[int] = Counter()
    for hit in _LETTERS.finditer(text.lower()):
        found.update(_turned().get(hit[0], ()))
    for by, times in found.most_common(1):
        if times >= _LEAST_TURNED:
            yield Undone(shifted(text, by), "")


@cache
def _turned() -> dict[str, list[int]]:
    """Return the words for digits as each other alphabet has them, with the shifts that undo it."""
    turned: dict[str, list[int]] = {}
    for word in filter(_LETTERS.fullmatch, _values()):
        for by in range(26):
            turned.setdefault(shifted(word, -by % 26), []).append(by)
    return turned


def large(text: str) -> Iterator[Undone]:
    """Yield the large numbers that are said in words."""
    for one in islice(find_spoken(text), _MOST_SPOKEN):
        yield Undone(str(one.value), text[one.start : one.end])


@cache
def _short_digits() -> re.Pattern[str]:
    """Return what finds a word for one, also where it is too short to be taken for it anywhere."""
    ones = sorted(word for word, number in number_words().items() if number == 1)
    return re.compile(_SHORT_DIGIT.replace("WORDS", "|".join(map(re.escape, ones))), re.IGNORECASE)


@cache
def _values() -> dict[str, str]:
    """Return the digits by their words; one that may be an article is none of these."""
    values = {word: str(number) for word, number in number_words().items() if number < 10}
    values |= dict.fromkeys(words_of(lambda it: it.calendar.zero), "0")
    return {word: digit for word, digit in values.items() if len(word) > 2}


@cache
def _alone() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_any()})\b", re.IGNORECASE)


@cache
def _several() -> re.Pattern[str]:
    """Return what finds several words for digits running, within what is coded."""
    return re.compile(rf"(?:{_any()}){{4}}", re.IGNORECASE)


@cache
def _one() -> re.Pattern[str]:
    return re.compile(_any(), re.IGNORECASE)


def _any() -> str:
    return "|".join(sorted(map(re.escape, _values()), key=len, reverse=True))
