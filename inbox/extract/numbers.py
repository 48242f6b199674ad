"""Numbers and amounts of money, in the notations people write them in; pure."""

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import regex

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

_CURRENCIES = {
    "EUR": ("€", "eur", "euro", "euros", "ユーロ", "欧元", "يورو"),
    "USD": ("$", "us$", "usd", "us dollar", "us dollars", "dollar", "dollars", "ドル", "米ドル",
            "美元", "دولار"),
    "GBP": ("£", "gbp", "pound", "pounds", "ポンド", "英镑"),
    "JPY": ("\u00a5", "\uffe5", "jpy", "yen", "円", "日元", "ين"),
    "CNY": ("cny", "rmb", "yuan", "人民币", "元", "cn¥"),
    "CHF": ("chf", "sfr", "fr.", "franken", "swiss francs"),
    "CAD": ("ca$", "c$", "cad", "canadian dollars"),
    "AUD": ("a$", "au$", "aud", "australian dollars"),
    "NZD": ("nz$", "nzd"),
    "HKD": ("hk$", "hkd"),
    "SGD": ("s$", "sgd"),
    "BRL": ("r$", "brl", "reais"),
    "MXN": ("mx$", "mxn"),
    "INR": ("₹", "inr", "rs.", "rupees"),
    "KRW": ("₩", "krw", "원"),
    "RUB": ("₽", "rub", "руб", "руб."),
    "TRY": ("₺", "try"),
    "PLN": ("zł", "pln"),
    "CZK": ("kč", "czk"),
    "SEK": ("sek",),
    "NOK": ("nok",),
    "DKK": ("dkk",),
    "HUF": ("huf",),
    "ILS": ("₪", "ils"),
    "UAH": ("₴", "uah"),
    "SAR": ("sar", "ريال", "ريال سعودي"),
    "AED": ("aed", "درهم"),
    "EGP": ("egp", "جنيه"),
    "ZAR": ("zar",),
    "THB": ("฿", "thb"),
}  # fmt: skip
_CODE_OF = {word: code for code, words in _CURRENCIES.items() for word in words}
CURRENCY_CODES = frozenset(_CURRENCIES)


def _alternatives(words: list[str]) -> str:
    return "|".join(
        regex.escape(word) + (r"(?!\p{L})" if word[-1].isalpha() and word.isascii() else "")
        for word in sorted(words, key=len, reverse=True)
    )


_CURRENCY = rf"(?:{_alternatives(list(_CODE_OF))})"
_SCALE = r"(?:\s?(?:k|Tsd\.?|thousand|Mio\.?|million(?:en)?|m|万|億)(?![\p{L}\d]))?"
# Not within a word or a longer number; Chinese and Japanese write no spaces.
_APART = r"(?<![\p{Latin}\p{Cyrillic}\p{Greek}\d.,/-])"
_BEFORE = regex.compile(
    rf"(?<![\p{{Latin}}\p{{Cyrillic}}\p{{Greek}}])(?P<currency>{_CURRENCY})[\s:]{{0,3}}"
    rf"(?P<sign>-)?(?P<number>{NUMBER})(?P<scale>{_SCALE})(?:,[-–])?",
    regex.IGNORECASE,
)
# Followed by a number that has no currency of its own, the currency belongs to that one.
_AFTER = regex.compile(
    rf"{_APART}(?P<sign>(?<![\p{{L}}\d])-)?(?P<number>{NUMBER})(?:,[-–])?"
    rf"(?P<scale>\s?(?:k|Tsd\.?|thousand|Mio\.?|million(?:en)?|万|億))?"
    rf"[\s\u00a0\u202f]?(?P<currency>{_CURRENCY})"
    rf"(?![ \t]{{0,2}}(?>{NUMBER})(?![ \t]?{_CURRENCY}))",
    regex.IGNORECASE,
)
_SCALES = {
    "k": 1_000, "tsd": 1_000, "thousand": 1_000, "mio": 10**6, "million": 10**6,
    "millionen": 10**6, "m": 10**6, "万": 10**4, "億": 10**8,
}  # fmt: skip


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
    scale = (match["scale"] or "").strip().rstrip(".").lower()
    value *= _SCALES.get(scale, 1)
    return Amount(-value if match["sign"] else value, _CODE_OF[word], match.start(), match.end())
