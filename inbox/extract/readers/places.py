"""Postal addresses in a text, whole and in parts, and where something takes place; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import regex

from inbox.extract.readers.contacts import Found
from inbox.languages import any_of, languages, lazy_regex


@dataclass(frozen=True, slots=True)
class FoundAddress:
    """A postal address as written, and its parts; "" where one is not there."""

    text: str
    start: int
    end: int
    street: str = ""
    postcode: str = ""
    city: str = ""
    country: str = ""


@cache
def _countries() -> str:
    return any_of(lambda it: it.places.countries)


_GAP = r"(?:,[ \t]*\n?|[ \t]*\n)[ \t]*"
_CODE = r"(?:(?:D|A|CH|DE|AT)[- ])?(?P<postcode>\d{5})[ ]"


def _city() -> str:
    return (
        rf"\p{{Lu}}[\p{{L}}.'’-]+(?:[ -](?:{any_of(lambda it: it.places.city_joints)}|"
        r"\p{Lu}[\p{L}.'’-]+)){0,3}"
    )


# A line, or the part of one between bars, that ends in a postal code and a town.
_LOOSE = (
    r"(?<=^|\n|[|·•][ ])(?P<street>\p{Lu}[^\n|@·:]{2,40}?\d{1,4}[A-Za-z]?)(?:[ ]?[-–·|,][ ]|\n)"
    r"(?:(?:D|A|CH|DE|AT|F|I|E|NL|B|SE|S|PL|PT)[- ])?"
    r"(?P<postcode>\d{5}|\d{4}[ ]?[A-Z]{2}|\d{2}-\d{3}|\d{4}-\d{3}|\d{3}[ ]\d{2}|\d{4})"
    r"[ ](?P<city>{city}){country}"
)
_BRITISH = (
    r"(?<=^|\n|[|·•][ ])(?P<street>(?:\p{Lu}|\d)[^\n|@:]{3,60}),[ ](?P<city>{city}),?[ ]"
    r"(?P<postcode>[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z]{2})(?![A-Z\d])"
)


@cache
def _addresses() -> tuple[regex.Pattern[str], ...]:
    """Return the forms of addresses, each tried where none before it has matched."""
    name = r"\p{Lu}[\p{L}.-]+"
    named = rf"(?<![\p{{L}}\d])(?P<street>{name}(?:[ ]{name}){{0,2}}[ ]\d{{1,4}}[ ]?[a-z]?)"
    forms = [it.places.addresses for it in languages() if it.places.addresses]
    forms.append(f"{named}{{gap}}{_CODE}(?P<city>{{city}}){{country}}")
    forms += [_LOOSE, _BRITISH]
    forms += [it.places.streets for it in languages() if it.places.streets]
    parts = {
        "{gap}": _GAP, "{city}": _city(),
        "{country}": rf"(?:[,\n]\s?[ \t]*(?P<country>{_countries()})(?![\p{{L}}]))?",
    }  # fmt: skip
    return tuple(regex.compile(_filled_in(form, parts)) for form in forms)


def _filled_in(form: str, parts: Mapping[str, str]) -> str:
    for name, part in parts.items():
        form = form.replace(name, part)
    return form


_CITY_LINE = lazy_regex(
    lambda: rf"(?<![\p{{L}}\d])(?:D-|A-|CH-)?(?P<postcode>\d{{5}})[ ](?P<city>{_city()})"
)
_ROOM = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}}){any_of(lambda it: it.places.at)}\s"
        rf"(?P<place>(?i:{any_of(lambda it: it.places.our)}\s)?(?:\p{{Lu}}[\p{{L}}'’-]*\s){{0,3}}"
        rf"(?i:{any_of(lambda it: it.places.rooms)})(?![\p{{L}}])"
        rf"(?:\s{any_of(lambda it: it.places.rooms_in)}\s\p{{Lu}}[\p{{L}}-]+|\s[A-Z]?\d[\w.-]*|"
        rf"\s[A-Z](?!\p{{L}}))?(?:\s{any_of(lambda it: it.places.rooms_in)}\s\p{{Lu}}[\p{{L}}-]+)?)"
        rf"|(?P<place>(?i:{any_of(lambda it: it.places.numbered)})\s(?:[A-Z]?\d[\w.-]*|"
        rf"[A-Z])(?![\p{{L}}\d]))|(?P<place>{any_of(lambda it: it.places.room_forms)})"
    )
)


@lru_cache(maxsize=32)
def find_postal_addresses(text: str) -> list[FoundAddress]:
    """Return the postal addresses in the text, in order."""
    found: list[FoundAddress] = []
    for pattern in _addresses():
        for match in pattern.finditer(text, timeout=0.5):
            if any(match.start() < it.end and it.start < match.end() for it in found):
                continue
            parts = {name: (value or "").strip(" ,") for name, value in match.groupdict().items()}
            written = regex.sub(r"\s*\n\s*", ", ", match[0].strip(" ,\n")).replace(",,", ",")
            found.append(FoundAddress(written, match.start(), match.end(), **_known(parts)))
    return sorted(found, key=lambda it: it.start)


def _known(parts: dict[str, str]) -> dict[str, str]:
    return {name: parts.get(name, "") for name in ("street", "postcode", "city", "country")}


def find_city_lines(text: str) -> list[FoundAddress]:
    """Return the lines of a postal code and a town that stand without a street."""
    return [
        FoundAddress(it[0], it.start(), it.end(), "", it["postcode"], it["city"])
        for it in _CITY_LINE.finditer(text)
    ]


def find_country(text: str) -> Found | None:
    """Return the one country that the text names."""
    found = list(regex.finditer(rf"(?<!\p{{L}}){_countries()}(?!\p{{L}})", text))
    return (
        Found(found[0][0], found[0].start(), found[0].end(), 0.6)
        if len({it[0] for it in found}) == 1
        else None
    )


def find_rooms(text: str) -> list[Found]:
    """Return rooms and houses in which something is to take place."""
    return [
        Found(it["place"].strip(" ."), it.start("place"), it.end("place"), 0.75)
        for it in _ROOM.finditer(text, timeout=0.5)
    ]
