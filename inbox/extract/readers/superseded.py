"""Which days and times of a text hold no longer, because another took their place; pure.

"Moved from 22 to 24 September", "6 October (instead of 5 October, 16:00)".
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, TypeVar

import regex

from inbox.extract.readers.dates import FoundDate
from inbox.extract.readers.times import find_times
from inbox.languages import any_of, lazy_regex

Stretch = tuple[int, int]


class _Placed(Protocol):
    @property
    def start(self) -> int: ...


T = TypeVar("T", bound=_Placed)
# A sentence, in which a stop behind a digit or a short word ends nothing.
_SENTENCE = lazy_regex(r"(?:[^.!?\n]|(?<=\d|(?<!\p{L})\p{L}{1,3})\.|[.!?](?=\S)|\n(?!\n))+")
_MOVES = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.calendar.moves)}(?!\p{{L}})", regex.IGNORECASE
)
_INSTEAD = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.calendar.instead)}(?!\p{{L}})", regex.IGNORECASE
)
_TO = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}}){any_of(lambda it: it.calendar.moved_to)}"
        r"\s(?:\p{L}{1,12}\.?,?\s){0,3}$"
    ),
    regex.IGNORECASE,
)
_INSTEAD_OF = 60


@lru_cache(maxsize=32)
def superseded(text: str, days: tuple[FoundDate, ...]) -> tuple[Stretch, ...]:
    """Return the stretches of the text in which days and times stand that hold no longer."""
    found = []
    for hit in _INSTEAD.finditer(text):
        rest = text[hit.end() : hit.end() + _INSTEAD_OF]
        # Behind a label it is the rest of the line.
        end = regex.search(r"\n" if hit[0].endswith(":") else r"[);?!\n]|[.,](?!\s?\d)\s|\.$", rest)
        stretch = (hit.start(), hit.end() + (end.start() if end else len(rest)))
        # Before the day that holds, or behind it, but not all that there is.
        if any(not stretch[0] <= it.start < stretch[1] for it in days):
            found.append(stretch)
    for sentence in _SENTENCE.finditer(text):
        if _MOVES.search(sentence[0]):
            found += _moved(text, sentence.span(), days)
    return (*found, *_called_off(text, days))


_CALLS_OFF = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.calendar.calls_off)})", regex.IGNORECASE
)
_ONLY_IF = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.answers.only_if)})(?!\p{{L}})", regex.IGNORECASE
)


def _called_off(text: str, days: Sequence[FoundDate]) -> list[Stretch]:
    """Return the sentences that call a day off, where another day is named elsewhere."""
    found = [
        it.span()
        for it in _SENTENCE.finditer(text)
        if _CALLS_OFF.search(it[0]) and not _ONLY_IF.search(it[0])
    ]
    kept = [it for it in days if not any(start <= it.start < end for start, end in found)]
    return found if kept and len(kept) < len(days) else []


def _moved(text: str, sentence: Stretch, days: Sequence[FoundDate]) -> list[Stretch]:
    """Return what stands before the new day of a sentence that moves one to another."""
    start, end = sentence
    inside = [it for it in days if start <= it.start < end]
    to = [it for it in inside if _TO.search(text[start : it.start])]
    if _INSTEAD.search(text, start, end):
        # That says already which of them holds.
        return []
    if inside and not to and any(it.start >= end for it in days):
        # What is moved stands here, and to when in another sentence.
        return [sentence]
    if len({it.day for it in inside}) < 2:
        return _moved_times(text, sentence)
    new = to[-1] if to else None
    if new is None:
        return []
    # What stands before the new day; and behind it what is another one again.
    return [(start, new.start)] + [(it.start, it.end) for it in inside if it.start > new.start]


def _moved_times(text: str, sentence: Stretch) -> list[Stretch]:
    """Return the first of two times of a sentence that moves something from one to the other."""
    inside = [it for it in find_times(text) if sentence[0] <= it.start < sentence[1]]
    if len(inside) != 2 or not _TO.search(text[inside[0].end : inside[1].start]):
        return []
    return [(inside[0].start, inside[0].end)]


def without(found: Sequence[T], stretches: Sequence[Stretch]) -> list[T]:
    """Return what does not begin in any of the stretches."""
    return [it for it in found if not any(a <= it.start < b for a, b in stretches)]
