"""What a message works out before its reader: `2 x 190 = 380`, a table and its total; pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from itertools import combinations, zip_longest
from typing import TypeAlias

from agents.evidence.claims.readers.figures import Money, read_bare_numbers, read_percentages
from agents.evidence.claims.records import Figure
from inbox.extract.readers.calendar_words import number_words_of
from inbox.extract.readers.dates import find_dates
from inbox.extract.readers.numbers import find_amounts
from inbox.extract.readers.times import find_times
from inbox.languages import lazy_regex

# An amount follows from figures so many places, and so many characters, before it and behind it.
_BEFORE, _BEHIND, _FURTHEST = 14, 5, 700
# A number multiplies an amount that stands so near.
_BESIDE = 90
_MOST_FIGURES, _LEAST_RUN = 80, 2
_LARGEST_COUNT = 5000
# 45p, 30 ct.
_COINS = lazy_regex(r"(?<![\p{L}\d.,/-])(?P<number>\d{1,3})\s?(?:p|ct|¢)(?![\p{L}\d.])")
_WORD = lazy_regex(r"\p{L}{2,20}")
_WITH_MINUTES = lazy_regex(r"\d\s?[.:h]\s?\d\d")
_HAS_CENTS = lazy_regex(r"[.,]\d\d$|\d[.,'’\u00a0 ]\d{3}$")

Made: TypeAlias = dict[int, tuple[int, ...]]


def read_figures(text: str, written_on: date, language: str) -> list[Figure]:
    """Return the numbers of a text, in digits or words, that one may reckon with."""
    found = [Figure(it.value, it.start, it.end, "money", it.currency) for it in find_amounts(text)]
    rates = ((it.key, it) for it in read_percentages(text))
    found += _small_coins(text)
    found += [Figure(k, it.start, it.end, "rate") for k, it in rates if isinstance(k, Decimal)]
    taken = [(it.start, it.end) for it in found]
    taken += [(it.start, it.end) for it in find_dates(text, written_on, language)]
    taken += [
        (it.start, it.end)
        for it in find_times(text)
        if _WITH_MINUTES.search(text[it.start : it.end])
    ]
    for one in (*_bare(text), *_words(text, language)):
        if not any(start < one.end and one.start < end for start, end in taken):
            found.append(one)
    return sorted(found, key=lambda it: it.start)[:_MOST_FIGURES]


def _small_coins(text: str) -> Iterator[Figure]:
    for match in _COINS.finditer(text):
        yield Figure(Decimal(match["number"]) / 100, *match.span(), "money")


def _bare(text: str) -> Iterator[Figure]:
    for it in read_bare_numbers(text):
        assert isinstance(it.key, Money)  # noqa: S101
        is_money = _HAS_CENTS.search(text[it.start : it.end]) is not None
        yield Figure(it.key.value, it.start, it.end, "money" if is_money else "count")


def _words(text: str, language: str) -> Iterator[Figure]:
    numbers = number_words_of(language)
    for match in _WORD.finditer(text):
        if number := numbers.get(match[0].lower()):
            yield Figure(Decimal(number), *match.span(), "count")


@dataclass(frozen=True)
class Workings:
    """The figures of a text, and which of them follow from others of it."""

    text: str
    figures: Sequence[Figure]
    # Percentages that are on top of amounts without being named: VAT.
    rates: Sequence[Decimal] = ()

    @cached_property
    def shown(self) -> frozenset[tuple[int, int]]:
        """The places of all figures that follow from others, and of those that they follow from."""
        found: set[int] = set()
        for at, one in enumerate(self.figures):
            if one.sort == "money" and (parts := self.parts_of(at)):
                found |= {at, *parts}
        return frozenset((self.figures[it].start, self.figures[it].end) for it in found)

    def shows(self, start: int, end: int) -> bool:
        """Return True if a figure at a place has its part in what the text works out."""
        return any(first < end and start < last for first, last in self.shown)

    def follows(self, start: int, end: int) -> tuple[Figure, ...]:
        """Return the figures of the text that the one at a place follows from; () for none."""
        for at, one in enumerate(self.figures):
            if one.sort == "money" and one.start < end and start < one.end:
                return tuple(self.figures[it] for it in self.parts_of(at))
        return ()

    def parts_of(self, at: int) -> tuple[int, ...]:
        """Return the places in `figures` of those that one follows from."""
        wanted = _cents(self.figures[at].value)
        around = self._around(at)
        money = [it for it in around if self.figures[it].sort == "money"]
        rates = [it for it in around if self.figures[it].sort == "rate"]
        before = [it for it in money if it < at]
        for added in (before, self._last_of_lines(before)):
            if run := self._run(wanted, added, rates):
                return run
        made = self._made(money, around, at)
        if parts := (made.get(wanted) or self._by_one_step(wanted, money, around, at)):
            return parts
        for cents, parts in made.items():
            for other in (wanted - cents, cents - wanted):
                if (rest := made.get(other)) and not set(rest) & set(parts):
                    return (*parts, *rest)
        return ()

    def _around(self, at: int) -> list[int]:
        place, currency = self.figures[at].start, self.figures[at].currency
        nearest = range(max(0, at - _BEFORE), min(len(self.figures), at + _BEHIND + 1))
        return [
            it for it in nearest
            if it != at and abs(self.figures[it].start - place) <= _FURTHEST
            and (not currency or self.figures[it].currency in {currency, ""})
        ]  # fmt: skip

    def _last_of_lines(self, money: Sequence[int]) -> list[int]:
        """Return those that end their lines, as sums do behind prices."""
        starts = [self.figures[it].start for it in money[1:]]
        return [
            one for one, behind in zip_longest(money, starts, fillvalue=len(self.text))
            if "\n" in self.text[self.figures[one].end : behind]
        ]  # fmt: skip

    def _run(self, wanted: int, before: Sequence[int], rates: Sequence[int]) -> tuple[int, ...]:
        """Return the figures next before one of which it is the sum, or a share.

        One of them may be taken off.
        """
        total = Decimal(0)
        for place in range(len(before) - 1, -1, -1):
            total += self.figures[before[place]].value
            run = before[place:]
            if len(run) < _LEAST_RUN:
                continue
            sums = [total, *(total - 2 * self.figures[it].value for it in run[1:])]
            if wanted in map(_cents, sums):
                return tuple(run)
            for rate in rates:
                if wanted in _by_rate(total, self.figures[rate].value):
                    return (*run, rate)
        return ()

    def _made(self, money: Sequence[int], around: Sequence[int], at: int) -> Made:
        """Return what follows from one amount, with its figures; itself too."""
        made: Made = {}
        rates = [it for it in around if self.figures[it].sort == "rate"]
        for one in money:
            made.setdefault(_cents(self.figures[one].value), (one,))
        for one in money:
            counts = [it for it in around if self._multiplies(it, one)]
            products = {(it,): self.figures[it].value for it in counts} | {
                (i, j): self.figures[i].value * self.figures[j].value
                for i, j in combinations(counts, 2)
            }
            value = self.figures[one].value
            for of, factor in products.items():
                made.setdefault(_cents(value * factor), (one, *of))
            # What a percentage is of stands before what comes of it.
            for rate in rates if one < at else ():
                for cents in _by_rate(value, self.figures[rate].value):
                    made.setdefault(cents, (one, rate))
        return made

    def _by_one_step(
        self, wanted: int, money: Sequence[int], around: Sequence[int], at: int
    ) -> tuple[int, ...]:
        """Return the figures that one follows from by a division, or with VAT beside it."""
        for one in money:
            value = self.figures[one].value
            for it in around:
                if self._multiplies(it, one) and _cents(value / self.figures[it].value) == wanted:
                    return one, it
            if self._is_beside(one, at) and any(wanted in _by_rate(value, it) for it in self.rates):
                return (one,)
        return ()

    def _is_beside(self, one: int, at: int) -> bool:
        return abs(self.figures[one].start - self.figures[at].start) <= _BESIDE

    def _multiplies(self, count: int, money: int) -> bool:
        one, other = self.figures[count], self.figures[money]
        return one.sort == "count" and 0 < one.value <= _LARGEST_COUNT and one.value != 1 and (
            abs(one.start - other.start) <= _BESIDE
        )  # fmt: skip


def _by_rate(value: Decimal, rate: Decimal) -> Iterable[int]:
    share = value * rate / 100
    yield from map(_cents, (share, value + share, value - share, value / (1 + rate / 100)))


def _cents(value: Decimal) -> int:
    return int((value * 100).to_integral_value("ROUND_HALF_UP"))
