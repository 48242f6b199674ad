"""Weights, lengths, sizes and lengths of time, each in a unit; pure."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache

import regex

from agents.evidence.claims.distance import digits_of, slips
from agents.evidence.claims.records import Reader, Value
from inbox.extract.readers.calendar_words import articles, number_words, unit_days
from inbox.extract.readers.numbers import NUMBER, find_amounts, plain_digits, read_number
from inbox.extract.readers.times import find_times
from inbox.languages import any_of, languages, lazy_regex
from inbox.languages.model import Language

# Of each dimension the symbols, each with how many of its first one it is.
_SYMBOLS = {
    "mass": "g=1 mg=.001 kg=1000 t=1000000 lb=453.592 lbs=453.592 oz=28.3495",
    "length": "m=1 mm=.001 cm=.01 km=1000 ft=.3048 mi=1609.34",
    "area": "m²=1 m2=1 qm=1 sqm=1 km²=1000000 ha=10000",
    "volume": "l=1 L=1 ml=.001 cl=.01 hl=100 m³=1000 m3=1000 gal=3.78541",
    "data": (
        "B=1 kB=1000 KB=1000 MB=1000000 GB=1000000000 TB=1000000000000 PB=1000000000000000"
        " KiB=1024 MiB=1048576 GiB=1073741824 TiB=1099511627776"
    ),
    "data rate": "kB/s=1 KB/s=1 MB/s=1000 GB/s=1000000",
    "bit rate": "kbit/s=1 kbps=1 Mbit/s=1000 Mbps=1000 Gbit/s=1000000 Gbps=1000000",
    "power": "W=1 kW=1000 MW=1000000",
    "energy": "Wh=1 kWh=1000 MWh=1000000",
    "frequency": "Hz=1 kHz=1000 MHz=1000000 GHz=1000000000",
    "voltage": "V=1 mV=.001 kV=1000",
    "temperature": "°C=1",
    "temperature in Fahrenheit": "°F=1",
}
_YEAR = 12
_MINUTES_OF_AN_HOUR = 60
# Below this a number stands beside many units by chance.
_LEAST_TELLING = 10
_SWAPPED = 0.8


@dataclass(frozen=True, slots=True)
class Measured:
    """So much of a dimension, in its first unit; two are the same however they are written."""

    dimension: str
    amount: Decimal
    # As it is written, without its unit.
    number: Decimal = field(compare=False)


@cache
def _units() -> dict[str, tuple[str, Decimal]]:
    """Return the symbols of units, each with its dimension and its factor."""
    return {
        symbol: (dimension, Decimal(factor))
        for dimension, line in _SYMBOLS.items()
        for symbol, _, factor in (one.partition("=") for one in line.split())
    }


@cache
def _words() -> list[tuple[regex.Pattern[str], str]]:
    """Return the names of units in every language, each with its symbol."""
    return [
        (regex.compile(words, regex.IGNORECASE), symbol)
        for it in languages()
        for symbol, words in it.claims.measures.items()
    ]


def _unit_words(it: Language) -> str:
    return "|".join(it.claims.measures.values())


_MEASURE = lazy_regex(
    lambda: (
        rf"(?:(?<![\p{{L}}\d.,/:#])|(?<=\d[x×]))(?P<number>{NUMBER})[ \u00a0-]?(?P<unit>"
        rf"{'|'.join(sorted(map(regex.escape, _units()), key=len, reverse=True))}"
        rf"|(?i:{any_of(_unit_words)}))(?![\p{{L}}\d²³]|/\p{{L}})"
    )
)


def read_measures(text: str, _: date, __: str) -> list[Value]:
    """Return what a text measures, in units that stand for themselves: `23 kg`, `4TB`."""
    taken = [(it.start, it.end) for it in find_amounts(text)]
    found = []
    for match in _MEASURE.finditer(plain_digits(text)):
        value, unit = read_number(match["number"]), match["unit"]
        is_amount = any(start <= match.start() < end for start, end in taken)
        if value is not None and not is_amount:
            dimension, factor = _units().get(unit) or _units()[_symbol_of(unit)]
            key = Measured(dimension, (value * factor).normalize(), value)
            found.append(Value(key, *match.span()))
    return found


def _symbol_of(word: str) -> str:
    return next(symbol for pattern, symbol in _words() if pattern.fullmatch(word))


def near_measure(claim: Value, other: Value) -> float:
    """Return how near two measures are: swapped digits, or the same number of another unit."""
    one, two = claim.key, other.key
    assert isinstance(one, Measured) and isinstance(two, Measured)  # noqa: S101, PT018
    if one.dimension != two.dimension:
        return 0.0
    if one.number == two.number:
        return 0.9 if one.number >= _LEAST_TELLING else 0.5
    return _near_numbers(one.number, two.number)


def _near_numbers(one: Decimal, two: Decimal) -> float:
    """Return how near two numbers of the same unit are: swapped digits, a slip in a long one."""
    ours, theirs = digits_of(one), digits_of(two)
    if len(ours) > 1 and sorted(ours) == sorted(theirs):
        return _SWAPPED
    return 0.6 if min(len(ours), len(theirs)) > 1 and slips(ours, theirs) == 1 else 0.1


def is_same_dimension(one: Hashable, other: Hashable) -> bool:
    """Return True if two measures are of one dimension, so that one may stand for the other."""
    return (
        isinstance(one, Measured)
        and isinstance(other, Measured)
        and one.dimension == other.dimension
    )


_LENGTH = lazy_regex(
    lambda: (
        r"(?<![\p{L}\d.,:/#])(?P<count>\d{1,4}"
        rf"|{'|'.join(sorted(map(regex.escape, number_words()), key=len, reverse=True))})"
        rf"[ \u00a0-](?:(?P<working>{any_of(lambda it: it.claims.working_days)})"
        rf"|(?P<between>[\p{{Ll}}-]{{4,12}} )?(?:"
        rf"(?P<days>{'|'.join(sorted(map(regex.escape, unit_days()), key=len, reverse=True))})"
        rf"|(?P<months>{any_of(lambda it: it.claims.months)})"
        rf"|(?P<years>{any_of(lambda it: it.claims.years)})"
        rf"|(?P<minutes>{any_of(lambda it: it.clock.minutes)})"
        rf"|(?P<hours>{any_of(lambda it: it.clock.hours)})))(?!\p{{Latin}})"
    ),
    regex.IGNORECASE,
)


def read_lengths(text: str, _: date, __: str) -> list[Value]:
    """Return the lengths of time in a text: `within 30 days`, `two years`, `48 hours`."""
    times = [(it.start, it.end) for it in find_times(text)]
    return [
        it for it in _lengths(plain_digits(text))
        if not any(start < it.end and it.start < end for start, end in times)
    ]  # fmt: skip


def _lengths(text: str) -> Iterator[Value]:
    # "16 h 30" is no length.
    times = [it for it in find_times(text) if it.at.minute]
    for match in _LENGTH.finditer(text, overlapped=True):
        count = match["count"].lower()
        is_time = any(it.start < match.end() and match.start() < it.end for it in times)
        is_other = is_time or (match["between"] or "").strip() in number_words()
        if count in articles() or is_other:
            continue
        number = Decimal(count if count.isdigit() else number_words()[count])
        yield Value(_length_of(match, number), *match.span())


def _length_of(match: regex.Match[str], number: Decimal) -> Measured:
    if match["working"]:
        return Measured("working days", number, number)
    if match["days"]:
        return Measured("days", number * unit_days()[match["days"].lower()], number)
    if match["months"] or match["years"]:
        return Measured("months", number * (_YEAR if match["years"] else 1), number)
    factor = _MINUTES_OF_AN_HOUR if match["hours"] else 1
    return Measured("minutes", number * factor, number)


def near_length(claim: Value, other: Value) -> float:
    """Return how near two lengths of time are: swapped digits, or the same number of others."""
    one, two = claim.key, other.key
    assert isinstance(one, Measured) and isinstance(two, Measured)  # noqa: S101, PT018
    if one.number == two.number:
        return 0.4
    # Texts name many terms: of a few days more or less another one is meant.
    near = _near_numbers(one.number, two.number) if one.dimension == two.dimension else 0.0
    return near if near >= _SWAPPED else 0.0


def may_be_the_same_length(one: Hashable, other: Hashable) -> bool:
    """Return True if one length of time may stand for another: in other units as many of them."""
    return is_same_dimension(one, other) or (
        isinstance(one, Measured) and isinstance(other, Measured) and one.number == other.number
    )


MEASURES = Reader(
    "quantity", read_measures, near_measure, may_be_open=True,
    is_alike=is_same_dimension,
)  # fmt: skip
LENGTHS = Reader(
    "quantity", read_lengths, near_length, tells_nowhere=False, may_be_open=True,
    is_alike=may_be_the_same_length,
)  # fmt: skip
