"""Amounts of money and percentages; pure."""

from collections.abc import Hashable
from datetime import date
from decimal import Decimal
from typing import NamedTuple

import regex

from agents.evidence.claims.distance import digits_of, slips
from agents.evidence.claims.records import Reader, Value
from inbox.extract.readers.numbers import NUMBER, find_amounts, plain_digits, read_number
from inbox.languages import any_of, lazy_regex

# What people say of everything, nothing and half of it.
_IDIOMS = frozenset(map(Decimal, (0, 50, 99, 100)))
_BARE = lazy_regex(rf"(?<![\p{{L}}\d.,:/-]){NUMBER}(?![\d/:]|[.,]\d|\s?%)")
_PERCENTAGE = lazy_regex(
    lambda: rf"(?<![\p{{L}}\d.,/-])(?P<number>{NUMBER})[ \t\u00a0]?"
    rf"(?:%|{any_of(lambda it: it.claims.per_cent)}(?!\p{{L}}))",
    regex.IGNORECASE,
)  # fmt: skip

_COLUMN = lazy_regex(r"[ \t]{2}\d[\d.,'’\u00a0 ]*[.,]\d\d")


class Money(NamedTuple):
    """An amount; the currency is empty for a bare number."""

    value: Decimal
    currency: str


class Counted(NamedTuple):
    """How many of what; the noun by its beginning, in lower case."""

    number: Decimal
    noun: str


def read_amounts(text: str, _: date, __: str) -> list[Value]:
    """Return the amounts of money in a text."""
    return [
        Value(Money(it.value.normalize(), it.currency), it.start, it.end)
        for it in find_amounts(text)
    ]


def read_bare_numbers(text: str) -> list[Value]:
    """Return the numbers without a currency: a table names that above its column."""
    found = []
    for match in _BARE.finditer(plain_digits(text)):
        value = read_number(match[0])
        if value is not None:
            found.append(Value(Money(value.normalize(), ""), *match.span()))
    return found


def read_columns(text: str) -> list[Value]:
    """Return the numbers with cents in the columns of a text all of whose amounts are of one money.

    A table names its currency once, or beside the total alone.
    """
    amounts = find_amounts(text)
    currencies = {it.currency for it in amounts}
    if len(currencies) != 1:
        return []
    currency = next(iter(currencies))
    return [
        Value(Money(it.key.value, currency), it.start, it.end)
        for it in read_bare_numbers(text)
        if isinstance(it.key, Money) and _COLUMN.fullmatch(text[it.start - 2 : it.end])
        and not any(one.start < it.end and it.start < one.end for one in amounts)
    ]  # fmt: skip


def near_amount(claim: Value, other: Value) -> float:
    """Return how near two amounts are: another currency, a slip of a digit, a shifted point."""
    one, two = claim.key, other.key
    assert isinstance(one, Money) and isinstance(two, Money)  # noqa: S101, PT018
    if one.value == two.value:
        return 0.95 if one.currency and two.currency else 1.0
    if not two.currency or one.currency != two.currency:
        return 0.0
    ours, theirs = digits_of(one.value), digits_of(two.value)
    larger, smaller = max(one.value, two.value), min(one.value, two.value)
    # Of another magnitude only the same digits are a slip, with the point elsewhere.
    is_far = larger >= 10 * smaller
    if ours == theirs or (sorted(ours) == sorted(theirs) and not is_far):
        return 0.9
    if len(ours) > 1 and slips(ours, theirs) == 1 and not is_far:
        return 0.8
    return 0.4 if smaller > 0 and larger / smaller < Decimal("1.34") else 0.0


def read_percentages(text: str, *_: object) -> list[Value]:
    """Return the percentages in a text."""
    found = []
    for match in _PERCENTAGE.finditer(plain_digits(text)):
        value = read_number(match["number"])
        if value is not None:
            found.append(Value(value.normalize(), *match.span(), value not in _IDIOMS))
    return found


def is_same_currency(one: Hashable, other: Hashable) -> bool:
    """Return True if two amounts are of one currency."""
    return isinstance(one, Money) and isinstance(other, Money) and one.currency == other.currency


# The numbers of a text that may be amounts: read for what they are compared with, and no claims.
BARE_NUMBERS = Reader("amount", lambda text, _, __: read_bare_numbers(text), lambda _, __: 0.0)
AMOUNTS = Reader("amount", read_amounts, near_amount, is_alike=is_same_currency)
PERCENTAGES = Reader("percentage", read_percentages, lambda _, __: 0.5)
