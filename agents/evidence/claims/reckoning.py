"""What the figures of a message follow from: its own workings, and those of its sources; pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property

import regex

from agents.evidence.claims.arithmetic import Explained, Group, explain, percentages, whole_numbers
from agents.evidence.claims.distance import digits_of
from agents.evidence.claims.readers.figures import (
    AMOUNTS,
    BARE_NUMBERS,
    Counted,
    Money,
    near_amount,
)
from agents.evidence.claims.readers.measures import Measured
from agents.evidence.claims.readers.moments import DATES
from agents.evidence.claims.records import Cited, Claim, Figure, Place, Reader, Source, Value, meets
from agents.evidence.claims.shares import (
    figures_around,
    figures_of_rows,
    follows_from,
    line_around,
)
from agents.evidence.claims.workings import Workings, read_figures
from inbox.languages import any_of, lazy_regex

# An amount of so many digits is another one's slip rather than worked out in some way.
_LONG, _SLIP = 4, 0.8
# A number that a table has without its currency.
_WRITTEN = lazy_regex(r"[.,]\d\d$|\d[.,'’\u00a0 ]\d{3}$")
_ROUGHLY = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.claims.roughly)}\W{{0,3}}\Z", regex.IGNORECASE
)
# Words for what is rounded stand so near before it.
_BEFORE = 24
_HALF = Decimal("0.5")
# Of more amounts that no source has only so many are worked out.
_MOST_EXPLAINED = 12


@dataclass
class Reckoning:
    """A message's body and its sources; `places` reads values, `every` asks for all sources."""

    body: Source
    near: Sequence[Source]
    every: Callable[[], Sequence[Source]]
    places: Callable[[Reader, Iterable[Source]], Sequence[Place]]
    _figures: dict[int, Sequence[Figure]] = field(default_factory=dict)
    _tried: int = 0

    @cached_property
    def workings(self) -> Workings:
        """The figures of the message, and which of them follow from others."""
        return Workings(self.body.text, self._figures_of(self.body), self._numbers[1])

    def shows(self, claim: Claim) -> bool:
        """Return True if a figure has its part in what the message works out."""
        return claim.part == "body" and self.workings.shows(claim.value.start, claim.value.end)

    def counts(self, claim: Claim) -> bool:
        """Return True if what is near has the number of a quantity, whatever it says it is of."""
        key = claim.value.key
        return isinstance(key, Counted) and any(
            one.value == key.number and one.sort == "count"
            for source in self.near for one in self._figures_of(source)
        )  # fmt: skip

    def lies_between(self, claim: Claim, *, near: bool = False) -> bool:
        """Return True if so many days lie between a day of the message, or its own, and another.

        Where it is `near` the other one must be as well.
        """
        length = claim.value.key
        if not isinstance(length, Measured) or length.dimension != "days":
            return False
        sent = set() if near else {day for source in self.near for day in source.days}
        told = self.places(DATES, [self.body])
        # "Within 30 days" is a day as well.
        own = _days_of(it for it in told if not meets(it.value, claim.value))
        own |= {self.body.written_on} | sent
        others = own | _days_of(self.places(DATES, self.near if near else self.every()))
        return any(abs((one - other).days) == length.amount for one in own for other in others)

    def share(self, claim: Claim) -> Cited | None:
        """Return what a percentage is the share or the change of."""
        rate = claim.value.key
        assert isinstance(rate, Decimal)  # noqa: S101
        own = self.workings.figures if claim.part == "body" else ()
        near = figures_around(own, claim.value.start, claim.value.end)
        if pair := follows_from(rate, claim.words, near):
            return Place(self.body, Value("", pair[0].start, pair[0].end)).cited
        line = line_around(claim.text, claim.value.start, claim.value.end)
        texts = ((one.text, self._figures_of(one)) for one in self.every())
        for row in figures_of_rows(line, texts):
            if follows_from(rate, claim.words, row):
                return Cited("proposal", "", " ".join(line.split()))
        return None

    def _figures_of(self, source: Source) -> Sequence[Figure]:
        if id(source) not in self._figures:
            read = read_figures(source.text, source.written_on, source.language)
            self._figures[id(source)] = read
        return self._figures[id(source)]

    def explained(self, claim: Claim) -> Explained | None:
        """Return how an amount follows from others, or nearly does."""
        self._tried += 1
        if self._tried > _MOST_EXPLAINED:
            return None
        if parts := self._worked_out(claim):
            return Explained(parts)
        if place := self._rounded(claim):
            return Explained((place,))
        if self._is_slip(claim):
            return None
        own_counts = whole_numbers([self.body.text])
        return explain(claim, self._groups(claim), *self._numbers, own_counts)

    def _worked_out(self, claim: Claim) -> tuple[Place, ...]:
        """Return the figures of the message that an amount of it follows from."""
        if claim.part != "body":
            return ()
        parts = self.workings.follows(claim.value.start, claim.value.end)
        return tuple(Place(self.body, Value("", it.start, it.end)) for it in parts)

    @cached_property
    def _numbers(self) -> tuple[list[Decimal], list[Decimal]]:
        """The numbers and the percentages by which amounts may be multiplied."""
        texts = [self.body.text, *(one.text for one in self.every())]
        near = [self.body.text, *(one.text for one in self.near)]
        return whole_numbers(near), percentages(texts)

    def _groups(self, claim: Claim) -> Iterator[Group]:
        """Yield amounts that may be added: the message's, each source's, and the near ones."""
        own = [it for it in self._amounts_of([self.body]) if not meets(it.value, claim.value)]
        yield Group(own)
        near = {id(one) for one in self.near}
        for source in self.every():
            # What further mail has is of other matters.
            if source.type == "message" and id(source) not in near:
                continue
            amounts = self._amounts_of([source])
            yield Group(amounts)
            if id(source) not in near:
                yield Group([*own, *amounts], in_one_step=True)
        yield Group([*own, *self._amounts_of(self.near)])

    def _amounts_of(self, sources: Iterable[Source]) -> list[Place]:
        """Return amounts, each once. A table names the currency above its column."""
        distinct: dict[object, Place] = {}
        for source in sources:
            amounts = self.places(AMOUNTS, [source])
            currencies = {_money_of(it).currency for it in amounts}
            only = next(iter(currencies)) if len(currencies) == 1 else ""
            for one in amounts:
                distinct.setdefault(one.value.key, one)
            for one in filter(_is_written_as_amount, self.places(BARE_NUMBERS, [source])):
                key = Money(_money_of(one).value, only)
                distinct.setdefault(key, Place(source, one.value._replace(key=key)))
        return list(distinct.values())

    def _rounded(self, claim: Claim) -> Place | None:
        """Return the amount that one is rounded from, to whole ones or as far as it says so."""
        key = claim.value.key
        assert isinstance(key, Money)  # noqa: S101
        if key.value != key.value.to_integral_value():
            return None
        before = claim.text[max(0, claim.value.start - _BEFORE) : claim.value.start]
        most = key.value / 20 if _ROUGHLY.search(before) else _HALF
        own = [it for it in self._amounts_of([self.body]) if not meets(it.value, claim.value)]
        for one in (*own, *self._amounts_of(self.every())):
            other = _money_of(one)
            is_alike = other.currency in {key.currency, ""}
            if is_alike and 0 < abs(other.value - key.value) <= most:
                return one
        return None

    def _is_slip(self, claim: Claim) -> bool:
        """Return True if an amount is a near source's but for a digit, and a long one."""
        key = claim.value.key
        assert isinstance(key, Money)  # noqa: S101
        if len(digits_of(key.value)) < _LONG:
            return False
        return any(
            near_amount(claim.value, it.value) >= _SLIP for it in self.places(AMOUNTS, self.near)
        )


def _days_of(places: Iterable[Place]) -> set[date]:
    return {it.value.key for it in places if isinstance(it.value.key, date)}


def _money_of(place: Place) -> Money:
    assert isinstance(place.value.key, Money)  # noqa: S101
    return place.value.key


def _is_written_as_amount(place: Place) -> bool:
    return _WRITTEN.search(place.words) is not None
