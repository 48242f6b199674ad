"""Amounts that a sentence reckons, and reckons wrongly: `30 x 62 = 1,880`; pure."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import TypeAlias

from agents.evidence.claims.arithmetic import written_like
from agents.evidence.claims.distance import digits_of, slips
from agents.evidence.claims.readers.figures import AMOUNTS
from agents.evidence.claims.records import Cited, Claim, Figure, Mark, Place

# What figures make, and how near to it an amount was meant to be it.
Made: TypeAlias = tuple[Decimal, Decimal]
# So near to what a number of times one price makes, that was meant; to a share less near.
_OF_PRODUCT, _OF_SHARE = Decimal("0.15"), Decimal("0.065")
_FURTHEST, _BESIDE = 220, 60
_CENT = Decimal("0.011")
_LARGEST = 5000


def check_sums(
    claims: Sequence[Claim], figures: Sequence[Figure], rates: Sequence[Decimal],
    found: Callable[[Claim], Sequence[Place]],
) -> Iterator[Mark]:  # fmt: skip
    """Yield a mark for each amount in no source that its sentence reckons almost.

    `figures` are those of the message's body, `rates` what may be on top without being named.
    """
    for claim in claims:
        if claim.reader is not AMOUNTS or claim.part != "body":
            continue
        before = _before(claim, figures)
        own = next((it for it in figures if it.start == claim.value.start), None)
        if own is None or not before:
            continue
        made = list(_made(before))
        if any(abs(it - own.value) <= _CENT for it, _ in made):
            continue
        meant = _total_of_products(before, made, own.value)
        if meant is None and not _is_reckoned(own.value, before, rates):
            meant = _nearest(own.value, before, made)
        if meant is not None and not found(claim):
            yield _differs(claim, meant, before)


def _is_reckoned(value: Decimal, before: Sequence[Figure], rates: Sequence[Decimal]) -> bool:
    """Return True if an amount is a sum, a difference or one with a percentage on top."""
    return any(abs(it - value) <= _CENT for it in (*_sums(before), *_taxed(before, rates)))


def _nearest(value: Decimal, before: Sequence[Figure], made: Sequence[Made]) -> Decimal | None:
    """Return what was made that an amount is nearly, and that is not told already."""
    told = [it.value for it in before if it.sort == "money"]
    near = (
        it for it, most in made
        if _is_near(value, it, most) and all(abs(it - one) > _CENT for one in told)
    )  # fmt: skip
    return min(near, key=lambda it: abs(it - value), default=None)


def _before(claim: Claim, figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures before an amount in its paragraph, the last first, of its currency."""
    start = claim.value.start
    first = max(claim.text.rfind("\n", 0, start), start - _FURTHEST)
    currency = next((it.currency for it in figures if it.start == start), "")
    return [
        it for it in reversed(figures)
        if first < it.start and it.end <= start and it.currency in {currency, ""}
    ][:8]  # fmt: skip


def _made(before: Sequence[Figure]) -> Iterator[Made]:
    """Yield what a price and a number beside it make, or an amount and a percentage behind it."""
    for place, one in enumerate(before):
        if one.sort != "money":
            continue
        for other in before:
            if other.sort == "count" and 1 < other.value <= _LARGEST and _is_beside(one, other):
                yield one.value * other.value, _OF_PRODUCT
        # Behind the amount, and before what it makes.
        for rate in before[:place]:
            if rate.sort == "rate":
                share = one.value * rate.value / 100
                for it in (share, one.value + share, one.value - share):
                    yield it, _OF_SHARE


def _sums(before: Sequence[Figure]) -> Iterator[Decimal]:
    """Yield the sums and the differences of two amounts, and the sums of those in a row."""
    money = [it.value for it in before if it.sort == "money"]
    for place, one in enumerate(money):
        total = one
        for other in money[place + 1 :]:
            total += other
            yield from (one + other, abs(one - other), total)


def _total_of_products(
    before: Sequence[Figure], made: Sequence[Made], value: Decimal
) -> Decimal | None:
    """Return what the products of a sentence make together, if an amount has a slip of that."""
    money = (it.value for it in before if it.sort == "money")
    products = [it for it in money if any(abs(it - one) <= _CENT for one, _ in made)]
    total = sum(products, Decimal(0))
    apart = abs(total - value)
    is_slip = slips(digits_of(total), digits_of(value)) == 1 or len(digits_of(apart)) == 1
    return total if len(products) > 1 and is_slip and apart < total / 2 else None


def _taxed(before: Sequence[Figure], rates: Sequence[Decimal]) -> Iterator[Decimal]:
    for one in before:
        if one.sort == "money":
            yield from (one.value * (1 + rate / 100) for rate in rates)


def _is_beside(one: Figure, other: Figure) -> bool:
    return max(one.start, other.start) - min(one.end, other.end) <= _BESIDE


def _is_near(value: Decimal, made: Decimal, most: Decimal) -> bool:
    """Return True if an amount is nearly what was made, by its size or by its digits."""
    if made <= 0 or value == made:
        return False
    is_swapped = sorted(digits_of(value)) == sorted(digits_of(made)) and value < 10 * made
    return abs(value - made) <= most * made or (is_swapped and made < 10 * value)


def _differs(claim: Claim, meant: Decimal, before: Sequence[Figure]) -> Mark:
    value = claim.value
    around = " ".join(claim.text[before[-1].start : value.end].split())[:120]
    return Mark(
        "amount", "body", claim.words, value.start, value.end, "differs",
        written_like(claim.words, meant), (Cited("proposal", "", around),),
    )  # fmt: skip
