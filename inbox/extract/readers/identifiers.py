"""Numbers by which things are known: of an invoice, an order, a parcel; pure."""

from functools import cache, lru_cache

import regex

from inbox.extract import roles
from inbox.extract.labels import Candidate
from inbox.extract.readers.numbers import plain_digits
from inbox.languages import any_of, lazy_regex


@cache
def _filler() -> str:
    return (
        r"(?:[\s:\uff1a=#№(\[\"'“.°º-]"
        rf"|\b{any_of(lambda it: it.numbering.fillers)}\b(?!-)"
        rf"|{any_of(lambda it: it.numbering.fillers_joined)}){{0,8}}"
    )


_NUMBER = r"(?P<id>(?=[\p{L}._/-]{0,12}\d)[\p{L}\d][\p{Latin}\d]*(?:[-_/.][\p{Latin}\d]+){0,6})"
_NO_ID = lazy_regex(
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d|\d{1,2}:\d\d.*|\d+(?:st|nd|rd|"
    r"th|x|h|kg|g|cm|mm|km|pm|am|%)|\d"
    r"|\d{1,3}(?:[.,]\d{3})*[.,]\d\d|\d{4}-\d\d-\d\dt.*",
    regex.IGNORECASE,
)


@cache
def _prefixed(role: str) -> regex.Pattern[str]:
    """Return the pattern of numbers that begin as those of the role do."""
    prefixes = roles.named(lambda it: it.numbering.prefixes, role)
    return regex.compile(
        rf"(?<![\p{{L}}\d/-])(?P<id>{prefixes}[-_/ "
        rf"]?(?:[\p{{Latin}}\d]+[-_/.])*\d[\p{{Latin}}\d]*(?:[-_/.][\p{{Latin}}\d]+)*)(?!"
        rf"[\p{{L}}\d])"
    )


# Of the Universal Postal Union (S10), and of two carriers.
_PARCEL = lazy_regex(
    r"(?<![\p{L}\d-])(?P<id>[A-Z]{2} ?\d{3} ?\d{3} ?\d{3} ?[A-Z]{2}"
    r"|1Z ?(?:[A-Z\d]{4} ?){3}[A-Z\d]{4}|(?:0034|JJD|JVGL|JD0)\d{14,18})(?![\p{L}\d])"
)
_FLIGHT = lazy_regex(
    lambda: (
        rf"(?i:{any_of(lambda it: it.numbering.flights)})"
        rf"(?i:\s{any_of(lambda it: it.numbering.flight_numbers)})?"
        r"[\s:]{1,2}(?P<id>[A-Z\d]{2}\s?\d{1,4})(?!\d)"
    )
)
# What may follow a label and be money, not a number.
_MONEY_AFTER = lazy_regex(
    lambda: (
        r"[\d.,]*\s?(?:€|\$|£|¥|EUR|USD|GBP|CHF|JPY|%"
        rf"|{any_of(lambda it: it.numbering.not_behind)})"
    )
)
_SAYS_NUMBER = lazy_regex(lambda: rf"[#:\uff1a№]|{any_of(lambda it: it.numbering.says_number)}")
_LABEL_CACHE = 512


@lru_cache(maxsize=_LABEL_CACHE)
def _labelled(label: str) -> regex.Pattern[str]:
    return regex.compile(rf"(?<!\p{{Latin}})(?:{label}){_filler()}{_NUMBER}", regex.IGNORECASE)


def find_identifiers(text: str, role: str, label: str = "") -> list[Candidate]:
    """Return the numbers of this role: those that are called so, then those with its prefix.

    `label` is an expression for what else they may be called. Their order is that of the text.
    """
    plain = plain_digits(text)
    found: list[Candidate] = []
    expressions = [it for it in (label, roles.numbers()[role].pattern if role else "") if it]
    for expression in expressions:
        found += [
            _candidate(match, text, 0.95)
            for match in _labelled(expression).finditer(plain)
            if _is_identifier(match, plain)
        ]
    if role:
        spans = {it.start for it in found}
        found += [
            _candidate(match, text, 0.8)
            for match in _prefixed(role).finditer(plain)
            if match.start("id") not in spans
        ]
    if role == "tracking":
        taken = {it.start for it in found}
        parcels = (it for it in _PARCEL.finditer(plain) if it.start("id") not in taken)
        found += [_candidate(it, text, 0.85) for it in parcels]
    if role == "flight":
        found += [_candidate(it, text, 0.9) for it in _FLIGHT.finditer(plain)]
    return sorted(found, key=lambda it: (-it.sure, it.start))


# "Previous order number".
_OF_ANOTHER = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.forms.others)})\s$", regex.IGNORECASE
)


def _is_identifier(match: regex.Match[str], text: str) -> bool:
    word = match["id"]
    if _OF_ANOTHER.search(text, max(0, match.start() - 24), match.start()):
        return False
    if _NO_ID.fullmatch(word) or len(word) > 40 or _MONEY_AFTER.match(text, match.start("id")):
        return False
    named = _SAYS_NUMBER.search(match[0].lower())
    if not named and regex.fullmatch(r"\d{1,3}|(?:19|20)\d\d", word):
        return False  # "order 12 chairs", "invoice 2026"
    # A label, then a line end, then another label's value is none of this one's.
    return match[0].count("\n") <= 1


def _candidate(match: regex.Match[str], text: str, sure: float) -> Candidate:
    start, end = match.span("id")
    while text[end - 1] in ".-/_":
        end -= 1
    return Candidate(plain_digits(text[start:end]), start, end, sure, text[start:end])


def find_matching(text: str, pattern: regex.Pattern[str]) -> list[Candidate]:
    """Return the words of the text that a schema's pattern takes as a whole.

    A pattern that takes too long over one is tried on no other.
    """
    found = []
    for match in regex.finditer(r"[\p{L}\d][^\s,;()\[\]<>\"“”]{1,60}", text):
        word = match[0].rstrip(".:!?'’")
        if not any(character.isdigit() for character in word):
            continue
        try:
            is_one = pattern.fullmatch(word, timeout=0.05)
        except TimeoutError:
            break
        if is_one:
            found.append(Candidate(word, match.start(), match.start() + len(word), 0.8, word))
    return found
