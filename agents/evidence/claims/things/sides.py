"""Amounts that sources have as net and the message as gross, or the reverse; pure."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import regex

from agents.evidence.claims.readers.figures import AMOUNTS
from agents.evidence.claims.records import Claim, Mark, Place, Reader, Source, Value
from agents.evidence.claims.things.segments import segment_of
from inbox.extract.readers.numbers import find_amounts
from inbox.languages import any_of, lazy_regex

_OPPOSITE = {"net": "gross", "gross": "net"}
# What says which it is stands so near before an amount, or behind it.
_BEFORE, _BEHIND = 16, 40
_MOST_TEXTS = 1024
_OTHER = lazy_regex(r"\d[.,]\d\d(?!\d)|=")


def check_sides(
    claims: Sequence[Claim],
    found: Callable[[Claim], Sequence[Place]],
    places: Callable[[Reader, list[Source]], Sequence[Place]],
) -> Iterator[Mark]:
    """Yield a mark for each amount that all sources which say so have as the other one."""
    for claim in claims:
        side = _side(claim.text, claim.value) if claim.reader is AMOUNTS else None
        if side is None:
            continue
        own = [(one, _side(one.source.text, one.value)) for one in found(claim)]
        others = [one for one, theirs in own if theirs == _OPPOSITE[side]]
        if not others or any(theirs == side for _, theirs in own):
            continue
        source = others[0].source
        meant = [
            it for it in places(AMOUNTS, [source]) if _side(source.text, it.value) == side
        ]  # fmt: skip
        near = min(meant, key=lambda it: abs(it.value.start - others[0].value.start), default=None)
        yield Mark(
            "amount", claim.part, claim.words, claim.value.start, claim.value.end, "differs",
            near.words if near else others[0].cited.excerpt, (others[0].cited,),
        )  # fmt: skip


def _side(text: str, value: Value) -> str | None:
    """Return whether an amount is called net or gross, by the nearest words that say so."""
    first, last = segment_of(text, value)
    first, last = max(first, value.start - _BEFORE), min(last, value.end + _BEHIND)
    for start, end in _numbers(text):
        if value.end <= start < last:
            last = start
        elif first < end <= value.start:
            first = end
    found = []
    for side, pattern in _sides().items():
        found += [
            (match.start() - value.end, side) for match in pattern.finditer(text, value.end, last)
        ]
        found += [
            (value.start - match.end() + 1, side)
            for match in pattern.finditer(text, first, value.start)
        ]
    return min(found)[1] if found else None


@lru_cache(maxsize=_MOST_TEXTS)
def _numbers(text: str) -> tuple[tuple[int, int], ...]:
    """Return where other amounts stand, with a currency or without, and what makes one."""
    amounts = [(it.start, it.end) for it in find_amounts(text)]
    return (*amounts, *(it.span() for it in _OTHER.finditer(text)))


@lru_cache(maxsize=1)
def _sides() -> dict[str, "regex.Pattern[str]"]:
    words = {
        "net": any_of(lambda it: it.claims.net), "gross": any_of(lambda it: it.claims.gross),
    }  # fmt: skip
    return {
        side: regex.compile(rf"(?<!\p{{L}})(?:{one})(?!\p{{L}})", regex.IGNORECASE)
        for side, one in words.items()
    }
