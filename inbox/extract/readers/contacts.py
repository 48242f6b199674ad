"""Addresses, phone numbers, names and companies in a text; pure."""

from dataclasses import dataclass
from functools import lru_cache

import regex

from inbox.extract.readers.checksums import iban_end, is_iban
from inbox.extract.readers.numbers import plain_digits
from inbox.languages import any_of, lazy_regex
from inbox.languages.model import Language


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of text and where it stands."""

    text: str
    start: int
    end: int
    sure: float = 0.9


_EMAIL = lazy_regex(
    r"(?<![\p{L}\d._%+@-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[\p{L}\d](?:[\p{L}\d-"
    r"]{0,61}[\p{L}\d])?\.){1,6}\p{L}{2,24}(?![\p{L}\d@])"
)
_URL = lazy_regex(r"(?<![\w@/.])(?:https?://|www\.)[^\s<>\"“”»「」、。]{3,2000}", regex.IGNORECASE)
_DOMAIN = lazy_regex(
    lambda: (
        r"(?<![\w@/.-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,4}(?:com|org|net|io|eu|"
        rf"example|dev|app|{any_of(lambda it: it.contacts.domains)})"
        rf"(?:/[^\s<>\"]{{0,500}})?(?![\w@-])"
    ),
    regex.IGNORECASE,
)
_PHONE = lazy_regex(
    lambda: (
        r"(?<![\w.,/+-])(?:\+\d{1,3}|00[1-9]\d{0,2}|\(?0\d{0,5}\)?|\(\d{2,5}\)"
        rf"|{any_of(lambda it: it.contacts.phone_beginnings)})"
        r"(?:[ ()/.\u2010-\u2015-]{0,3}\d){4,13}(?![\w/-]|[.,]\d)"
    )
)
_NOT_PHONE_BEFORE = lazy_regex(
    lambda: rf"{any_of(lambda it: it.contacts.no_phones)}\W{{0,4}}\p{{L}}{{0,8}}\W{{0,3}}$",
    regex.IGNORECASE,
)
_PHONE_BEFORE = lazy_regex(
    lambda: (
        rf"{any_of(lambda it: it.contacts.phones)}\p{{L}}{{0,9}}\W{{0,3}}"
        rf"(?:{any_of(lambda it: it.contacts.phone_numbers)}\W{{0,4}})?"
        rf"(?:{any_of(lambda it: it.labels.equals)}\s|:\s?)?$"
    ),
    regex.IGNORECASE,
)
_IBAN = lazy_regex(r"(?<![\p{L}\d])[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]){11,30}", regex.IGNORECASE)
_BIC = lazy_regex(
    r"(?<![\p{L}\d])[A-Z]{4}(?:DE|AT|CH|FR|ES|GB|US|JP|NL|BE|IT|PL|SE|DK|NO|FI|IE|"
    r"LU|AE|SA|EG)[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![\p{L}\d])"
)
_VAT = lazy_regex(
    r"(?<![\p{L}\d])(?:ATU ?\d{8}|BE ?[01]\d{3}[ .]?\d{3}[ .]?\d{3}|BG ?\d{9,10}|"
    r"CHE[- ]?\d{3}\.?\d{3}\.?\d{3}|CY ?\d{8}[A-Z]|CZ ?\d{8,10}|DE ?(?:\d{9}|\d{3} "
    r"\d{3} \d{3})|DK ?\d{8}|EE ?\d{9}|EL ?\d{9}|ES ?[A-Z0-9]\d{7}[A-Z0-9]|FI "
    r"?\d{8}|FR ?[A-Z0-9]{2} ?\d{3} ?\d{3} ?\d{3}|GB ?\d{3} ?\d{4} ?\d{2}|HR "
    r"?\d{11}|HU ?\d{8}|IE ?\d[A-Z0-9]\d{5}[A-Z]{1,2}|IT ?\d{11}|LT ?\d{9,12}|LU "
    r"?\d{8}|LV ?\d{11}|MT ?\d{8}|NL ?\d{9}B\d{2}|PL ?\d{10}|PT ?\d{9}|RO ?\d{2,10}|"
    r"SE ?\d{12}|SI ?\d{8}|SK ?\d{10})(?![\p{L}\d])"
)


def _joints(it: Language) -> str:
    return it.contacts.company_joints


def _particles(it: Language) -> str:
    return it.contacts.company_particles


# The stop of what is abbreviated, and of no sentence.
_STOP = r"(?:(?<=(?<![\p{L}\d'’])\p{Lu}\p{Ll}{0,3})\.)?"
_COMPANY = lazy_regex(
    lambda: (
        rf"(?<![\p{{L}}\d&-])(?:\p{{Lu}}[\p{{L}}\d&'’-]*(?:\.[\p{{L}}\d&'’-]+)*{_STOP}"
        rf"|&|{any_of(_joints)})(?: "
        rf"(?:\p{{Lu}}[\p{{L}}\d&'’-]*{_STOP}|&|{any_of(_joints, _particles)})){{0,5}},? "
        rf"{any_of(lambda it: it.contacts.legal_forms)}(?![\p{{L}}\d]|-\d)"
    )
)
_COMPANY_FORM = lazy_regex(lambda: any_of(lambda it: it.contacts.company_forms))
_NAME_WORD = r"\p{Lu}[\p{L}'’]{1,25}(?:-\p{Lu}[\p{L}'’]{1,25})?"
NAME = lazy_regex(
    lambda: (
        rf"{_NAME_WORD}(?: (?:\p{{Lu}}\.|{any_of(lambda it: it.contacts.name_particles)}){{1}})"
        rf"{{0,2}}(?: {_NAME_WORD}){{0,3}}"
    )
)


def find_emails(text: str) -> list[Found]:
    """Return the e-mail addresses in the text."""
    return [Found(it[0], it.start(), it.end(), 0.95) for it in _EMAIL.finditer(text)]


def find_urls(text: str) -> list[Found]:
    """Return the web addresses in the text, without the punctuation after them."""
    found = []
    for match in _URL.finditer(text):
        url = match[0].rstrip(".,;:!?'’")
        while url.endswith(")") and url.count("(") < url.count(")"):
            url = url[:-1]
        found.append(Found(url, match.start(), match.start() + len(url), 0.95))
    taken = [(it.start, it.end) for it in found]
    found += [
        Found(match[0].rstrip(".,;:!?"), match.start(), match.end(), 0.6)
        for match in _DOMAIN.finditer(text)
        if not any(start < match.end() and match.start() < end for start, end in taken)
    ]
    return sorted(found, key=lambda it: it.start)


@lru_cache(maxsize=32)
def find_phones(text: str) -> list[Found]:
    """Return the phone numbers in the text; a bare number counts only where it is called one."""
    plain = plain_digits(text)
    accounts = find_ibans(text)
    found = []
    for match in _PHONE.finditer(plain):
        if any(it.start < match.end() and match.start() < it.end for it in accounts):
            continue
        digits = sum(character.isdigit() for character in match[0])
        before = plain[max(0, match.start() - 40) : match.start()]
        named = _PHONE_BEFORE.search(before)
        written = match[0].startswith(("+", "00", "(")) or regex.search(r"[ /().-]", match[0])
        if not 6 <= digits <= 15 or (_NOT_PHONE_BEFORE.search(before) and not named):
            continue
        if regex.fullmatch(r"0?\d[./-]\d{1,2}[./-]\d{2,4}|\d{2,4}[./-]\d\d[./-]\d\d", match[0]):
            continue
        if named or written:
            sure = 0.95 if named else 0.8
            inner = _EXTENSION.match(plain, match.end())
            end = inner.end() if inner else match.end()
            found.append(Found(plain[match.start() : end].strip(), match.start(), end, sure))
    taken = {it.end for it in found}
    called = [it for it in _CALLED_PHONE.finditer(plain) if it.end() not in taken]
    found += [
        Found(it["phone"], *it.span("phone"), 0.9)
        for it in called
        if 6 <= sum(one.isdigit() for one in it["phone"]) <= 15
        and not any(one.start < it.end() and it.start("phone") < one.end for one in found)
    ]
    return sorted(found, key=lambda it: it.start)


_EXTENSION = lazy_regex(
    lambda: rf",?[ ]?(?:{any_of(lambda it: it.contacts.extensions)})\.?:?[ ]?\d{{1,5}}(?!\d)",
    regex.IGNORECASE,
)
# Where it is called one, a number may begin with any digit.
_CALLED_PHONE = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?:{any_of(lambda it: it.contacts.phones)})"
        r"\p{L}{0,4}[.:]{1,2}[ ]{0,2}(?P<phone>[1-9]\d{1,4}(?:[ ./-]\d{2,4}){1,5})(?![\w/-]|[.,]\d)"
    ),
    regex.IGNORECASE,
)


@lru_cache(maxsize=32)
def find_ibans(text: str) -> list[Found]:
    """Return the IBANs in the text whose check digits are right."""
    found = []
    for match in _IBAN.finditer(text):
        # What follows may look like more of it: take the longest beginning that is one.
        for end in range(len(match[0]), 14, -1):
            if is_iban(match[0][:end]) and not match[0][end - 1].isspace():
                found.append(Found(match[0][:end], match.start(), match.start() + end, 1.0))
                break
    return found


_NAMED_IBAN = lazy_regex(
    r"(?<![\p{L}\d])IBAN(?:[-\s]?(?:nr|no|code))?[.:|\s]{1,6}"
    r"(?P<iban>[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{1,4}){2,9})(?![\p{L}\d])",
    regex.IGNORECASE,
)


def find_named_ibans(text: str) -> list[Found]:
    """Return what is called an IBAN and has the length of one, whatever its check digits."""
    found = []
    for match in _NAMED_IBAN.finditer(text):
        if end := iban_end(text, match.start("iban")):
            written = text[match.start("iban") : end]
            found.append(Found(written, match.start("iban"), end, 0.5))
    return found


def find_bics(text: str) -> list[Found]:
    """Return the BICs in the text (ISO 9362) that are named as such."""
    return [
        Found(it[0], it.start(), it.end(), 0.9)
        for it in _BIC.finditer(text)
        if regex.search(r"(?:bic|swift)\W", text[max(0, it.start() - 20) : it.start()].lower())
    ]


_NAMED_VAT = lazy_regex(
    lambda: (
        rf"(?<![\p{{L}}\d])(?:{any_of(lambda it: it.contacts.vat_ids)})"
        r"[ \t]{0,2}[:.|#\uff1a]{0,2}[ \t|]{0,3}(?:(?:no|nr)\.?:?[ \t])?"
        r"(?P<id>(?:[A-Z]{2,3}[ -]?)?"
        r"(?:\d{1,4}(?:[ .-]\d{2,4}){2,5}|\d{2}-\d{7}|[A-Z]?\d[A-Z\d]{6,14})[A-Z]?)"
        r"(?![\p{L}\d]|[.,-]\d)"
    ),
    regex.IGNORECASE,
)


def find_named_vat_ids(text: str) -> list[Found]:
    """Return what is called the number by which somebody pays taxes, in the form of any country."""
    return [
        Found(it["id"], *it.span("id"), 0.9)
        for it in _NAMED_VAT.finditer(text)
        if sum(one.isdigit() for one in it["id"]) >= 7
    ]


def find_vat_ids(text: str) -> list[Found]:
    """Return the VAT numbers of European form in the text."""
    return [Found(it[0], it.start(), it.end(), 0.95) for it in _VAT.finditer(text)]


@lru_cache(maxsize=32)
def find_companies(text: str) -> list[Found]:
    """Return what is named as a company: a legal form shows it."""
    return [
        Found(it[0].strip(), it.start(), it.end(), 0.85)
        for pattern in (_COMPANY, _COMPANY_FORM)
        for it in pattern.finditer(text)
    ]
