"""What is known by a number or an address: orders, bank accounts, mail addresses, phones; pure."""

from collections.abc import Hashable, Iterable
from datetime import date
from functools import lru_cache
from itertools import pairwise

import regex

from agents.evidence.claims.distance import slips
from agents.evidence.claims.records import Claim, Place, Reader, Source, Value
from inbox.extract import roles
from inbox.extract.readers.contacts import find_emails, find_phones, find_urls
from inbox.extract.readers.dates import find_dates
from inbox.extract.readers.identifiers import find_identifiers
from inbox.extract.readers.numbers import find_amounts, plain_digits
from inbox.languages import any_of, lazy_regex

_JOINTS = lazy_regex(r"[\s._/\u2010-\u2015-]+")
# Letters and digits that stand for a thing wherever they are: three digits at least, or five alone.
_CODE = lazy_regex(
    r"(?<![\p{L}\d.,/@+:=-])(?:\p{Lu}{1,6}[-/]?\d[\p{Lu}\d]*(?:[-/][\p{Lu}\d]+){0,3}"
    r"|\p{Lu}{1,3}(?:-\p{Lu}{1,3})?[ ]\d{3,4}|\p{Lu}\d{1,2}\.\d{2,3}|\d{3,14}/\p{Lu}{1,4}"
    r"|\d{3,8}/\d{3,8}|\d{5,14}(?:[-/]\d{1,8})?)"
    r"(?![\p{L}\d@]|[.,:/]\d|\s?%|-\p{L})"
)
# What looks like one and may be the name of a model, a room or a page as well.
_PERHAPS = lazy_regex(
    r"\p{Lu}+\d{1,4}|\p{Lu}{1,3}(?:-\p{Lu}{1,3})?[ ]\d{3,4}|\p{Lu}\d{1,2}\.\d{2,3}|\d{3,8}/\d{3,8}"
)
# Letters among digits, as codes of bookings are made up.
_MIXED = lazy_regex(r"(?=.{6,12}$)(?=\p{Lu}*\d+\p{Lu})[\p{Lu}\d]+")
_LEAST_DIGITS = 3
# What joins a code to what stands beside it.
_JOINING = "-/_"
FILE_NAME = lazy_regex(
    r"(?<![\w/.@-])[\p{L}\d][\p{L}\d_.-]{0,80}\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|odp|csv|txt|rtf|zip"
    r"|png|jpe?g|gif|svg|ics|vcf|md|html?|xml|json|eml|tgz)(?![\w-])",
    regex.IGNORECASE,
)
LOOKS_LIKE_IBAN = lazy_regex(r"(?<![\p{L}\d])[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{2,4}){3,8}(?![\p{L}\d])")
# Shorter runs of letters and digits name sizes, chapters and models as often as numbers.
_SHORTEST = 4
_SHORTEST_IBAN = 15
_PHONE_TAIL = 7
_MOST_CODES = 4096
# The number that a code ends with, and what joins the first and the last of several.
_LAST_NUMBER = lazy_regex(r"(?P<make>.*?)(?P<number>\d{1,9})$")
_TO = lazy_regex(
    lambda: (
        rf"^\s?[-\u2013]\s?$|(?<!\p{{L}})(?:{any_of(lambda it: it.calendar.ranges)})(?!\p{{L}})"
    ),
    regex.IGNORECASE,
)
_LONGEST_SPAN = 24
_LONGEST_PHONE = 15
_LIKE_A_PHONE = lazy_regex(
    r"(?<![\w.,/+-])(?:(?:\+|00|\(?0)\d{0,5}\)?(?:[ ()/.\u2010-\u2015-]{0,3}\d){5,13}"
    r"|[1-9]\d{2}(?:[ .-]\d{2,4}){2,3})(?![\w/-]|[.,]\d|\s?[€$£%])"
)
# As surely a number is read that is called one.
_NAMED = 0.9


def _plain(code: str) -> str:
    return _JOINTS.sub("", plain_digits(code)).casefold()


def read_codes(text: str, written_on: date, language: str) -> list[Value]:
    """Return the numbers by which something is known: those that are called so, and bare ones."""
    taken = _taken(text, written_on, language)
    found: dict[tuple[int, int], Value] = {}
    for role in roles.numbers():
        for one in find_identifiers(text, role):
            is_sure = _digits(one.written) >= _LEAST_DIGITS
            value = Value(_plain(one.written), one.start, one.end, is_sure)
            found.setdefault((one.start, one.end), value)
    for match in _CODE.finditer(plain_digits(text)):
        is_mixed = _MIXED.fullmatch(match[0]) is not None
        if is_mixed or _digits(match[0]) >= _LEAST_DIGITS:
            is_sure = not is_mixed and _PERHAPS.fullmatch(match[0]) is None
            found.setdefault(match.span(), Value(_plain(match[0]), *match.span(), is_sure))
    kept: list[Value] = []
    for value in sorted(found.values(), key=lambda it: (it.start, -it.end)):
        meets = (it for it in (*taken, *((one.start, one.end) for one in kept)))
        if len(str(value.key)) >= _SHORTEST and not any(
            start < value.end and value.start < end for start, end in meets
        ):
            kept.append(value)
    return kept


def _digits(code: str) -> int:
    return sum(letter.isdigit() for letter in code)


