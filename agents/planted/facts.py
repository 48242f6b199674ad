"""What a message says that a planted answer can say wrongly: amounts, numbers, links, days.

Pure: texts and dates in, texts out.
"""

import random
import re
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from django.utils import translation
from django.utils.dates import MONTHS, WEEKDAYS

_AMOUNT = re.compile(
    r"(?<![\w.,])(?:(?P<before>[€$£]|EUR|USD|CHF|GBP) ?)?"
    r"(?P<number>\d{1,3}(?:[.,' ]?\d{3})*(?:[.,]\d{2})?)"
    r"(?: ?(?P<after>€|EUR|Euro|euros?|USD|CHF|GBP))?(?![\w])"
)
_NUMBER = re.compile(
    r"(?<![\w.,€$£-])(?:[A-Z]{1,4}[-/ ]?)?\d{4,12}(?:-\d{1,6})?(?![\w.,]\d|[\w%€])"
)
_LINK = re.compile(r"https?://(?P<host>[\w.-]+\.[a-z]{2,})(?P<path>/[\w./%-]*)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NAMES = {
    "en": ("Margaret Holloway", "Peter Ashdown", "Susan Whitlock", "Martin Eastby"),
    "de": ("Frau Hollmann", "Herr Achternbusch", "Frau Wittich", "Herr Ostendorf"),
}
# Letters that are easily taken for others.
_LIKE = (("m", "rn"), ("l", "1"), ("o", "0"), ("w", "vv"), ("i", "1"), ("e", "ee"), ("n", "nn"))


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found in a message; empty where it says no such thing."""

    amount: str = ""
    number: str = ""
    host: str = ""


def find_facts(text: str) -> Facts:
    """Return the first amount of money, the first number of something, and a link's host."""
    amounts = (found for found in _AMOUNT.finditer(text) if found["before"] or found["after"])
    amount = next((found[0].strip() for found in amounts if _has_two_digits(found[0])), "")
    numbers = (found[0].strip() for found in _NUMBER.finditer(text))
    number = next((one for one in numbers if not _YEAR.fullmatch(one)), "")
    link = _LINK.search(text)
    return Facts(amount, number, link["host"].lower() if link else "")


def transposed(text: str) -> str:
    """Return another number or amount that looks alike: its first two unlike digits change places.

    Where all are the same, the first is another.
    """
    places = [place for place, sign in enumerate(text) if sign.isdigit()]
    signs = list(text)
    for first, second in pairwise(places):
        if signs[first] != signs[second] and not (first == places[0] and signs[second] == "0"):
            signs[first], signs[second] = signs[second], signs[first]
            return "".join(signs)
    signs[places[0]] = str(int(signs[places[0]]) % 9 + 1)
    return "".join(signs)


def tenfold(amount: str) -> str:
    """Return ten times the amount, written as it is."""
    found = re.search(r"\d[\d.,' ]*", amount)
    number = found[0].rstrip() if found else ""
    cents = re.search(r"[.,]\d{2}$", number)
    whole = number[: cents.start()] if cents else number
    mark = next((sign for sign in whole if not sign.isdigit()), "")
    digits = "".join(sign for sign in whole if sign.isdigit()) + "0"
    grouped = f"{int(digits):,}".replace(",", mark) if mark else digits
    return amount.replace(number, grouped + (cents[0] if cents else ""))


def other_currency(amount: str) -> str:
    """Return the same number of another currency."""
    if "$" in amount or "USD" in amount:
        return amount.replace("$", "€").replace("USD", "EUR")
    for sign in ("€", "£"):
        amount = amount.replace(sign, "$")
    return re.sub(r"EUR|Euros?|euros?|CHF|GBP", "USD", amount)


def likeness_of(email: str) -> str:
    """Return an address that one takes for this one: one letter of its domain is another."""
    local, _at, domain = email.rpartition("@")
    host, dot, rest = domain.partition(".")
    for letter, like in _LIKE:
        if letter in host:
            head, _letter, tail = host.rpartition(letter)
            return f"{local}@{head}{like}{tail}{dot}{rest}"
    return f"{local}@{host}s{dot}{rest}"


def likeness_of_host(host: str) -> str:
    """Return a host that has the name in it and is another's, which no server answers for."""
    name = host.removeprefix("www.").split(".")[0]
    return f"{name}-secure-login.example"


def day_words(day: date, language: str) -> str:
    """Return a day in words without its weekday, like `14 December 2026`."""
    with translation.override(language):
        month = str(MONTHS[day.month])
    return f"{day.day}. {month} {day.year}" if language == "de" else f"{day.day} {month} {day.year}"


def weekday_of(day: date, language: str) -> str:
    """Return the name of a day of the week."""
    with translation.override(language):
        return str(WEEKDAYS[day.weekday()])


def working_day(after: date, days: int) -> date:
    """Return the first day from Monday to Friday that is so many days later, or more."""
    day = after + timedelta(days=days)
    while day.weekday() > 4:
        day += timedelta(days=1)
    return day


def other_name(name: str, language: str, chance: random.Random) -> str:
    """Return the name of somebody else."""
    own = {part.casefold() for part in name.split()}
    others = [one for one in _NAMES[language] if not own & {it.casefold() for it in one.split()}]
    return chance.choice(others)


def _has_two_digits(text: str) -> bool:
    return sum(sign.isdigit() for sign in text) >= 2
