"""How many of what: `12 chairs`; pure."""

from collections.abc import Hashable
from datetime import date

from agents.evidence.claims.distance import digits_of, plain
from agents.evidence.claims.readers.figures import Counted
from agents.evidence.claims.readers.measures import read_lengths, read_measures
from agents.evidence.claims.records import Reader, Value
from agents.evidence.claims.words import small_words
from inbox.extract.readers.dates import find_dates
from inbox.extract.readers.numbers import NUMBER, find_amounts, plain_digits, read_number
from inbox.languages import lazy_regex

_QUANTITY = lazy_regex(
    rf"(?<![\p{{L}}\d.,:/#№-])(?P<number>{NUMBER})[ \u00a0](?P<noun>\p{{L}}{{4,30}})"
)
# Two decimals are a price whose currency is not said ("196,00 net"), not a count.
_PRICE = lazy_regex(r".*\d[.,]\d{2}")
_STEM = 5
# Nobody counts so many by hand.
_UNCOUNTABLE = 100_000


def read_quantities(text: str, written_on: date, language: str) -> list[Value]:
    """Return how many of what a text names: `12 chairs`."""
    small = small_words(language) | small_words("")
    taken = [(it.start, it.end) for it in find_amounts(text)]
    taken += [(it.start, it.end) for it in find_dates(text, written_on, language)]
    measured = (
        *read_lengths(text, written_on, language),
        *read_measures(text, written_on, language),
    )
    taken += [(it.start, it.end) for it in measured]
    found = []
    for match in _QUANTITY.finditer(plain_digits(text)):
        value = read_number(match["number"])
        is_other = any(start <= match.start() < end for start, end in taken)
        is_other |= _PRICE.fullmatch(match["number"]) is not None
        noun = match["noun"].casefold()
        if value is None or is_other or value >= _UNCOUNTABLE or plain(noun) in small:
            continue
        found.append(Value(Counted(value.normalize(), noun[:_STEM]), *match.span()))
    return found


def near_quantity(claim: Value, other: Value) -> float:
    """Return how near two quantities are: another number of the same."""
    one, two = claim.key, other.key
    assert isinstance(one, Counted) and isinstance(two, Counted)  # noqa: S101, PT018
    if one.noun != two.noun:
        return 0.0
    ours, theirs = digits_of(one.number), digits_of(two.number)
    return 0.8 if sorted(ours) == sorted(theirs) else 0.3


def is_same_noun(one: Hashable, other: Hashable) -> bool:
    """Return True if two quantities are of the same."""
    return isinstance(one, Counted) and isinstance(other, Counted) and one.noun == other.noun


QUANTITIES = Reader(
    "quantity",
    read_quantities,
    near_quantity,
    may_be_open=True,
    is_alike=is_same_noun,
)
