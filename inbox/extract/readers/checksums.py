"""Whether a number that carries a check digit can be what it looks like; pure."""

from collections.abc import Iterator
from functools import cache

import regex

# How long an IBAN of a country is (ISO 13616).
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21,
    "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip


@cache
def _beginning() -> "regex.Pattern[str]":
    """Return what an IBAN begins with: a country, and two digits."""
    return regex.compile(r"[A-Z]{2}[ -.\u00a0\u202f]{0,2}\d[ -.\u00a0\u202f]{0,2}\d")


# What may part its groups, and so many of these running.
_PARTS, _MOST_APART = " -.\u00a0\u202f", 2


def find_ibans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where IBANs with right check digits stand, in groups or not, with no digit beside them.

    How long each is its country says, so that letters around it are no part of it.
    """
    end = 0
    for hit in _beginning().finditer(text, overlapped=True):
        length = _IBAN_LENGTHS.get(hit[0][:2], 0)
        stop = _end_of(text, hit.start(), length) if length and hit.start() >= end else 0
        if stop and is_iban("".join(it for it in text[hit.start() : stop] if it.isalnum())):
            around = text[max(0, hit.start() - 1) : hit.start()] + text[stop : stop + 1]
            if not any(it.isdigit() for it in around):
                yield hit.start(), stop
                end = stop


def iban_end(text: str, start: int) -> int:
    """Return where an IBAN ends that begins here, by its country's length alone; 0 for none."""
    length = _IBAN_LENGTHS.get(text[start : start + 2].upper(), 0)
    return _end_of(text, start, length) if length else 0


def _end_of(text: str, start: int, length: int) -> int:
    """Return where so many digits and capitals end that begin here; 0 where there are fewer."""
    left, apart = length, 0
    for place in range(start, min(len(text), start + 3 * length)):
        one = text[place]
        if one.isascii() and (one.isdigit() or one.isupper()):
            left, apart = left - 1, 0
            if not left:
                return place + 1
        elif one not in _PARTS or apart == _MOST_APART:
            return 0
        else:
            apart += 1
    return 0


def is_iban(text: str) -> bool:
    """Return True if the text, its spaces aside, is an IBAN whose check digits are right."""
    compact = regex.sub(r"[\s-]", "", text).upper()
    if not regex.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,27}", compact, regex.ASCII):
        return False
    if len(compact) != _IBAN_LENGTHS.get(compact[:2]):
        return False
    digits = "".join(str(int(character, 36)) for character in compact[4:] + compact[:4])
    return int(digits) % 97 == 1


def passes_luhn(text: str) -> bool:
    """Return True if the digits in the text pass the Luhn check of card numbers (ISO/IEC 7812)."""
    digits = [int(character) for character in text if character in "0123456789"]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return bool(digits) and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
