"""Lengths of time that a message works out: between two of its days, or two of its times; pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time
from functools import cached_property

from agents.evidence.claims.readers.measures import LENGTHS, Measured
from agents.evidence.claims.readers.moments import DATES, TIMES
from agents.evidence.claims.records import Claim, Place, Reader, Source, meets
from agents.evidence.claims.sentences import sentence_around
from agents.evidence.claims.workings import read_figures

_DAY = 24 * 60
# So near behind a length its second part stands: "30 minutes and 15 for questions".
_BESIDE = 24


@dataclass
class Spans:
    """A message's body and its sources; `places` reads values, `every` asks for all sources."""

    body: Source
    near: Sequence[Source]
    every: Callable[[], Sequence[Source]]
    places: Callable[[Reader, Iterable[Source]], Sequence[Place]]

    def is_between_times(self, claim: Claim) -> bool:
        """Return True if so much time lies between two times of the message, or of one near."""
        length = claim.value.key
        if not isinstance(length, Measured) or length.dimension != "minutes":
            return False
        own = _minutes_of(self.places(TIMES, [self.body]))
        near = _minutes_of(self.places(TIMES, self.near))
        return any(
            (one - other) % _DAY == length.amount for one in own for other in (*own, *near)
        ) or any((other - one) % _DAY == length.amount for one in own for other in near)

    def ends_length(self, claim: Claim) -> bool:
        """Return True for a time that a length of the message, or of one near, leads to.

        From another time of its sentence; the length may be of two parts: "30 minutes and 15 more".
        """
        text, at = claim.text, claim.value
        sentence = sentence_around(text, at.start, at.end)
        own = [it for it in self.places(TIMES, [self.body]) if not meets(it.value, at)]
        first = text.find(sentence)
        beside = [it for it in own if first <= it.value.start < first + len(sentence)]
        (ours,) = _minutes_of([Place(self.body, at)]) or {0}
        apart = {abs(ours - it) for it in _minutes_of(beside)}
        return not apart.isdisjoint(self._minutes)

    @cached_property
    def _minutes(self) -> frozenset[int]:
        """The lengths of time, in minutes, that the message and the near texts name, and sums."""
        found = {
            (id(place.source), place.value.end, int(key.amount))
            for place in self.places(LENGTHS, [self.body, *self.near])
            if isinstance(key := place.value.key, Measured) and key.dimension == "minutes"
        }
        read = read_figures(self.body.text, self.body.written_on, self.body.language)
        parts = {
            length + int(it.value) for source, end, length in found for it in read
            if source == id(self.body) and it.sort == "count" and 0 < it.start - end <= _BESIDE
        }  # fmt: skip
        return frozenset({length for _, _, length in found} | parts) - {0}

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

    def counts_days(self, claim: Claim) -> bool:
        """Return True if so many days lie between two days that the message itself names."""
        length = claim.value.key
        if not isinstance(length, Measured) or length.dimension != "days":
            return False
        told = (it for it in self.places(DATES, [self.body]) if not meets(it.value, claim.value))
        days = _days_of(told)
        return any((one - other).days == length.amount for one in days for other in days)

    def counts_from_today(self, claim: Claim) -> bool:
        """Return True if so many days lie between today and a day that is spoken of."""
        length = claim.value.key
        if not isinstance(length, Measured) or length.dimension != "days":
            return False
        days = _days_of(self.places(DATES, [self.body, *self.near]))
        return any((it - self.body.written_on).days == length.amount for it in days)


def _minutes_of(places: Iterable[Place]) -> set[int]:
    keys = (it.value.key for it in places)
    return {it.hour * 60 + it.minute for it in keys if isinstance(it, time)}


def _days_of(places: Iterable[Place]) -> set[date]:
    return {it.value.key for it in places if isinstance(it.value.key, date)}
