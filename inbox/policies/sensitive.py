"""What must not leave by accident: account and card numbers, secrets, and the like; pure."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import regex

from inbox.extract.readers.checksums import find_ibans, passes_luhn
from inbox.languages.patterns import any_of, lazy_regex

# No pattern may hold up a call for longer, in seconds.
PATTERN_TIMEOUT = 0.2


# Yields where data of a kind stands in a text.
Finder: TypeAlias = Callable[[str], Iterator[tuple[int, int]]]


def _matching(pattern: regex.Pattern[str], passes: Callable[[str], bool] = bool) -> Finder:
    """Return what finds a pattern, or its group, where what it matches passes."""

    def find(text: str) -> Iterator[tuple[int, int]]:
        for found in pattern.finditer(text, timeout=PATTERN_TIMEOUT):
            place = 1 if found.re.groups and found[1] else 0
            if passes(found[place]):
                yield found.span(place)

    return find


def _is_card(text: str) -> bool:
    digits = regex.sub(r"\D", "", text)
    return len(set(digits)) > 1 and passes_luhn(digits)


def _is_phone(text: str) -> bool:
    return 7 <= len(regex.sub(r"\D", "", text)) <= 15


# A name, a colon or a verb, and a value that no sentence would have there.
_SECRET = lazy_regex(
    lambda: (
        rf"(?:(?<!\p{{L}}){any_of(lambda it: it.labels.secrets)}"
        rf"\s?(?:[:=\uff1a]\s?|\s{any_of(lambda it: it.labels.equals)}[: ]\s?)[\"'“«`]?)"
        r"(?=[^\s\"'”»`]*[\d!#$%^&*_+=])([^\s\"'”»`]{4,200}?)(?=[.,;]?(?:[\s\"'”»`]|$))"
        r"|\b[spr]k[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,200}"
        r"|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,200}\b|\bxox[abprs]-[A-Za-z0-9-]{10,200}"
        r"|\bAIza[0-9A-Za-z_-]{35}"
        r"|\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{5,500}"
        r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"
        r"(?:[^-]{0,8000}-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
    ),
    regex.IGNORECASE,
)
KINDS: dict[str, Finder] = {
    "iban": find_ibans,
    "card": _matching(
        regex.compile(r"(?<![\w-])(?<![A-Z]{2}\d\d )[3-6](?:[ -]?\d){12,18}(?![\d-])"),
        _is_card,
    ),
    "ssn": _matching(
        regex.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])"),
    ),
    "secret": _matching(_SECRET),
    "phone": _matching(
        regex.compile(r"(?<![\w.,/-])(?:\+|\(?0|\()\d?(?:[ ()/.-]{0,2}\d){6,14}(?![\w-])"),
        _is_phone,
    ),
    "email": _matching(
        regex.compile(r"[\p{L}\d.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){1,8}"),
    ),
}  # fmt: skip
# The names that policies are written with, beside the kinds' own.
KIND_NAMES = {
    "credit_card": "card", "credit_cards": "card", "card_number": "card", "card_numbers": "card",
    "cards": "card", "bank_account": "iban", "ibans": "iban", "social_security_number": "ssn",
    "ssns": "ssn", "password": "secret", "passwords": "secret", "api_key": "secret",
    "api_keys": "secret", "token": "secret", "tokens": "secret", "secrets": "secret",
    "credentials": "secret", "phone_number": "phone", "phone_numbers": "phone", "phones": "phone",
    "email_address": "email", "email_addresses": "email", "emails": "email",
} | {name: name for name in KINDS}  # fmt: skip
# These are looked for whatever a policy says.
ALWAYS = ("iban", "card", "ssn", "secret")


def find_sensitive(text: str, kind: str) -> Iterator[tuple[int, int]]:
    """Yield where data of this kind stands in the text.

    Of a named secret only the value counts. Raises TimeoutError for a text made to be slow.
    """
    yield from KINDS[kind](text)
