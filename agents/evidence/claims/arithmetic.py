"""What follows from figures: sums, differences, products, shares, as 377 from 348 and 29; pure."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

import regex

from agents.evidence.claims.readers.figures import (
    Money,
    near_amount,
    read_bare_numbers,
    read_percentages,
)
from agents.evidence.claims.records import Claim, Place, Value
from inbox.extract.readers.calendar_words import number_words

_CENT = Decimal("0.01")
_ROUNDED = 0.01
# So many amounts are added, taken from each other and multiplied, with so many numbers and rates.
_MOST_ADDED, _MOST_COUNTS, _MOST_RATES = 24, 30, 12
# Of more amounts nearly every other one would follow in two steps.
_MOST_OF_TWO_STEPS = 8
_LARGEST_COUNT = 5000
# As near to a sum as this, the sum was meant.
_NEARLY = 0.75


class Derived(NamedTuple):
    """An amount that follows from others, and which of these, by their places in the list."""

    value: Decimal
    of: tuple[int, ...]


class Group(NamedTuple):
    """Amounts that may be added, and multiplied before that unless it is `in_one_step`."""

    amounts: Sequence[Place]
    in_one_step: bool = False


class Explained(NamedTuple):
    """What an amount follows from; `meant` is the sum that it is not quite."""

    of: tuple[Place, ...]
    meant: Decimal | None = None


def explain(
    claim: Claim,
    groups: Iterable[Group],
    counts: Sequence[Decimal],
    rates: Sequence[Decimal],
    own_counts: Sequence[Decimal] = (),
) -> Explained | None:
    """Return how an amount follows from those of a group, or nearly does; None: in no way.

    The first group is the message's own amounts. `counts` and `rates` (in per cent) are by what
    amounts may be multiplied, `own_counts` those that the message itself names: of two steps, each
    by any number that stands somewhere, nearly every amount would follow.
    """
    money = claim.value.key
    assert isinstance(money, Money)  # noqa: S101
    nearly: Explained | None = None
    for number, group in enumerate(groups):
        same = [it for it in group.amounts if _currency_of(it) in {money.currency, ""}][
            :_MOST_ADDED
        ]
        amounts = [_amount_of(it) for it in same]
        for derived in derive(amounts, counts, rates):
            of = tuple(same[place] for place in derived.of)
            if derived.value == money.value:
                return Explained(of)
            if number == 0 and nearly is None and _is_nearly(claim.value, derived, of):
                nearly = Explained(of, derived.value)
        is_deep = not group.in_one_step and len(amounts) <= _MOST_OF_TWO_STEPS
        if is_deep and (steps := in_two_steps(money.value, amounts, own_counts, rates)):
            return Explained(tuple(same[place] for place in steps))
    return nearly


def _currency_of(place: Place) -> str:
    return place.value.key.currency if isinstance(place.value.key, Money) else ""


def _amount_of(place: Place) -> Decimal:
    return place.value.key.value if isinstance(place.value.key, Money) else Decimal(0)


def _is_nearly(claim: Value, derived: Derived, of: Sequence[Place]) -> bool:
    """Return True if an amount is a sum of the message's own amounts but for a slip."""
    is_sum = len(of) > 1 and derived.value > max(map(_amount_of, of))
    meant = Value(Money(derived.value, _currency_of(of[0])), 0, 0)
    return is_sum and near_amount(claim, meant) >= _NEARLY


def derive(
    amounts: Sequence[Decimal], counts: Sequence[Decimal], rates: Sequence[Decimal]
) -> Iterator[Derived]:
    """Yield what follows from amounts of one currency, in the order in which they stand.

    Sums of two and of a run; differences; so many times one, and one of so many; a percentage of
    one, and one with a percentage on top, off or taken out of it. Rates are in per cent.
    """
    yield from _sums(amounts)
    for (i, one), (j, two) in combinations(enumerate(amounts), 2):
        yield Derived(abs(one - two), (i, j))
    for place, value in enumerate(amounts):
        for derived in (*_by_counts(value, counts), *_by_rates(value, rates)):
            yield Derived(derived, (place,))


