"""Numbers and amounts of money, in the notations people write them in; pure."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache

import regex

from inbox.languages import languages, lazy_regex, numbers_of

# Digits of other scripts, and their separators; each one character for one, so that places hold.
_ZEROS = (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50, 0xFF10)
_PLAIN_DIGITS = {zero + digit: ord("0") + digit for zero in _ZEROS for digit in range(10)} | {
    0x066B: ord("."), 0x066C: ord(","), 0xFF0E: ord("."), 0xFF0C: ord(","), 0x2212: ord("-"),
}  # fmt: skip

# Three-digit groups with one separator, or plain digits; then perhaps decimals.
NUMBER = (
    r"(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,3}(?:\.\d{3}){1,5}|\d{1,3}(?:['’\u00a0\u202f ]\d{3}){1,5}"
    r"|\d{1,3}(?:,\d{2}){1,3},\d{3}|\d{1,15})(?:[.,]\d{1,4}(?!\d))?"
)

# Signs and codes by their ISO 4217 code; the names are those of the languages.
_CURRENCIES = {
    "EUR": "€ eur", "USD": "$ us$ usd", "GBP": "£ gbp", "JPY": "\u00a5 \uffe5 jpy",
    "CNY": "cny rmb cn¥", "CHF": "chf sfr fr.", "CAD": "ca$ c$ cad", "AUD": "a$ au$ aud",
    "NZD": "nz$ nzd", "HKD": "hk$ hkd", "SGD": "s$ sgd", "BRL": "r$ brl", "MXN": "mx$ mxn",
    "INR": "₹ inr rs.", "KRW": "₩ krw", "RUB": "₽ rub", "TRY": "₺ try", "PLN": "zł pln",
    "CZK": "kč czk", "SEK": "sek", "NOK": "nok", "DKK": "dkk", "HUF": "huf", "ILS": "₪ ils",
    "UAH": "₴ uah", "SAR": "sar", "AED": "aed", "EGP": "egp", "ZAR": "zar", "THB": "฿ thb",
}  # fmt: skip
CURRENCY_CODES = frozenset(_CURRENCIES)


def _alternatives(words: list[str]) -> str:
    return "|".join(
        regex.escape(word) + (r"(?!\p{L})" if word[-1].isalpha() and word.isascii() else "")
        for word in sorted(words, key=len, reverse=True)
    )


@cache
def _code_of() -> dict[str, str]:
    """Return the signs, codes and names of currencies, each with its code."""
    signs = {sign: code for code, line in _CURRENCIES.items() for sign in line.split()}
    names = {
        name: code
        for it in languages()
        for code, line in it.money.currencies.items()
        for name in line.split("|")
    }
    return {**signs, **names}


@cache
def _scales() -> dict[str, int]:
    return numbers_of(lambda it: it.money.scales)


def _currency() -> str:
    return rf"(?:{_alternatives(list(_code_of()))})"


def _scale(*, short: bool) -> str:
    words = [word for word in _scales() if short or word != "m"]
    return "|".join(regex.escape(word) for word in sorted(words, key=len, reverse=True))


# Not within a word or a longer number; Chinese and Japanese write no spaces.
_APART = r"(?<![\p{Latin}\p{Cyrillic}\p{Greek}\d.,/-])"
_BEFORE = lazy_regex(
    lambda: (
        rf"(?<![\p{{Latin}}\p{{Cyrillic}}\p{{Greek}}])(?P<currency>{_currency()})[\s:]{{0,3}}"
        rf"(?P<sign>-)?(?P<number>{NUMBER})"
        rf"(?P<scale>(?:\s?(?:{_scale(short=True)})(?![\p{{L}}\d]))?)(?:,[-–])?"
    ),
    regex.IGNORECASE,
)
# Followed by a number that has no currency of its own, the currency belongs to that one.
_AFTER = lazy_regex(
    lambda: (
        rf"{_APART}(?P<sign>(?<![\p{{L}}\d])-)?(?P<number>{NUMBER})(?:,[-–])?"
        rf"(?P<scale>\s?(?:{_scale(short=False)}))?"
        rf"[\s\u00a0\u202f]?(?P<currency>{_currency()})"
        rf"(?![ \t]{{0,2}}(?>{NUMBER})(?![ \t]?{_currency()}))"
    ),
    regex.IGNORECASE,
)


_HOURS = lazy_regex(r"\s?(?:-|–|bis|uhr|h\b)", regex.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of money and where it stands."""

    value: Decimal
    currency: str  # ISO 4217
    start: int
    end: int


def plain_digits(text: str) -> str:
    """Return the text with ASCII digits and separators; every character keeps its place."""
    return text.translate(_PLAIN_DIGITS)


def read_number(text: str) -> Decimal | None:
    """Return the value of a written number such as 1,234.56, 1.234,56, 1'234 or 12 000.

    Of two kinds of separators the last is the decimal one; a single one before exactly three
    digits parts thousands.
    """
    text = plain_digits(text).strip()
    text = regex.sub(r"['’\s\u00a0\u202f]", "", text)
    marks = [mark for mark in text if mark in ".,"]
    if len(set(marks)) == 2:
        decimal = marks[-1]
        if marks.count(decimal) > 1:
            return None
    elif len(marks) > 1 or regex.fullmatch(r"-?[1-9]\d{0,2}[.,]\d{3}", text):
        decimal = ""
    else:
        decimal = marks[0] if marks else ""
    digits = "".join(
        "." if mark == decimal else mark for mark in text if mark not in ".," or mark == decimal
    )
    return Decimal(digits) if regex.fullmatch(r"-?\d{1,18}(?:\.\d{1,6})?", digits) else None


@lru_cache(maxsize=32)
def find_amounts(text: str) -> list[Amount]:
    """Return the amounts of money in the text, in order."""
    text = plain_digits(text)
    found = sorted(
        (match for pattern in (_AFTER, _BEFORE) for match in pattern.finditer(text)),
        key=lambda match: match.start(),
    )
    amounts: list[Amount] = []
    for match in found:
        amount = _amount(match)
        if amount and (not amounts or amounts[-1].end <= amount.start):
            amounts.append(amount)
    return amounts


def _amount(match: regex.Match[str]) -> Amount | None:
    value = read_number(match["number"])
    word = match["currency"].lower()
    if value is None or match["currency"] == "try":  # an English word too
        return None
    # Friday, and its hours.
    before = match.string[: match.start()][-1:]
    if word == "fr." and (before in {"-", "–"} or _HOURS.match(match.string, match.end())):
        return None
    if (
        word in {"kr", "rs."} and (match["scale"] or "").lower() == "m"
    ):  # the name of an article: KR3M
        return None
    scale = (match["scale"] or "").strip().rstrip(".").lower()
    value *= _scales().get(scale, 1)
    return Amount(-value if match["sign"] else value, _code_of()[word], match.start(), match.end())
