"""What the figures of a message follow from: its own workings, and those of its sources; pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property

from agents.evidence.claims.arithmetic import Explained, explain, percentages, whole_numbers
from agents.evidence.claims.readers.figures import AMOUNTS, BARE_NUMBERS, Counted, Money
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
        return Workings(self._figures_of(self.body), self._numbers[1])

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

    def _groups(self, claim: Claim) -> Iterator[list[Place]]:
        """Yield the amounts that may be added: the message's, each source's, and all of them."""
        own = [it for it in self.places(AMOUNTS, [self.body]) if not meets(it.value, claim.value)]
        yield own
        for source in self.every():
            # A table names the currency above its column: what has cents is an amount.
            bare = self.places(BARE_NUMBERS, [source])
            yield [*self.places(AMOUNTS, [source]), *filter(_has_cents, bare)]
        distinct: dict[object, Place] = {}
        for one in (*own, *self.places(AMOUNTS, self.every())):
            distinct.setdefault(one.value.key, one)
        yield list(distinct.values())


def _days_of(places: Iterable[Place]) -> set[date]:
    return {it.value.key for it in places if isinstance(it.value.key, date)}


def _has_cents(place: Place) -> bool:
    key = place.value.key
    return isinstance(key, Money) and key.value != key.value.to_integral_value()
