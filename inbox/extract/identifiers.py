"""Numbers by which things are known: of an invoice, an order, a parcel; pure."""

from functools import lru_cache

import regex

from inbox.extract.labels import Candidate
from inbox.extract.numbers import plain_digits
from inbox.extract.roles import ID_ROLES

_FILLER = (
    r"(?:[\s:\uff1a=#№(\[\"'“.°º-]|\b(?:number|numbers|no|nr|num|nummer|id|code|"
    r"reference|ref|key|is|was|lautet|ist|the|mit|der|with|"
    r"est|es|numéro|número|n)\b|番号|は|の|رقم|هو|برقم){0,8}"
)
_NUMBER = r"(?P<id>(?=[\p{L}._/-]{0,12}\d)[\p{L}\d][\p{Latin}\d]*(?:[-_/.][\p{Latin}\d]+){0,6})"
_NO_ID = regex.compile(
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d|\d{1,2}:\d\d.*|\d+(?:st|nd|rd|"
    r"th|x|h|kg|g|cm|mm|km|pm|am|%)|\d"
    r"|\d{1,3}(?:[.,]\d{3})*[.,]\d\d|\d{4}-\d\d-\d\dt.*",
    regex.IGNORECASE,
)
_PREFIXES = {
    "invoice": "INV|RE|RG|RNR|RECHNUNG|FACT?|BILL",
    "purchase": "PO",
    "order": "ORD|SO|ORDER|BEST|AUF|BE",
    "ticket": "TKT|TICKET|CASE|INC|SUP|REQ|CS",
    "customer": "KD|CUST|KDNR|CLI|CU",
    "tracking": "TRK|TRACK|1Z",
    "quote": "QUO|QT|ANG|EST|Q|OFF",
    "contract": "CTR|CON|VTR",
    "booking": "BKG|RES|BK",
    "delivery": "LS|DN",
    "project": "PRJ|PROJ",
    "article": "SKU|ART|ITEM",
    "serial": "SN",
    "insurance": "POL",
}
_PREFIXED = {
    role: regex.compile(
        rf"(?<![\p{{L}}\d/-])(?P<id>(?:{prefixes})[-_/ "
        rf"]?(?:[\p{{Latin}}\d]+[-_/.])*\d[\p{{Latin}}\d]*(?:[-_/.][\p{{Latin}}\d]+)*)(?!"
        rf"[\p{{L}}\d])"
    )
    for role, prefixes in _PREFIXES.items()
}
_FLIGHT = regex.compile(
    r"(?i:flight|flug|vol|vuelo|便名?)(?i:\s(?:number|"
    r"no\.?))?[\s:]{1,2}(?P<id>[A-Z\d]{2}\s?\d{1,4})(?!\d)"
)
# What may follow a label and be money, not a number.
_MONEY_AFTER = regex.compile(r"[\d.,]*\s?(?:€|\$|£|¥|円|EUR|USD|GBP|CHF|JPY|%|Uhr|Stück|pcs)")
_LABEL_CACHE = 512


@lru_cache(maxsize=_LABEL_CACHE)
def _labelled(label: str) -> regex.Pattern[str]:
    return regex.compile(rf"(?<!\p{{Latin}})(?:{label}){_FILLER}{_NUMBER}", regex.IGNORECASE)


def find_identifiers(text: str, role: str, label: str = "") -> list[Candidate]:
    """Return the numbers of this role: those that are called so, then those with its prefix.

    `label` is an expression for what else they may be called. Their order is that of the text.
    """
    plain = plain_digits(text)
    found: list[Candidate] = []
    expressions = [it for it in (label, ID_ROLES[role].pattern if role else "") if it]
    for expression in expressions:
        found += [
            _candidate(match, text, 0.95)
            for match in _labelled(expression).finditer(plain)
            if _is_identifier(match, plain)
        ]
    if role in _PREFIXED:
        spans = {it.start for it in found}
        found += [
            _candidate(match, text, 0.8)
            for match in _PREFIXED[role].finditer(plain)
            if match.start("id") not in spans
        ]
    if role == "flight":
        found += [_candidate(it, text, 0.9) for it in _FLIGHT.finditer(plain)]
    return sorted(found, key=lambda it: (-it.sure, it.start))


def _is_identifier(match: regex.Match[str], text: str) -> bool:
    word = match["id"]
    if _NO_ID.fullmatch(word) or len(word) > 40 or _MONEY_AFTER.match(text, match.start("id")):
        return False
    named = regex.search(
        r"[#:\uff1a№]|number|num|\bn[or]\b|nummer|nr\b|\bid\b|code|番号|رقم", match[0].lower()
    )
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
