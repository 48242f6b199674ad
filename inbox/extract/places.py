"""Postal addresses in a text, whole and in parts, and where something takes place; pure."""

from dataclasses import dataclass
from functools import lru_cache

import regex

from inbox.extract.contacts import Found


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


_COUNTRIES = (
    "Germany|Deutschland|Allemagne|Alemania|Austria|Österreich|Switzerland|Schweiz|"
    "Suisse|France|Frankreich|Francia|Spain|España|Spanien|"
    "Italy|Italien|Italia|United Kingdom|UK|England|Scotland|Ireland|USA|United "
    "States|Canada|Japan|日本|Netherlands|Niederlande|Belgium|"
    "Belgien|Denmark|Dänemark|Sweden|Schweden|Norway|Norwegen|Poland|Polen|"
    "Portugal|Australia|New Zealand|India|China|Egypt|مصر|"
    "United Arab Emirates|UAE|الإمارات|Saudi Arabia|السعودية|Mexico|México|Brazil"
)
_COUNTRY = rf"(?:[,\n]\s?[ \t]*(?P<country>{_COUNTRIES})(?![\p{{L}}]))?"
_GAP = r"(?:,[ \t]*\n?|[ \t]*\n)[ \t]*"
_CITY = (
    r"\p{Lu}[\p{L}.'’-]+(?:[ -](?:am|an der|a\.|im|in|ob|upon|on|la|de|der|bei|"
    r"\p{Lu}[\p{L}.'’-]+)){0,3}"
)
_GERMAN_STREET = (
    r"(?:\p{Lu}[\p{L}.-]*(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|ufer|"
    r"damm|markt|hof|berg|graben|stieg|chaussee)"
    r"|(?:\p{Lu}[\p{L}.-]+[ ]){1,3}(?:Straße|Strasse|Str\.|Weg|Platz|Allee|Ring|"
    r"Ufer|Damm)|(?:Am|An der|Im|In der|Unter den|Auf der|Zum|Zur|Alter|Neuer|"
    r"Alte)[ ]\p{Lu}[\p{L}-]+)"
    r"[ ]\d{1,4}[ ]?[a-zA-Z]?(?:[-/]\d{1,4}[a-z]?)?(?![\p{L}\d])"
)
_ENGLISH_STREET = (
    r"(?:(?:Suite|Unit|Flat|Apt\.?)[ ][\w-]+,[ ])?\d{1,5}[A-Za-z]?(?:[ "
    r"](?:[NSEW]\.?|\p{Lu}[\p{L}.'’-]+)){1,4}[ ]"
    r"(?:Street|St\.?|Road|Rd\.?|Avenue|Ave\.?|Lane|Ln\.?|Drive|Dr\.?|Way|Court|"
    r"Ct\.?|Place|Pl\.?|Square|Sq\.?|Boulevard|Blvd\.?|Terrace|Close|Row|Hill|"
    r"Parkway|Pkwy|Gardens|Crescent|Wharf|Quay|Mews)"
    r"(?![\p{L}])(?:,?[ ](?:Suite|Unit|Apt\.?|Floor|#)[ ]?[\w-]+)?"
)
_FRENCH_STREET = (
    r"\d{1,4}(?:[ ](?:bis|ter))?,?[ ](?:rue|avenue|av\.|boulevard|bd|place|chemin|"
    r"allée|quai|impasse|route)[ ][\p{L}’' -]{2,50}"
)
_SPANISH_STREET = (
    r"(?:Calle|C/|Avenida|Avda\.?|Av\.|Plaza|Paseo|Camino|Ronda)[ ]?[\p{L}’' "
    r"]{2,40},?[ ](?:n\.?º[ ]?)?\d{1,4}(?:[,][ ]?\d{1,2}[.ºª]*[ ]?\p{Lu}?)?"
)
_UK_CODE = r"[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z]{2}"
_ADDRESSES = [
    regex.compile(
rf"(?<![\p{{L}}\d])(?P<street>{_GERMAN_STREET}){_GAP}(?:(?:D|A|CH|DE|AT)[- "
rf"])?(?P<postcode>\d{{4,5}})[ ](?P<city>{_CITY}){_COUNTRY}"
),
    regex.compile((
rf"(?<![\p{{L}}\d])(?P<street>{_FRENCH_STREET}){_GAP}(?P<postcode>\d{{5}})[ "
rf"](?P<city>{_CITY}(?:[ ]Cedex(?:[ ]\d+)?)?){_COUNTRY}"
), regex.IGNORECASE),
    regex.compile(
rf"(?<![\p{{L}}\d])(?P<street>{_SPANISH_STREET}){_GAP}(?P<postcode>\d{{5}})[ "
rf"](?P<city>{_CITY}){_COUNTRY}"
),
    regex.compile(
        rf"(?<![\p{{L}}\d.,])(?P<street>{_ENGLISH_STREET})(?:{_GAP}(?P<city>{_CITY})(?:"
rf"{_GAP}|[ ])(?:(?:[A-Z]{{2}}[ ])?(?P<postcode>\d{{5}}(?:-\d{{4}})?)|"
rf"(?P<postcode>{_UK_CODE})|[A-Z]{{2,3}}[ ](?P<postcode>\d{{4}})){_COUNTRY}"
        rf"|{_GAP}(?P<city>{_CITY})(?=[,.\n]|$){_COUNTRY})?"
    ),
    regex.compile(
rf"(?<![\p{{L}}\d])(?P<street>\p{{Lu}}[\p{{L}}.-]+(?:[ "
rf"]\p{{Lu}}[\p{{L}}.-]+){{0,2}}[ ]\d{{1,4}}[ ]?[a-z]?){_GAP}(?:(?:D|A|CH|DE|"
rf"AT)[- ])?(?P<postcode>\d{{5}})[ ](?P<city>{_CITY}){_COUNTRY}"
),
    regex.compile(rf"(?<![\p{{L}}\d])(?P<street>{_GERMAN_STREET})(?=[\s,.)]|$)"),
    regex.compile(
r"(?:〒\s?(?P<postcode>\d{3}-\d{4})\s{0,2}\n?)(?P<street>(?P<city>[\p{Han}]{2,4}["
r"都道府県][\p{Han}ァ-ヶー]{1,6}?[市区町村])[^\n、。]{2,40})"
),
    regex.compile(
r"(?P<street>(?P<city>(?:東京都|北海道|(?:京都|大阪)府|"
r"[\p{Han}]{2,3}県)[\p{Han}ァ-ヶー]{1,6}?[市区町村])[^\n、。\s]{2,40})"
),
]  # fmt: skip
_CITY_LINE = regex.compile(
    rf"(?<![\p{{L}}\d])(?:D-|A-|CH-)?(?P<postcode>\d{{5}})[ ](?P<city>{_CITY})"
)
_ROOM = regex.compile(
    r"(?<!\p{L})(?:at|in|im|bei|bei uns in|in der|à|au|en|"
    r"dans)\s(?P<place>(?i:(?:our|your|the|unserem|unserer|eurem|ihrem|ihrer|dem|"
    r"der)\s)?"
    r"(?:\p{Lu}[\p{L}'’-]*\s){0,3}(?i:(?:meeting |conference |show)?room|office|"
    r"café|cafe|hall|restaurant|hotel|headquarters|showroom|warehouse|studio|"
    r"library|workshop|"
    r"(?:besprechungs|konferenz|sitzungs)?raum|büro|saal|halle|werkstatt|filiale|"
    r"laden|geschäft|salle|bureau|oficina|sala)(?![\p{L}])"
    r"(?:\s(?:in|im)\s\p{Lu}[\p{L}-]+|\s[A-Z]?\d[\w.-]*|"
    r"\s[A-Z](?!\p{L}))?(?:\s(?:in|im)\s\p{Lu}[\p{L}-]+)?)"
    r"|(?P<place>(?i:room|raum|saal|salle|sala)\s(?:[A-Z]?\d[\w.-]*|"
    r"[A-Z])(?![\p{L}\d]))|(?P<place>(?:第\d)?[\p{Han}\p{Katakana}ー\d]{0,8}(?:会議室|"
    r"応接室)[A-Z\d]{0,3})"
)


@lru_cache(maxsize=32)
def find_postal_addresses(text: str) -> list[FoundAddress]:
    """Return the postal addresses in the text, in order."""
    found: list[FoundAddress] = []
    for pattern in _ADDRESSES:
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
    found = list(regex.finditer(rf"(?<!\p{{L}})(?:{_COUNTRIES})(?!\p{{L}})", text))
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