def _taken(text: str, written_on: date, language: str) -> list[tuple[int, int]]:
    """Return where something else stands that is written with digits."""
    return [
        *((it.start, it.end) for it in find_amounts(text)),
        *((it.start, it.end) for it in find_dates(text, written_on, language)),
        *((it.start, it.end) for it in find_phones(text)),
        *((it.start, it.end) for find in (find_emails, find_urls) for it in find(text)),
        *(it.span() for it in FILE_NAME.finditer(text)),
        *((it.start, it.end) for it in read_bank_accounts(text, written_on, language)),
    ]


def near_code(claim: Value, other: Value) -> float:
    """Return how near two codes are: a slip or two in one of the same kind."""
    one, two = str(claim.key), str(other.key)
    if regex.sub(r"\d", "", one) != regex.sub(r"\d", "", two) and slips(one, two) > 1:
        return 0.0
    apart = slips(one, two)
    return {1: 0.9, 2: 0.7}.get(apart, 0.5 if len(one) == len(two) and one[:2] == two[:2] else 0.0)


def read_bank_accounts(text: str, _: date, __: str) -> list[Value]:
    """Return the IBANs in a text (ISO 13616), those whose check digits are wrong as well."""
    return [
        Value(_plain(match[0]), *match.span()) for match in LOOKS_LIKE_IBAN.finditer(text)
        if len(_plain(match[0])) >= _SHORTEST_IBAN
    ]  # fmt: skip


def near_bank_account(claim: Value, other: Value) -> float:
    """Return how near two accounts are; any other one is what should stand there."""
    return 0.9 if slips(str(claim.key), str(other.key)) <= 2 else 0.5


def read_emails(text: str, _: date, __: str) -> list[Value]:
    """Return the mail addresses in a text."""
    return [Value(it.text.lower(), it.start, it.end) for it in find_emails(text)]


def near_email(claim: Value, other: Value) -> float:
    """Return how near two addresses are: a slip, or the same name elsewhere.

    Of another name in the same house another person may be meant.
    """
    one, two = str(claim.key), str(other.key)
    if slips(one, two) <= 2:
        return 0.9
    return 0.6 if one.partition("@")[0] == two.partition("@")[0] else 0.0


def read_phones(text: str, _: date, __: str) -> list[Value]:
    """Return the phone numbers in a text, by their last digits: prefixes have many forms."""
    surely = {it.start for it in find_phones(text) if it.sure > _NAMED}
    found = []
    for match in _LIKE_A_PHONE.finditer(plain_digits(text)):
        digits = regex.sub(r"\D", "", match[0])
        if _PHONE_TAIL <= len(digits) <= _LONGEST_PHONE:
            value = Value(digits[-_PHONE_TAIL:], *match.span(), match.start() in surely)
            found.append(value)
    return found


def near_phone(claim: Value, other: Value) -> float:
    """Return how near two phone numbers are: a slip or two."""
    return {1: 0.9, 2: 0.8}.get(slips(str(claim.key), str(other.key)), 0.0)


def is_same_shape(one: Hashable, other: Hashable) -> bool:
    """Return True if two codes are of one make: letters for letters, and as many digits."""
    return _shape(str(one)) == _shape(str(other))


@lru_cache(maxsize=_MOST_CODES)
def _shape(code: str) -> str:
    return regex.sub(r"\d", "0", code)


CODES = Reader("code", read_codes, near_code, is_alike=is_same_shape)
BANK_ACCOUNTS = Reader("bank_account", read_bank_accounts, near_bank_account)
EMAILS = Reader("email", read_emails, near_email)
PHONES = Reader("phone", read_phones, near_phone)


def find_written(claim: Claim, sources: Iterable[Source]) -> list[Place]:
    """Return where a code stands as it is: in a table, say, where nothing says what it is."""
    hits = ((it, _written_at(claim.words, it.text)) for it in sources)
    return [Place(it, Value(claim.value.key, *hit)) for it, hit in hits if hit]


def find_between(claim: Claim, places: Iterable[Place]) -> list[Place]:
    """Return where a span of codes holds one: "IP-3370 up to and including IP-3381"."""
    wanted = _LAST_NUMBER.match(str(claim.value.key))
    if wanted is None:
        return []
    return [
        first for first, last in pairwise(places)
        if first.source is last.source and _spans(first, last, wanted)
    ]  # fmt: skip


def _spans(first: Place, last: Place, wanted: "regex.Match[str]") -> bool:
    """Return True if two codes of a text are joined as a span, and a third one lies between."""
    between = first.source.text[first.value.end : last.value.start]
    ends = [_LAST_NUMBER.match(str(it.value.key)) for it in (first, last)]
    if len(between) > _LONGEST_SPAN or not _TO.search(between) or None in ends:
        return False
    makes = {it["make"] for it in (*ends, wanted) if it}
    low, high = (int(it["number"]) for it in ends if it)
    return len(makes) == 1 and low < int(wanted["number"]) < high


def _written_at(words: str, text: str) -> tuple[int, int] | None:
    """Return where a text has the words as they are, and no part of longer ones."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        around = text[max(0, start - 1) : start], text[end : end + 1]
        if not any(it.isalnum() or it in _JOINING for it in around if it):
            return start, end
        start = text.find(words, start + 1)
    return None
