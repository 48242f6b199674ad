"""Where numbers, amounts, dates and codes of a text begin and end, so that none is cut; pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import regex

from inbox.extract.readers.calendar_words import months
from inbox.extract.readers.numbers import find_amounts, plain_digits
from inbox.languages import lazy_regex

Stretch: TypeAlias = tuple[int, int]

# So far around a place it is looked whether something stands across it.
_AROUND = 120
# What may stand across a place has a digit this near to it: "1 234 €", "4. September".
_NEAR = 24
_BLANK = lazy_regex(r"\s")
_SPACE = r"[ \t\u00a0\u2007\u2009\u202f]"
_PATTERNS = (
    # Letters and digits with what joins them: RE-2026-0412, 4.500,00, 1'234.50, 12/345, but not
    # two times: 14:00-15:30.
    lazy_regex(
        r"[+#§]?[\p{L}\d]++(?:(?:(?<=\d)[.,:'’](?=\d)|(?<!:\d\d)[-/_\u2010\u2011])"
        r"[\p{L}\d]++)*+"
    ),
    # 1 234 567,89
    lazy_regex(rf"(?<![\d.,:/'’-])\d{{1,3}}(?:{_SPACE}\d{{3}})++(?!\d)(?:[.,]\d++)?+"),
    # An IBAN in groups, whatever its length.
    lazy_regex(rf"(?<![\p{{L}}\d])[A-Z]{{2}}\d{{2}}(?:{_SPACE}?[A-Z\d]{{2,4}}){{3,8}}(?![\p{{L}}\d])"),
    # +49 (0)30 12 34-56; 044 668 18 00; (030) 123 456; 98765 43210; 555 123 4567.
    lazy_regex(r"(?<![\p{L}\d.,/-])\+\d(?:[ \u00a0\u202f()/.\u2010-\u2015-]{0,3}+\d){5,14}+"),
    lazy_regex(
        r"(?<![\p{L}\d.,:/-])(?!\d{1,2}[-/.:])(?:0\d{0,5}+|\(0\d{0,5}+\))"
        r"(?:[ \u00a0\u202f()/-]{0,3}+\d){5,13}+(?![.,:]\d)"
    ),
    lazy_regex(
        rf"(?<![\p{{L}}\d.,/-])(?:[6-9]\d{{4}}{_SPACE}\d{{5}}|[2-9]\d\d{_SPACE}\d{{3}}{_SPACE}\d{{4}})(?!\d)"
    ),
    # 5. 12. 2026, 4. März 2026.
    lazy_regex(rf"(?<![\d.,])[0-3]?\d\.{_SPACE}?[01]?\d\.(?:{_SPACE}?(?:\d{{4}}|\d{{2}})(?!\d))?"),
    lazy_regex(
        lambda: (
            rf"(?<!\d)\d{{1,2}}\.?{_SPACE}(?:{'|'.join(map(regex.escape, months()))})"
            rf"(?!\p{{L}})(?:{_SPACE}\d{{4}}(?!\d))?"
        ),
        regex.IGNORECASE,
    ),
)  # fmt: skip


def keep_whole(text: str, stretches: Sequence[Stretch]) -> list[Stretch]:
    """Return stretches of a text, each as much longer as it takes to cut nothing in two."""
    edges = sorted({edge for each in stretches for edge in each if _may_cut(text, edge)})
    if not edges:
        return list(stretches)
    things = _joined(thing for area in _areas(edges, text) for thing in _things(text, *area))
    begins = [start for start, _ in things]
    return [_widened(each, things, begins) for each in stretches]


def cuts(text: str, start: int, end: int) -> bool:
    """Return True if a stretch of a text begins or ends within something."""
    return keep_whole(text, [(start, end)]) != [(start, end)]


def _may_cut(text: str, edge: int) -> bool:
    if not 0 < edge < len(text):
        return False
    return any(letter.isdigit() for letter in text[max(0, edge - _NEAR) : edge + _NEAR])


def _areas(edges: Iterable[int], text: str) -> list[Stretch]:
    """Return what stands around the edges, from a blank to a blank and none of it twice."""
    areas: list[Stretch] = []
    for edge in edges:
        if areas and edge + _AROUND <= areas[-1][1]:
            continue
        start = max(0, edge - _AROUND)
        while (
            start > 0 and not text[start - 1].isspace() and start > (areas[-1][1] if areas else 0)
        ):
            start -= 1
        ends = _BLANK.search(text, min(len(text), edge + _AROUND))
        end = ends.start() if ends else len(text)
        if areas and start <= areas[-1][1]:
            areas[-1] = areas[-1][0], end
        else:
            areas.append((start, end))
    return areas


def _things(text: str, start: int, end: int) -> Iterator[Stretch]:
    area = plain_digits(text[start:end])
    for pattern in _PATTERNS:
        for match in pattern.finditer(area):
            if any(letter.isdigit() for letter in match[0]):
                yield start + match.start(), start + match.end()
    for amount in find_amounts(area):
        yield start + amount.start, start + amount.end


def _joined(things: Iterable[Stretch]) -> list[Stretch]:
    """Return things in order, those that overlap as one."""
    made: list[Stretch] = []
    for start, end in sorted(things):
        if made and start < made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((start, end))
    return made


def _widened(stretch: Stretch, things: Sequence[Stretch], begins: Sequence[int]) -> Stretch:
    start, end = stretch
    before = bisect_right(begins, start) - 1
    if before >= 0 and begins[before] < start < things[before][1]:
        start = begins[before]
    behind = bisect_left(begins, end) - 1
    if start < end and behind >= 0 and begins[behind] < end < things[behind][1]:
        end = things[behind][1]
    return start, end
