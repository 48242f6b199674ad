"""Numbers of something: people, nights, pieces, percent; pure."""

from decimal import Decimal
from functools import cache

import regex

from inbox.extract import roles
from inbox.extract.fields import Field
from inbox.extract.labels import Candidate
from inbox.extract.meanings import expression_for
from inbox.extract.readers.calendar_words import articles, number_words
from inbox.extract.readers.numbers import NUMBER, plain_digits, read_number
from inbox.languages import any_of, lazy_regex, words_of


@cache
def _count() -> str:
    return rf"(?<![\p{{Latin}}\d.,:/#-])(?P<count>{NUMBER}|(?:{_word()})(?!\p{{L}}))"


@cache
def _word() -> str:
    return "|".join(sorted(number_words(), key=len, reverse=True))


@cache
def _adjectives() -> str:
    """Return what may stand between a number and its noun: "3 new chairs", "2026 for two"."""
    small = any_of(lambda it: it.counts.not_adjectives)
    return rf"(?:\s?-?\s?(?:(?!{small}\s)[\p{{Ll}}-]{{2,14}}\s){{0,2}}?|\s?)"


_ORDERED = lazy_regex(
    lambda: (
        rf"{any_of(lambda it: it.counts.orders)}\s(?:\p{{L}}+\s){{0,3}}?"
        rf"(?P<count>\d{{1,5}}|(?:{_word()})(?!\p{{L}}))\s?(?:x|×)?\s(?!€|\$|£|EUR|USD|%|"
        rf"{any_of(lambda it: it.counts.not_ordered)})\p{{L}}"
    ),
    regex.IGNORECASE,
)


def find_counts(field: Field, text: str) -> list[Candidate]:
    """Return the numbers in the text that may be what the field counts, the surest first."""
    plain = plain_digits(text)
    unit = field.role(roles.counts())
    found = [*_labelled(field, plain)]
    if unit:
        found += _with_unit(plain, roles.unit(unit), 0.9)
    if unit == "pieces":
        found += [_candidate(it, 0.75) for it in _ORDERED.finditer(plain)]
    if own := _own_words(field):
        found += _with_unit(plain, own, 0.8)
    return sorted(found, key=lambda it: (-it.sure, it.start))


def _with_unit(text: str, unit: str, sure: float) -> list[Candidate]:
    pattern = regex.compile(
        rf"{_count()}{_adjectives()}(?:{unit})(?!\p{{Latin}})", regex.IGNORECASE
    )
    return [_candidate(match, sure) for match in pattern.finditer(text, timeout=0.5)]


def _own_words(field: Field) -> str:
    generic = words_of(lambda it: it.schemas.count_words)
    words = [word for word in field.words.split() if word not in generic]
    return "|".join(regex.escape(word) for word in words if len(word) > 2)


def _labelled(field: Field, text: str) -> list[Candidate]:
    """Find `Quantity: 3`, `rating is 4`, `floor 2`, and the same by the field's title."""
    names = [expression_for(field.words)]
    if title := str(field.schema.get("title", "")).lower():
        names.append(regex.escape(title))
    if field.role(roles.counts()) == "pieces":
        names.append(any_of(lambda it: it.counts.quantities))
    if field.role(roles.counts()) == "people":
        names.append(any_of(lambda it: it.counts.parties))
    pattern = regex.compile(
        (
            rf"(?<!\p{{Latin}})(?:{'|'.join(names)})(?:\s{any_of(lambda it: it.counts.are)})?"
            rf"\s?[:\uff1a=#]?\s?(?P<count>{NUMBER})(?!\s?:\d|/\d+[/.]|[\p{{Latin}}-])"
        ),
        regex.IGNORECASE,
    )
    return [_candidate(match, 0.95) for match in pattern.finditer(text, timeout=0.5)]


def _candidate(match: regex.Match[str], sure: float) -> Candidate:
    word = match["count"].lower()
    value = Decimal(number_words()[word]) if word in number_words() else read_number(word)
    if word in articles():
        sure *= 0.6
    return Candidate(
        value, match.start("count"), match.end("count"), sure if value is not None else 0.0
    )
