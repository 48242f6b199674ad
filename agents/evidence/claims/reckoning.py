"""What the figures of a message follow from: its own workings, and those of its sources; pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import combinations, permutations

import regex

from agents.evidence.claims.arithmetic import (
    Explained,
    Group,
    by_steps,
    explain,
    percentages,
    whole_numbers,
)
from agents.evidence.claims.distance import digits_of
from agents.evidence.claims.readers.figures import (
    AMOUNTS,
    BARE_NUMBERS,
    Counted,
    Money,
    near_amount,
)
from agents.evidence.claims.readers.measures import Measured
from agents.evidence.claims.readers.spans import Spans
from agents.evidence.claims.records import Cited, Claim, Figure, Place, Reader, Source, Value, meets
from agents.evidence.claims.sentences import sentence_around
from agents.evidence.claims.shares import (
    figures_around,
    figures_of_rows,
    follows_from,
    line_around,
)
from agents.evidence.claims.tables import cells_apart
from agents.evidence.claims.totals import names_total
from agents.evidence.claims.wording.discounts import names_discount
from agents.evidence.claims.workings import Workings, read_figures
from inbox.languages import any_of, lazy_regex

# An amount of so many digits is another one's slip rather than worked out in some way.
_LONG, _SLIP = 4, 0.8
# So much is left of another number by chance hardly ever.
_TELLING = 1000
# A number that a table has without its currency.
_WRITTEN = lazy_regex(r"[.,]\d\d$|\d[.,'’\u00a0 ]\d{3}$")
_ROUGHLY = lazy_regex(
    lambda: rf"(?<!\p{{L}}){any_of(lambda it: it.claims.roughly)}\W{{0,3}}\Z", regex.IGNORECASE
)
_DIGITS = lazy_regex(r"(?<![\d.,])\d{1,5}(?:[.,]\d{1,2})?(?![\d])")
# Words for what is rounded stand so near before it.
_BEFORE = 24
_HALF = Decimal("0.5")
# Of more amounts that no source has only so many are worked out.
_MOST_EXPLAINED = 12
# So much at least an amount of another text is that others are made of.
_LEAST_BASE = 25
# A credit is looked for among so many amounts.
_MOST_OF_CREDITS = 60
_COMMON, _MOST_ALIKE = 8, 40
# A total is of so many parts at least.
_PARTS = 3


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
    def spans(self) -> Spans:
        """The lengths of time that the message works out."""
        return Spans(self.body, self.near, self.every, self.places)

    @cached_property
    def workings(self) -> Workings:
        """The figures of the message, and which of them follow from others."""
        return Workings(self.body.text, self._figures_of(self.body), self._numbers[1])

    def shows(self, claim: Claim) -> bool:
        """Return True if a figure has its part in what the message works out."""
        return claim.part == "body" and self.workings.shows(claim.value.start, claim.value.end)

    def counts(self, claim: Claim) -> bool:
        """Return True if a source has the number of a quantity, whatever it says it is of."""
        key = claim.value.key
        if isinstance(key, Measured) and self._has_other_unit(claim, key):
            return False
        number = key.number if isinstance(key, Counted | Measured) else None
        return number is not None and number in self._told_numbers

    def _has_other_unit(self, claim: Claim, key: Measured) -> bool:
        """Return True if a source has the number of a measure in another unit."""
        keys = (it.value.key for it in self.places(claim.reader, self.every()))
        return any(
            isinstance(it, Measured) and it.number == key.number and it != key for it in keys
        )

    @cached_property
    def _told_numbers(self) -> frozenset[Decimal]:
        """The numbers of all sources, in digits or in words."""
        found = {
            it.value for one in self.every() for it in self._figures_of(one) if it.sort == "count"
        }
        digits = (it for one in self.every() for it in _DIGITS.findall(one.text))
        return frozenset(found | {Decimal(it.replace(",", ".")) for it in digits})

    def follows_from_alike(self, claim: Claim) -> bool:
        """Return True if a quantity is the sum, the rest, a multiple or a share of others like it.

        One of them, or the number, stands in the message itself, or both in one source.
        """
        wanted = _number_of(claim.value)
        if wanted is None:
            return False
        reader, start = claim.reader, claim.value.start
        body = [it for it in self.places(reader, [self.body]) if it.value.start != start]
        own = _alike(claim, body)
        groups = [_alike(claim, self.places(reader, [one])) for one in self.every()]
        every = [*own, *(it for group in groups for it in group)]
        factors = [*whole_numbers([self.body.text]), *_inverse(whole_numbers([self.body.text]))]
        factors += [share for rate in self.rates for share in _shares_of(rate)]
        if any(it * factor == wanted for it in every for factor in factors):
            return True
        pairs = [(own, every), *((group, group) for group in groups)]
        counts = whole_numbers([self.body.text])
        if any(one * other == wanted for one in counts for other in counts):
            return True
        if self._is_rest_of_counts(claim, wanted):
            return True
        return any(
            wanted in (one + other, abs(one - other)) and one != other
            for some, others in pairs for one in some for other in others
        )  # fmt: skip

    def _is_rest_of_counts(self, claim: Claim, wanted: Decimal) -> bool:
        """Return True if a long number is what one of the message leaves of a source's."""
        if wanted < _TELLING:
            return False
        counted = (it for it in self._figures_of(self.body) if it.sort != "rate")
        own = {it.value for it in counted if not claim.value.start <= it.start < claim.value.end}
        told = {
            it.value for one in self.every() for it in self._figures_of(one) if it.sort != "rate"
        }
        return any(wanted + it in told for it in own)

    def share(self, claim: Claim) -> Cited | None:
        """Return what a percentage is the share or the change of."""
        rate = claim.value.key
        assert isinstance(rate, Decimal)  # noqa: S101
        own = self.workings.figures if claim.part == "body" else ()
        near = figures_around(own, claim.value.start, claim.value.end)
        if pair := follows_from(rate, claim.words, near):
            return Place(self.body, Value("", pair[0].start, pair[0].end)).cited
        if self._is_of_total(rate, claim):
            return Place(self.body, claim.value).cited
        line = line_around(claim.text, claim.value.start, claim.value.end)
        texts = ((one.text, self._figures_of(one)) for one in self.every())
        for row in figures_of_rows(line, texts):
            if follows_from(rate, claim.words, row):
                return Cited("proposal", "", " ".join(line.split()))
        return None

    def _is_of_total(self, rate: Decimal, claim: Claim) -> bool:
        """Return True for an amount's share of all, as its sentence says, that the message adds up.

        What the amounts of a sentence or a list make together.
        """
        text, value = claim.text, claim.value
        sentence = sentence_around(text, value.start, value.end)
        if claim.part != "body" or not names_total(sentence):
            return False
        first = text.find(sentence)
        money = [it for it in self.workings.figures if it.sort == "money"]
        parts = [it for it in money if first <= it.start < first + len(sentence)]
        before = [it for it in money if it.start < first]
        sums = (
            sum((it.value for it in before[start:end]), Decimal(0))
            for start, end in combinations(range(len(before) + 1), 2) if end - start >= _PARTS
        )  # fmt: skip
        totals = [Figure(it, 0, 0, "money") for it in sums]
        return any(follows_from(rate, claim.words, [one, it]) for one in parts for it in totals)

    def is_share(self, claim: Claim) -> bool:
        """Return True if a percentage is the share of two counts of its sentence: 18 of 60."""
        rate, text = claim.value.key, claim.text
        if not isinstance(rate, Decimal) or claim.part != "body":
            return False
        sentence = sentence_around(text, claim.value.start, claim.value.end)
        first = text.find(sentence)
        inside = [
            it for it in self.workings.figures
            if it.sort == "count" and first <= it.start < first + len(sentence)
        ]  # fmt: skip
        return follows_from(rate, claim.words, inside) is not None

    def _figures_of(self, source: Source) -> Sequence[Figure]:
        if id(source) not in self._figures:
            read = read_figures(cells_apart(source.text), source.written_on, source.language)
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
        own_counts = whole_numbers([self.body.text])
        own = [it for it in self._amounts_of([self.body]) if not meets(it.value, claim.value)]
        if (made := self._by_steps(claim, own, own_counts)) is not None:
            return made
        if self._is_slip(claim):
            return None
        explained = explain(claim, self._groups(claim), *self._numbers, own_counts)
        every = [*self._amounts_of(self.every()), *own]
        return (
            explained
            or self._by_steps(claim, [it for it in every if _may_be_base(it)], own_counts)
            or self._rest(claim, own, every)
            or self._less_a_rate(claim, every)
        )

    def _less_a_rate(self, claim: Claim, every: Sequence[Place]) -> Explained | None:
        """Return two amounts whose difference, less a discount, is one to the cent: a credit."""
        wanted = _money_of(Place(self.body, claim.value))
        sentence = sentence_around(claim.text, claim.value.start, claim.value.end)
        if wanted.value == wanted.value.to_integral_value() or not names_discount(sentence):
            return None
        same = [it for it in every if _is_of(it, wanted.currency)][:_MOST_OF_CREDITS]
        for one, other in permutations(same, 2):
            rest = _money_of(one).value - _money_of(other).value
            if rest > wanted.value and any(
                abs(rest * (1 - rate / 100) - wanted.value) * 200 <= 1 for rate in self.rates
            ):
                return Explained((one, other))
        return None

    def _by_steps(
        self, claim: Claim, amounts: Sequence[Place], counts: Sequence[Decimal]
    ) -> Explained | None:
        """Return the amount that makes another by a number and a rate."""
        money = claim.value.key
        assert isinstance(money, Money)  # noqa: S101
        same = [it for it in amounts if _is_of(it, money.currency)]
        values = [_money_of(it).value for it in same]
        place = by_steps(money.value, values, counts, self.rates, self._tolerance(claim))
        return None if place is None else Explained((same[place],))

    def _rest(self, claim: Claim, own: Sequence[Place], every: Sequence[Place]) -> Explained | None:
        """Return an amount of the message and the one that a third is their difference of."""
        wanted, apart = _money_of(Place(self.body, claim.value)), self._tolerance(claim)
        for one in own:
            for other in every:
                rest = abs(_money_of(other).value - _money_of(one).value)
                if _is_of(other, wanted.currency) and 0 <= abs(rest - wanted.value) <= apart:
                    return Explained((one, other))
        return None

    def is_rest(self, claim: Claim, other: Place) -> bool:
        """Return True if the message has the sum of two amounts, or what is left of one."""
        one, two = _money_of(Place(self.body, claim.value)).value, _money_of(other).value
        own = {_money_of(it).value for it in self._amounts_of([self.body])}
        return not own.isdisjoint({one + two, abs(one - two)})

    def _tolerance(self, claim: Claim) -> Decimal:
        """Return how far an amount may be from what it is made of, as "about" says."""
        money = claim.value.key
        assert isinstance(money, Money)  # noqa: S101
        before = claim.text[max(0, claim.value.start - _BEFORE) : claim.value.start]
        if _ROUGHLY.search(before):
            return money.value / 50
        return Decimal("0.005")

    @cached_property
    def rates(self) -> list[Decimal]:
        """The percentages that amounts may be multiplied by: those near, and the commonest."""
        near = percentages([self.body.text, *(one.text for one in self.near)])
        common = Counter(it for one in self.every() for it in percentages([one.text]))
        return list(dict.fromkeys([*near, *(rate for rate, _ in common.most_common(_COMMON))]))

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
        """Return amounts, each once. A list may name no currency, or another one elsewhere."""
        distinct: dict[object, Place] = {}
        for source in sources:
            amounts = self.places(AMOUNTS, [source])
            for one in amounts:
                distinct.setdefault(one.value.key, one)
            for one in filter(_is_written_as_amount, self.places(BARE_NUMBERS, [source])):
                if not any(meets(one.value, it.value) for it in amounts):
                    distinct.setdefault(one.value.key, one)
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


def _may_be_base(place: Place) -> bool:
    """Return True for an amount of which others may be made; of small ones nearly all are."""
    return _money_of(place).value >= _LEAST_BASE


def _number_of(value: Value) -> Decimal | None:
    key = value.key
    if isinstance(key, Counted):
        return key.number
    return key.amount if isinstance(key, Measured) else None


def _alike(claim: Claim, places: Iterable[Place]) -> list[Decimal]:
    """Return the numbers of what is measured or counted as a claim is."""
    alike = (it.value for it in places if claim.reader.is_alike(claim.value.key, it.value.key))
    return [number for number in map(_number_of, alike) if number is not None][:_MOST_ALIKE]


def _inverse(numbers: Iterable[Decimal]) -> list[Decimal]:
    return [1 / number for number in numbers]


def _shares_of(rate: Decimal) -> tuple[Decimal, ...]:
    return rate / 100, 1 + rate / 100, 1 - rate / 100


def _is_of(place: Place, currency: str) -> bool:
    return _money_of(place).currency in {currency, ""}


def _money_of(place: Place) -> Money:
    assert isinstance(place.value.key, Money)  # noqa: S101
    return place.value.key


def _is_written_as_amount(place: Place) -> bool:
    return _WRITTEN.search(place.words) is not None
