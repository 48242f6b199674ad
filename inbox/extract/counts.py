"""Numbers of something: people, nights, pieces, percent; pure."""

from decimal import Decimal

import regex

from inbox.extract.calendar_words import NUMBER_WORDS
from inbox.extract.fields import Field
from inbox.extract.labels import Candidate
from inbox.extract.meanings import expression_for
from inbox.extract.numbers import NUMBER, plain_digits, read_number
from inbox.extract.roles import COUNT_FIELDS, COUNT_UNITS

_WORD = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_COUNT = rf"(?<![\p{{Latin}}\d.,:/#-])(?P<count>{NUMBER}|(?:{_WORD})(?!\p{{L}}))"
# Between a number and its noun: "3 new chairs", but not "2026 for two guests".
_ADJECTIVES = (
    r"(?:\s?-?\s?(?:(?!(?:for|to|and|or|the|of|in|on|at|with|from|by|is|are|für|und|"
    r"oder|von|bis|mit|im|am|para|pour|et|y)\s)"
    r"[\p{Ll}-]{2,14}\s){0,2}?|\s?)"
)
_ORDERED = regex.compile(
    r"(?:order(?:ed|ing)?|buy|need|want|purchase|quote for|send (?:us|me)|like|"
    r"bestell\w*|brauche\w*|benötig\w*|kaufen|"
    r"möchte\w*|hätten? gern\w*|angebot (?:für|über)|command\w+|acheter|besoin de|"
    r"pedir|comprar|necesit\w+)\s(?:\p{L}+\s){0,3}?"
    rf"(?P<count>\d{{1,5}}|(?:{_WORD})(?!\p{{L}}))\s?(?:x|×)?\s(?!€|\$|£|EUR|USD|%|"
    rf"Uhr|am\b|pm\b|days?|weeks?|tage)\p{{L}}",
    regex.IGNORECASE,
)
_GENERIC = frozenset(
    [
        "number",
        "count",
        "of",
        "how",
        "many",
        "amount",
        "total",
        "anzahl",
        "der",
        "die",
        "the",
        "num",
        "no",
        "in",
        "value",
        "size",
    ]
)


def find_counts(field: Field, text: str) -> list[Candidate]:
    """Return the numbers in the text that may be what the field counts, the surest first."""
    plain = plain_digits(text)
    unit = field.role(COUNT_FIELDS)
    found = [*_labelled(field, plain)]
    if unit:
        found += _with_unit(plain, COUNT_UNITS[unit].pattern, 0.9)
    if unit == "pieces":
        found += [_candidate(it, 0.75) for it in _ORDERED.finditer(plain)]
    if own := _own_words(field):
        found += _with_unit(plain, own, 0.8)
    return sorted(found, key=lambda it: (-it.sure, it.start))


def _with_unit(text: str, unit: str, sure: float) -> list[Candidate]:
    pattern = regex.compile(rf"{_COUNT}{_ADJECTIVES}(?:{unit})(?!\p{{Latin}})", regex.IGNORECASE)
    return [_candidate(match, sure) for match in pattern.finditer(text, timeout=0.5)]


def _own_words(field: Field) -> str:
    words = [word for word in field.words.split() if word not in _GENERIC]
    return "|".join(regex.escape(word) for word in words if len(word) > 2)


def _labelled(field: Field, text: str) -> list[Candidate]:
    """Find `Quantity: 3`, `rating is 4`, `floor 2`, and the same by the field's title."""
    names = [expression_for(field.words)]
    if title := str(field.schema.get("title", "")).lower():
        names.append(regex.escape(title))
    if field.role(COUNT_FIELDS) == "pieces":
        names.append(
            r"quantity|qty|menge|anzahl|stückzahl|quantité|cantidad|数量|個数|الكمية|العدد"
        )
    if field.role(COUNT_FIELDS) == "people":
        names.append(r"人数|عدد الأشخاص|personenzahl|party size")
    pattern = regex.compile(
        (
            rf"(?<!\p{{Latin}})(?:{'|'.join(names)})(?:\s(?:is|ist|of|von|was|es|est|"
            rf"lautet))?\s?[:\uff1a=#]?\s?(?P<count>{NUMBER})(?!\s?:\d|/\d+[/.]|[\p{{Latin}}-])"
        ),
        regex.IGNORECASE,
    )
    return [_candidate(match, 0.95) for match in pattern.finditer(text, timeout=0.5)]


def _candidate(match: regex.Match[str], sure: float) -> Candidate:
    word = match["count"].lower()
    value = Decimal(NUMBER_WORDS[word]) if word in NUMBER_WORDS else read_number(word)
    if word in {"a", "an", "ein", "eine", "einen", "einem", "einer", "un", "une", "una"}:
        sure *= 0.6
    return Candidate(
        value, match.start("count"), match.end("count"), sure if value is not None else 0.0
    )