def in_two_steps(
    wanted: Decimal, amounts: Sequence[Decimal], counts: Sequence[Decimal], rates: Sequence[Decimal]
) -> tuple[int, ...]:
    """Return the places of two amounts whose multiples or shares add up to one; () for none."""
    made: dict[Decimal, int] = {}
    for place, value in enumerate(amounts):
        products = (value * count for count in counts)
        for derived in (value, *products, *_by_rates(value, rates)):
            made.setdefault(derived.quantize(_CENT), place)
    wanted = wanted.quantize(_CENT)
    for value, place in made.items():
        other = made.get(wanted - value)
        if other is not None and other != place:
            return place, other
    return ()


def by_steps(
    wanted: Decimal, amounts: Sequence[Decimal], counts: Iterable[Decimal],
    rates: Iterable[Decimal], apart: Decimal,
) -> int | None:  # fmt: skip
    """Return the place of an amount that, so many times and with a percentage, makes another.

    It may be so far `apart` from it.
    """
    cents, most = float(wanted) * 100, float(apart) * 100 + _ROUNDED
    factors = [1.0, *map(float, counts)]
    shares = [share for rate in map(float, rates) for share in _shares(rate / 100)]
    for place, value in enumerate(map(float, amounts)):
        for factor in factors:
            made = value * factor * 100
            if factor != 1 and abs(made - cents) <= most:
                return place
            # Far from all that a percentage makes of it.
            if not cents / 4 <= made <= cents * 100:
                continue
            if any(abs(made * share - cents) <= most for share in shares):
                return place
    return None


def _shares(rate: float) -> tuple[float, ...]:
    return rate, 1 + rate, 1 - rate, 1 / (1 + rate)


def _sums(values: Sequence[Decimal]) -> Iterator[Derived]:
    for (i, one), (j, two) in combinations(enumerate(values), 2):
        yield Derived(one + two, (i, j))
    for start, end in combinations(range(len(values) + 1), 2):
        if end - start > 2:
            yield Derived(sum(values[start:end], Decimal(0)), tuple(range(start, end)))


def _by_counts(value: Decimal, counts: Sequence[Decimal]) -> Iterator[Decimal]:
    for count in counts:
        yield value * count
        yield (value / count).quantize(_CENT)


def _by_rates(value: Decimal, rates: Sequence[Decimal]) -> Iterator[Decimal]:
    for rate in rates:
        share = value * rate / 100
        for derived in (share, value + share, value - share, value / (1 + rate / 100)):
            yield derived.quantize(_CENT)


def whole_numbers(texts: Iterable[str]) -> list[Decimal]:
    """Return the whole numbers from 2 to 5,000 that texts name, in digits or in words."""
    found: set[Decimal] = set()
    for text in texts:
        numbers = (it.key.value for it in read_bare_numbers(text) if isinstance(it.key, Money))
        found |= {number for number in numbers if number == number.to_integral_value()}
        words = set(regex.findall(r"\p{L}+", text.lower())) & number_words().keys()
        found |= {Decimal(number_words()[word]) for word in words}
    return sorted(number for number in found if 2 <= number <= _LARGEST_COUNT)[:_MOST_COUNTS]


def percentages(texts: Iterable[str]) -> list[Decimal]:
    """Return the percentages that texts name, up to a hundred; those that come first first."""
    found = dict.fromkeys(it.key for text in texts for it in read_percentages(text))
    rates = (rate for rate in found if isinstance(rate, Decimal))
    return [rate for rate in rates if 0 < rate <= 100][:_MOST_RATES]


def written_like(written: str, value: Decimal) -> str:
    """Return an amount as another one is written, with its currency and its decimal sign."""
    has_cents = regex.search(r"[.,]\d\d(?!\d)", written)
    comma = regex.search(r",\d\d(?!\d)|\.\d{3}", written)
    digits = f"{value:.2f}" if has_cents else f"{value.normalize():f}"
    digits = digits.replace(".", ",") if comma else digits
    return regex.sub(r"\d[\d.,'’\s\u00a0]*\d|\d", digits, written, count=1)
