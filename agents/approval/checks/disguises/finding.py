"""What is told to people who were not to read it in another writing: encoded, turned, in parts."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from typing import NamedTuple

from agents.approval.checks.disguises.likeness import (
    BETWEEN,
    Written,
    in_two,
    letters_of,
    shared_letters,
)
from agents.approval.checks.disguises.reading import Undone
from agents.approval.checks.disguises.undoing import undo
from inbox.extract.readers.checksums import is_iban
from inbox.flags import Finding, found

_LONGEST_EXCERPT = 200
# So many letters and numbers of what was shown are compared, the newest first.
_MOST_KEPT = 60_000
_PART, _MOST_PARTS = re.compile(r"(?<![A-Za-z\d])(?=[A-Z]{0,10}\d)[A-Z\d]{3,30}(?![A-Za-z\d])"), 40


class Kept(NamedTuple):
    """A text that some have not read, and the public id of what it is the text of."""

    source: str
    text: str


def find_disguised(
    said: str, kept: Sequence[Kept], read: Sequence[str], before: Callable[[], str]
) -> Iterator[Finding]:
    """Yield each of the texts `kept` from some that `said` tells in another writing, once.

    `read` are texts that all of them have read; `before` returns what was said to them lately.
    """
    if not kept:
        return
    theirs = [Written(text) for text in read]
    plain = Undone(said, "")
    readings = [(one, Written(one.text)) for one in (plain, *undo(said))]
    earlier = cache(lambda: _numbers_before(before()))
    for one in _within(kept):
        ours = Written(one.text)
        numbers = _find_numbers(readings, one, ours, theirs, earlier)
        yield from islice(chain(numbers, _find_letters(readings, one, ours, theirs)), 1)


def _numbers_before(text: str) -> frozenset[str]:
    """Return the numbers of what was said before, in any writing."""
    every = (text, *(one.text for one in undo(text))) if text else ()
    return frozenset(number for one in every for number in Written(one).pieces)


def find_accounts_in_two(said: str, before: Callable[[], str]) -> Iterator[str]:
    """Yield the bank accounts of which one half is said now and the other was said before."""
    now = _parts(said)
    earlier = _parts(before()) if now else []
    for one in earlier:
        yield from (it for two in now for it in (one + two, two + one) if is_iban(it))


def _parts(text: str) -> list[str]:
    """Return what may be a part of a bank account: capitals and digits running."""
    found = dict.fromkeys(hit[0] for hit in _PART.finditer(text))
    return list(found)[:_MOST_PARTS]


def _within(kept: Sequence[Kept]) -> Iterator[Kept]:
    left = _MOST_KEPT
    for one in kept:
        left -= len(one.text)
        if left < 0:
            return
        yield one


def _find_numbers(
    readings: Sequence[tuple[Undone, Written]],
    kept: Kept,
    ours: Written,
    theirs: Sequence[Written],
    earlier: Callable[[], frozenset[str]],
) -> Iterator[Finding]:
    """Yield the first number of a text that is said: in words, turned round or in two parts."""
    secret = ours.numbers.difference(*(one.pieces for one in theirs))
    if not secret:
        return
    for undone, said in readings:
        number = next(iter(sorted(secret & (said.pieces | said.turned))), "")
        parted = (it for it in sorted(secret) if in_two(it, said.pieces, earlier()))
        number = number or next(parted, "")
        if number:
            yield _finding("token", undone.excerpt or _written(number, readings[0][0].text), kept)
            return


def _find_letters(
    readings: Sequence[tuple[Undone, Written]],
    kept: Kept,
    ours: Written,
    theirs: Sequence[Written],
) -> Iterator[Finding]:
    """Yield the first reading that has a run of letters of a text, which not all have read."""
    (plain, as_it_is), *_ = readings
    for place, (undone, said) in enumerate(readings):
        letters = shared_letters(said, ours, plain=place == 0)
        # Turned round twice it is what it was.
        if not letters or (place and letters in as_it_is.forward.letters):
            continue
        if not any(letters in one.forward.letters for one in theirs):
            yield _finding("passage", undone.excerpt or _where(plain.text, letters), kept)
            return


def _written(number: str, text: str) -> str:
    """Return a number as a text has it, with what stands between its digits, or turned round."""
    for digits in (number, number[::-1]):
        if stands := re.search(BETWEEN.join(digits), text):
            return stands[0]
    return number


def _where(text: str, letters: str) -> str:
    """Return the words that say these letters, where they stand as they are; else the beginning."""
    said = letters_of(text)
    start = max(said.find(letters), said.find(letters[::-1]))
    if start < 0 or not text.isascii():
        return text[:_LONGEST_EXCERPT]
    places = [place for place, one in enumerate(text) if "a" <= one.lower() <= "z"]
    return text[places[start] : places[start + len(letters) - 1] + 1]


def _finding(reason: str, excerpt: str, kept: Kept) -> Finding:
    words = excerpt[:_LONGEST_EXCERPT]
    return found("not_for_these_readers", reason, excerpt=words, source=kept.source)
